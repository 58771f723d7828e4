import { PATTERNS } from './patterns.ts'
import { createRedactor } from './redactor.ts'
import { walk, type Rect, type UiNode, type UiTree } from '../model/index.ts'

/** Replaces what looks like an email, card or token by `[email]`, `[card]`, `[token]`, where a rule asks for redaction. */
export const { text: maskText, value: maskValue } = createRedactor({ patterns: PATTERNS })

/** The bounds of elements with such text; for an element without bounds, those of its nearest ancestor that has some. */
export function maskedAreas(tree: UiTree): Rect[] {
  const areas: Rect[] = []
  for (const node of walk(tree.roots)) {
    if (node.states?.visible === false || ![node.name, node.value, node.description].some(telling)) continue
    const place = placed(node)
    if (place !== undefined) areas.push(place)
  }
  return areas
}

const telling = (text: string | undefined): boolean => text !== undefined && maskText(text) !== text

function placed(node: UiNode): Rect | undefined {
  let at: UiNode | undefined = node
  while (at !== undefined && at.bounds === undefined) at = at.parent
  return at?.bounds
}
