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
  'ui.wait': '{ "until": "role=dialog" }, { "until": "gone e12" } or { "until": { "uiState": { "target": "e12", "value": "Anna" } } }',
  'ui.assert': '{ "condition": { "uiState": { "target": "e12", "value": "Anna" } } }',
  'ui.describe': '{ "element": "e12" }',
  'ui.drag': '{ "from": "e12", "to": "e7" } or { "from": "e12", "to": { "x": 40, "y": 300 } }',
  'ui.window': '{ "op": "activate", "target": "e1" } or { "op": "resize", "bounds": { "x": 0, "y": 0, "w": 800, "h": 600 } }',
  'desktop.launch': '{ "app": "mousepad", "args": ["notes.txt"] }',
  'desktop.close': '{ "app": "mousepad" }',
  'plan.rehearse': '{ "actions": [{ "tool": "ui.click", "args": { "target": "e12" } }] }',
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
