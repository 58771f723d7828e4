import { PATTERNS } from './patterns.ts'
import { createRedactor, type Redactor } from './redactor.ts'
import { walk, type PrivateSpec, type Rect, type UiNode, type UiTree } from '../model/index.ts'

/** Replaces what looks private by its kind, as in `[email]`, `[card]`, `[token]`. */
export type PrivateText = Pick<Redactor, 'text' | 'value'>

const made = new WeakMap<PrivateSpec, PrivateText>()

/** What a policy counts as private, where one of its rules asks for redaction. The operator's own kinds come first. */
export function privateText(spec: PrivateSpec): PrivateText {
  const known = made.get(spec)
  if (known !== undefined) return known
  const own = Object.entries(spec.own).map(([name, pattern]) => ({ name, pattern }))
  const { text, value } = createRedactor({ patterns: [...own, ...PATTERNS.filter(({ name }) => spec.kinds?.includes(name) ?? true)] })
  made.set(spec, { text, value })
  return { text, value }
}

/** The bounds of elements with such text; for an element without bounds, those of its nearest ancestor that has some. */
export function maskedAreas(tree: UiTree, { text: mask }: PrivateText): Rect[] {
  const areas: Rect[] = []
  for (const node of walk(tree.roots)) {
    const isTelling = [node.name, node.value, node.description].some((text) => text !== undefined && mask(text) !== text)
    if (node.states?.visible === false || !isTelling) continue
    const place = placed(node)
    if (place !== undefined) areas.push(place)
  }
  return areas
}

function placed(node: UiNode): Rect | undefined {
  let at: UiNode | undefined = node
  while (at !== undefined && at.bounds === undefined) at = at.parent
  return at?.bounds
}
