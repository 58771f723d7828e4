import type { Result } from '@deskhand/core/model'

/** A call of each tool whose arguments are guessed wrong most often. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'ui.snapshot': '{}, { "root": "e7" } or { "scope": "desktop" }',
  'ui.query': '{ "selector": "role=button && name=\\"Save\\"" }',
  'ui.click': '{ "target": "e12" } or { "target": "role=button && name=\\"Save\\"" }',
  'ui.type': '{ "target": "e12", "text": "Anna", "mode": "replace" }',
  'ui.key': '{ "keys": "ctrl+s" } or { "keys": ["Tab", "Enter"] }',
  'ui.set': '{ "target": "e12", "value": "Anna" } or { "fields": [{ "target": "e12", "value": "Anna" }] }',
  'ui.menu': '{ "path": ["File", "Save As…"] }',
  'ui.scroll': '{ "target": "e7", "deltaY": 5 } or { "until": "name=\\"Total\\"" }',
  'ui.wait':
    '{ "until": { "uiState": { "target": "e12", "value": "Anna" } } }, { "until": { "window": { "titleContains": "Save" } } } or { "until": { "text": "Saved" } }',
  'ui.batch':
    '{ "steps": [{ "tool": "ui.set", "args": { "target": "e12", "value": "Anna" } }, { "tool": "ui.key", "args": { "keys": "ctrl+s" } }] }',
}

/** Arguments that cannot be read are answered with a call that can, where no better step is known. */
export function withExample(tool: string, result: Result): Result {
  const example = EXAMPLES[tool]
  if (result.error?.code !== 'BAD_ARGS' || example === undefined || !result.error.next.startsWith('Correct the named argument'))
    return result
  return { ...result, error: { ...result.error, next: `Send for example ${example}` } }
}
