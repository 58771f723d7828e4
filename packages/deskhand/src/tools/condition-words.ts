import { DeskhandError } from '@deskhand/core/errors'

/** A call's arguments whose conditions in few words are spelled out. */
export function spelledOut(tool: string, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || !CONDITIONS.some((name) => typeof Reflect.get(args, name) === 'string')) return args
  const isCondition = (name: string, value: unknown): value is string =>
    typeof value === 'string' && CONDITIONS.includes(name) && !(tool === 'ui.scroll' && name === 'until')
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, isCondition(name, value) ? conditionOf(value) : value]))
}

/** Arguments that are conditions; what `ui.scroll` goes on until is an element. */
const CONDITIONS: readonly string[] = ['until', 'verify', 'condition']

/** A condition in few words: a selector that must be there, or one that must be gone, a window, a text; or JSON. */
export function conditionOf(text: string): unknown {
  const words = text.trim()
  if (words.startsWith('{')) return readJson(words)
  const [, target, not, state = ''] = STATE.exec(words) ?? []
  if (state === 'gone') return { uiState: { target, present: not !== undefined } }
  if (target !== undefined) return { uiState: { target, [state]: not === undefined } }
  const [, gone] = /^(?:gone|closed|not?)\s+(.+)$/s.exec(words) ?? /^!\s*([^&|]+)$/s.exec(words) ?? []
  if (gone !== undefined)
    return /^(?:window|text|dialog)\s/.test(gone) ? { not: conditionOf(gone) } : { uiState: { target: gone, present: false } }
  const [, kind, rest = ''] = /^(window|text|dialog)\s+(.+)$/s.exec(words) ?? []
  if (kind === 'window' || kind === 'dialog')
    return { window: { titleContains: unquoted(rest), ...(kind === 'dialog' && { dialog: true }) } }
  return kind === 'text' ? { text: unquoted(rest) } : { uiState: { target: words, present: true } }
}

/** An id and what it is to be: e12 enabled, e12 is gone. */
const STATE = /^(e\d+) (?:is )?(not )?(gone|enabled|visible|focused|checked|selected|expanded)$/

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new DeskhandError('BAD_ARGS', `this condition is no JSON: ${text.slice(0, 100)}`)
  }
}
