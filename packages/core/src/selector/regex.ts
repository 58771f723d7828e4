import { RE2JS } from 're2js'

const FLAGS: Record<string, number> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL, u: 0 }

/** Each repetition is built as a copy of what it repeats: counted ones are slow to build long before they are slow to search with. */
const MOST_REPEATS = 1_000

/** A linear-time search: no pattern can make it hang. */
export function compileRegex(source: string, flags: string): (text: string) => boolean {
  const regex = RE2JS.compile(
    source,
    flags.split('').reduce((bits, f) => bits | (FLAGS[f] ?? 0), 0),
  )
  return (text) => regex.test(text)
}

/** Why the regular expression cannot be used, if so. */
export function regexProblem(source: string, flags: string): string | undefined {
  const unknown = flags.split('').find((f) => !Object.hasOwn(FLAGS, f))
  if (unknown) return `the flags are i, m and s, not ${unknown}`
  const repeats = [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce((sum, [, least, most]) => sum + Number(most || least), 0)
  if (repeats > MOST_REPEATS) return `its counts of repetitions come to more than ${MOST_REPEATS}`
  try {
    compileRegex(source, flags)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.replace('error parsing regexp: ', '') : String(thrown)
  }
}
