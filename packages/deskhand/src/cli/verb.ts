import { readFileSync, writeFileSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { exitCode, refusal } from '../sdk/desk.ts'
import type { ListedTool } from '../tools/listing.ts'
import { words } from '../tools/words.ts'
import { startedDesk } from './background.ts'
import { parseJson, print, seconds } from './call-io.ts'
import type { Common } from './common.ts'
import { flagOf, placed, propertiesOf, type Given, type Property, type Verb } from './verbs.ts'

const asText = (given: Given): string => (Array.isArray(given) ? given.join(' ') : String(given))

/** Makes the call that a short command stands for, and prints what a model reads of it. */
export async function run(
  common: Common,
  verb: Verb,
  tool: ListedTool,
  places: readonly Given[],
  options: Record<string, Given>,
): Promise<void> {
  const answer = (result: Result, text = words(result)): void => {
    if (options['json'] === true) print(result)
    else process.stdout.write(`${text}\n`)
    process.exitCode = exitCode(result)
  }
  try {
    const args = argsOf(verb, tool, places, options)
    const condition = options['waitFor'] === undefined ? undefined : conditionOf(asText(options['waitFor']))
    const waitMs = options['wait'] === undefined ? undefined : seconds(asText(options['wait']))
    const desk = await startedDesk(common)
    try {
      const call = { waitMs, ...(typeof options['intent'] === 'string' && { intent: options['intent'] }) }
      const result = await desk.call(tool.name, args, call)
      if (result.error !== undefined) return answer(result)
      const file = verb.with === 'file' ? saved(result, places[0]) : undefined
      if (condition === undefined)
        return answer(
          file === undefined ? result : { ...result, images: undefined, data: { file } },
          file && `${file}${result.text === undefined ? '' : `\n${result.text}`}`,
        )
      const waited = await desk.call('ui.wait', { until: condition }, call)
      answer(
        waited.error === undefined ? { ...result, verification: waited.verification ?? result.verification } : waited,
        `${words(result)}\n${words(waited)}`,
      )
    } finally {
      await desk.close()
    }
  } catch (thrown) {
    if (options['json'] !== true) throw thrown
    answer(refusal(DeskhandError.from(thrown)))
  }
}

/** The arguments of the tool: those by place, then those by name. */
function argsOf(verb: Verb, tool: ListedTool, places: readonly Given[], options: Record<string, Given>): Record<string, unknown> {
  const properties = propertiesOf(tool)
  const args: Record<string, unknown> = verb.with === 'stdin' ? fromStdin() : {}
  for (const [i, place] of verb.places.entries()) {
    const name = placed(place)
    const given = places[i]
    if (given === undefined || (Array.isArray(given) && given.length === 0)) continue
    args[name] = name === 'until' ? conditionOf(asText(given)) : valueOf(name, given, properties[name] ?? {})
  }
  // With one word it is what is typed, into the focus.
  if (verb.name === 'type' && args['text'] === undefined && options['secret'] === undefined) {
    args['text'] = args['target']
    delete args['target']
  }
  for (const [name, property] of Object.entries(properties))
    if (options[name] !== undefined && args[name] === undefined)
      args[name] = name === 'verify' ? conditionOf(asText(options[name])) : valueOf(name, options[name], property)
  return args
}

/** A word of the command line as the schema wants it. */
function valueOf(name: string, given: Given, property: Property): unknown {
  const types = [property, ...(property.anyOf ?? [])].flatMap((p) => p.type ?? [])
  if (Array.isArray(given)) return types.includes('array') ? given : given.join(' ')
  if (typeof given !== 'string') return given
  if (types.includes('string')) return given
  if (types.includes('number') || types.includes('integer')) {
    if (given.trim() !== '' && Number.isFinite(Number(given))) return Number(given)
    throw new DeskhandError('BAD_ARGS', `--${flagOf(name)} takes a number, not ${JSON.stringify(given)}`)
  }
  if (types.includes('boolean')) return given === 'true'
  return /^[[{"]/.test(given) || types.length === 0 ? readJson(given) : types.includes('array') ? given.split(',') : parseJson(given)
}

/** What has no type may be JSON, or the text itself. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A condition in few words: a selector that must be there, or one that must be gone, a window, a text; or JSON. */
export function conditionOf(text: string): unknown {
  const words = text.trim()
  if (words.startsWith('{')) return parseJson(words)
  const [, kind, rest = ''] = /^(gone|window|text|dialog)\s+(.+)$/s.exec(words) ?? []
  if (kind === 'gone') return { uiState: { target: rest, present: false } }
  if (kind === 'window' || kind === 'dialog')
    return { window: { titleContains: unquoted(rest), ...(kind === 'dialog' && { dialog: true }) } }
  return kind === 'text' ? { text: unquoted(rest) } : { uiState: { target: words, present: true } }
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

/** Steps from standard input: an object with all arguments, a list of steps, or a step per line. */
function fromStdin(): Record<string, unknown> {
  const text = readFileSync(0, 'utf8').trim()
  if (text === '')
    throw new DeskhandError('BAD_ARGS', 'nothing came on standard input', { next: 'Send a JSON list of steps, or one step per line.' })
  const isLines = /^\{.*\}\s*\n\s*\{/s.test(text) && readJson(text) === text
  const read = isLines
    ? text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(parseJson)
    : parseJson(text)
  return Array.isArray(read) ? { steps: read } : (read as Record<string, unknown>)
}

/** Writes the picture to a file; answers with its name. */
function saved({ images }: Result, file: Given): string {
  const [image] = images ?? []
  if (image === undefined) throw new DeskhandError('NOT_CAPABLE', 'there is no picture in the answer')
  const name = typeof file === 'string' ? file : `shot-${Date.now()}.png`
  writeFileSync(name, image.data)
  return `${name} ${image.width}x${image.height}`
}
