import type { ActionKind } from '../model/index.ts'
import { linear } from './glob.ts'

/** A call's arguments as patterns see them: JSON with sorted keys, top-level fields between NULs as Gemini CLI writes them. */
export interface ArgsText {
  /** Each top-level field as `\0"key":value\0`. */
  fields: ReadonlyMap<string, string>
  /** All of them in one line; quotes inside nested values are escaped, so that nothing nested can pose as a field. */
  flat: string
}

export type ArgsTest = (args: ArgsText) => boolean

export function argsText(args: unknown): ArgsText | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  const fields = new Map<string, string>()
  const flat: string[] = []
  for (const [key, value] of Object.entries(args).toSorted(byKey)) {
    if (value === undefined || typeof value === 'function') continue
    const json = stable(value)
    const name = JSON.stringify(key)
    fields.set(key, `\0${name}:${json}\0`)
    flat.push(`\0${name}:${typeof value === 'object' && value !== null ? JSON.stringify(json).slice(1, -1) : json}\0`)
  }
  return { fields, flat: `{${flat.join(',')}}` }
}

/**
 * A pattern that begins with `"field":` is read from the start of that top-level field, nested values and all. Any other pattern is
 * searched in the flat line. Throws a SyntaxError.
 */
export function argsPattern(pattern: string): ArgsTest {
  const fielded = fieldPattern(pattern)
  if (!fielded) {
    const regex = linear(pattern)
    return (args) => regex.test(args.flat)
  }
  const regex = linear(`^\\x00(?:${fielded.whole})`)
  const { field } = fielded
  if (field === undefined) return (args) => [...args.fields.values()].some((text) => regex.test(text))
  return (args) => {
    const text = args.fields.get(field)
    return text !== undefined && regex.test(text)
  }
}

/** A pattern that begins at a field, and which one when there is no choice; undefined for a pattern that begins anywhere. */
export function fieldPattern(pattern: string): { whole: string; field?: string; value: string } | undefined {
  const opening = /^(?:\\x00|\\0|\\u0000)?(?=")/.exec(pattern)
  if (!opening) return undefined
  const whole = pattern.slice(opening[0].length)
  const named = hasTopLevelChoice(whole) ? null : /^"([\w.-]+)":/.exec(whole)
  return { whole, field: named?.[1], value: named ? whole.slice(named[0].length) : whole }
}

function hasTopLevelChoice(pattern: string): boolean {
  let flat = pattern.replaceAll(/\\./gs, '').replaceAll(/\[\^?.[^\]]*\]/gs, '')
  for (let before = ''; before !== flat;) {
    before = flat
    flat = flat.replaceAll(/\([^()]*\)/g, '')
  }
  return flat.includes('|')
}

/** The command line a call would run, for `commandPrefix` and `commandRegex`. */
export function commandOf(kind: ActionKind, args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  if ('command' in args && typeof args.command === 'string') return args.command
  if (kind !== 'launch' || !('app' in args) || typeof args.app !== 'string') return undefined
  const rest = 'args' in args && Array.isArray(args.args) ? args.args.map(String) : []
  return [args.app, ...rest].join(' ')
}

/** Whole words only: "git" starts "git status", not "github". */
export function commandPrefix(prefixes: readonly string[]): (command: string) => boolean {
  return (command) =>
    prefixes.some((p) => command.startsWith(p) && (command.length === p.length || /\s$/.test(p) || /^[ "]/.test(command.slice(p.length))))
}

/** As in Gemini CLI, matched from the start of the command in its JSON form. */
export function commandRegex(pattern: string): (command: string) => boolean {
  const regex = linear(`^"(?:${pattern})`)
  return (command) => regex.test(JSON.stringify(command))
}

const byKey = (a: [string, unknown], b: [string, unknown]): number => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)

/** JSON with sorted keys. Deeper than any tool's arguments it stops, so that a hostile nest costs nothing. */
function stable(value: unknown, depth = 0): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (depth > 32) return '"…"'
  if (Array.isArray(value)) return `[${value.map((v) => stable(v, depth + 1)).join(',')}]`
  const pairs = Object.entries(value).filter(([, v]) => v !== undefined && typeof v !== 'function')
  return `{${pairs
    .toSorted(byKey)
    .map(([k, v]) => `${JSON.stringify(k)}:${stable(v, depth + 1)}`)
    .join(',')}}`
}
