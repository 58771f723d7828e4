import { DeskhandError } from '@deskhand/core/errors'

/** A condition in few words: a selector that must be there, or one that must be gone, a window, a text; or JSON. */
export function conditionOf(text: string): unknown {
  const words = text.trim()
  if (words.startsWith('{')) return readJson(words)
  const [, kind, rest = ''] = /^(gone|window|text|dialog)\s+(.+)$/s.exec(words) ?? []
  if (kind === 'gone') return { uiState: { target: rest, present: false } }
  if (kind === 'window' || kind === 'dialog')
    return { window: { titleContains: unquoted(rest), ...(kind === 'dialog' && { dialog: true }) } }
  return kind === 'text' ? { text: unquoted(rest) } : { uiState: { target: words, present: true } }
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new DeskhandError('BAD_ARGS', `this condition is no JSON: ${text.slice(0, 100)}`)
  }
}
