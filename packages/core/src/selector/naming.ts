import { INTERACTIVE, type UiNode } from '../model/index.ts'
import { labelOf, LABELLED, NEIGHBOURS, textsOfChoice, WRAPPER, WRAPPERS } from './labels.ts'
import { roleOf } from './node-facts.ts'
import { plain } from './quote.ts'

const TEXTS: ReadonlySet<string> = new Set(['label', 'heading', 'paragraph'])
/** What applications end labels with and callers leave out: `Name:` is the label of the field "Name". */
const ENDS = ['', ':', ' :', '*', ' *', '…', '...', ':*', ': *', '*:', ' *:']
/** How many texts a control may show and still be known by each of them. */
const MAX_TEXTS = 6
const MAX_VISITED = 40

type Seen = (node: UiNode) => boolean

/** Text that says something about others. */
export const isText = (node: UiNode): boolean => TEXTS.has(roleOf(node))

export const canHaveLabel = (node: UiNode): boolean => LABELLED.has(roleOf(node))

/** The label of a control as it stands there, and as a person would say it. */
export function labelsOf(node: UiNode, isVisible: Seen): string[] {
  const label = canHaveLabel(node) ? plain(labelOf(node, seenFrom(node, isVisible))?.name ?? '') : ''
  if (label === '') return []
  return [
    label,
    ...ENDS.filter((end) => end !== '' && label.length > end.length && label.endsWith(end)).map((end) => label.slice(0, -end.length)),
  ]
}

/** What a control without a name is known by: the label beside it, or the few texts that it shows. */
export function namesFor(node: UiNode, isVisible: Seen): string[] {
  if (!INTERACTIVE.has(roleOf(node))) return []
  const labels = labelsOf(node, isVisible)
  return labels.length > 0 ? labels : textsInside(node, seenFrom(node, isVisible))
}

/** Every node that may be known by this text though it is not its own name; `byText` finds nodes by name or value. */
export function* knownBy(text: string, byText: (text: string) => ReadonlySet<UiNode> | undefined): Generator<UiNode> {
  for (const spelling of spellingsOf(text)) {
    for (const label of byText(spelling) ?? []) {
      yield* besideLabel(label)
      if (spelling === text) yield* around(label)
    }
  }
}

/** A text as labels may spell it, itself first. Agents ask for the same names over and over, and a map finds a string that it has seen faster. */
function spellingsOf(text: string): readonly string[] {
  let known = spellings.get(text)
  if (known !== undefined) return known
  if (spellings.size >= MOST_SPELLINGS) spellings.clear()
  spellings.set(text, (known = ENDS.map((end) => text + end)))
  return known
}

const spellings = new Map<string, readonly string[]>()
const MOST_SPELLINGS = 1_000

/** Of something that is hidden itself all parts count: it may be scrolled out of view. */
const seenFrom = (node: UiNode, isVisible: Seen): Seen => (isVisible(node) ? isVisible : () => true)

function textsInside(node: UiNode, isVisible: Seen): string[] {
  const texts: string[] = []
  let visited = 0
  const isTextOnly = (parent: UiNode): boolean => {
    for (const child of parent.children) {
      if (++visited > MAX_VISITED) return false
      if (!isVisible(child)) continue
      if (INTERACTIVE.has(roleOf(child))) return false
      const name = isText(child) ? plain(child.name ?? '') : ''
      if (name !== '' && texts.push(name) > MAX_TEXTS) return false
      if (name === '' && !isTextOnly(child)) return false
    }
    return true
  }
  return isTextOnly(node) ? texts : []
}

function* besideLabel(label: UiNode): Generator<UiNode> {
  if (WRAPPER.has(roleOf(label))) yield* textsOfChoice(label)
  if (roleOf(label) !== 'label') return
  const siblings = label.parent?.children ?? []
  const at = siblings.indexOf(label)
  for (const near of siblings.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1)) yield* down(near, WRAPPERS)
}

function* down(node: UiNode, levels: number): Generator<UiNode> {
  if (LABELLED.has(roleOf(node))) yield node
  else if (levels > 0) for (const child of node.children) yield* down(child, levels - 1)
}

function* around(text: UiNode): Generator<UiNode> {
  if (!isText(text)) return
  let node = text.parent
  for (let level = 0; node !== undefined && level < MAX_VISITED; level++, node = node.parent)
    if (INTERACTIVE.has(roleOf(node))) return void (yield node)
}
