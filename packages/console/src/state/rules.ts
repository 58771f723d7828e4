import { TEXT } from '../text.ts'

/** The tools that a rule is about. */
export const toolWords = ({ toolName }: Readonly<Record<string, unknown>>): string => {
  const names = [toolName].flat().filter((name) => typeof name === 'string')
  return names.length === 0 || names.includes('*') ? TEXT.policy.anyTool : names.join(', ')
}

/** The conditions of a rule, as a person would say them. */
export function conditionWords(spec: Readonly<Record<string, unknown>>): readonly string[] {
  const { when, argsPattern, expires, rateLimit } = spec
  const words = Object.entries(typeof when === 'object' && when !== null ? when : {}).map(([key, value]) => phrase(key, value))
  if (typeof argsPattern === 'string') words.push(`${TEXT.conditions.argsPattern} ${argsPattern}`)
  if (typeof expires === 'number') words.push(`${TEXT.conditions.expires} ${new Date(expires).toLocaleString('en-GB')}`)
  if (rateLimit !== undefined) words.push(`${TEXT.conditions.rateLimit} ${valueWords(rateLimit)}`)
  return words
}

function phrase(key: string, value: unknown): string {
  const known = TEXT.conditions.when[key]
  return known === undefined ? `${key} ${valueWords(value)}` : `${known} ${valueWords(value)}`
}

function valueWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueWords).join(TEXT.or)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${valueWords(inner)}`)
      .join(', ')
  return String(value)
}

/** Why it was decided so, with the rule named by its file as everywhere here: the folder says nothing, and is long. */
export const reasonOf = ({ reason, rule }: { reason: string; rule?: { file: string } | undefined }): string =>
  rule === undefined ? reason : reason.replaceAll(rule.file, fileOf(rule.file))

/** The file of a rule without the folders that it is in; presets keep theirs, which says that they are presets. */
export const fileOf = (path: string): string => (path.startsWith('presets/') ? path : (path.split('/').at(-1) ?? path))
