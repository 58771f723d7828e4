import { createRedactor, PATTERNS } from '../journal/index.ts'
import { walk, type Rect, type UiNode, type UiTree } from '../model/index.ts'

/** Puts `[email]`, `[card]`, `[token]` in the place of what looks like one: for what a rule says must be redacted. */
export const { text: maskText, value: maskValue } = createRedactor({ patterns: PATTERNS })

/** Where such text is to be seen; of an element that does not tell its place, all of what it lies in. */
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
