import type { Action } from '../model/index.ts'

/** What of an action an agent may have copied from the screen. */
export function wordsOf(action: Action): string[] {
  const words: string[] = []
  if ('text' in action && action.text !== undefined) words.push(action.text)
  if ('target' in action && action.target !== undefined && 'selector' in action.target) words.push(action.target.selector)
  if (action.do === 'drag') for (const end of [action.from, action.to]) if ('selector' in end) words.push(end.selector)
  if (action.do === 'launch') words.push([action.app, ...action.args].join(' '))
  if (action.do === 'code' && action.code !== undefined) words.push(action.code)
  if (action.do === 'key') words.push(typedBy([action.keys].flat()))
  if (action.do === 'keys') words.push(typedBy(action.events.flatMap((e) => (e.type === 'down' ? e.key : []))))
  return words
}

/** Text that is pressed key by key is the same text. */
const typedBy = (keys: readonly string[]): string =>
  keys.map((key) => ([...key].length === 1 ? key : /^space$/i.test(key) ? ' ' : '\n')).join('')
