import { INTERACTIVE, WINDOWS, type States, type UiNode } from '../../model/index.ts'
import { clip, labelOf, plain, roleOf, says } from '../../selector/index.ts'
import { unreadKind } from './unread.ts'

/** A node that is worth a line, with those below it. */
export interface Item {
  node: UiNode
  kind: 'control' | 'text' | 'context'
  /** Without its id. */
  line: string
  children: Item[]
  /** Items in the subtree, itself among them. */
  size: number
  /** By role: how many entries of a list are scrolled out of view. */
  unseen?: Map<string, number>
}

const TEXTS: ReadonlySet<string> = new Set(['label', 'heading', 'paragraph', 'statusbar', 'tooltip', 'progressbar'])
const FRAMES: ReadonlySet<string> = new Set(['list', 'listbox', 'tree', 'table', 'menu', 'radiogroup', 'form', 'row'])
const ENTRIES: ReadonlySet<string> = new Set(['listitem', 'option', 'treeitem', 'row', 'cell'])
const STRUCTURE: ReadonlySet<string> = new Set(['group', 'panel', 'scrollpane', 'unknown', 'application', 'tabpanel'])
const FIELDS: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch'])
const PRESS = /^(?:click|press|activate|toggle|open|jump|invoke)$/i
const MAX_LEVELS = 500
const MAX_MERGED = 6

/** What of the trees is useful: all that can be operated, the text around it, and what says where it is. `all`: everything visible. */
export function itemsOf(roots: readonly UiNode[], all = false): Item[] {
  return new OutlineBuilder(roots, all).items()
}

class OutlineBuilder {
  readonly #roots: readonly UiNode[]
  readonly #all: boolean
  readonly #hidden = new Set<UiNode>()
  readonly #labels = new Map<UiNode, UiNode>()
  readonly #used = new Set<UiNode>()

  constructor(roots: readonly UiNode[], all: boolean) {
    this.#roots = roots
    this.#all = all
  }

  items(): Item[] {
    for (const root of this.#roots) this.#survey(root, true, 0)
    const items: Item[] = []
    for (const root of this.#roots) this.#build(root, '', 0, items)
    return items
  }

  /** Finds out what is hidden and which label belongs to what, before anything is written. */
  #survey(node: UiNode, parentVisible: boolean, level: number): void {
    const visible = node.states?.visible ?? parentVisible
    if (!visible) this.#hidden.add(node)
    if (level >= MAX_LEVELS) return
    for (const child of node.children) this.#survey(child, visible, level + 1)
    for (const child of node.children) {
      const label = this.#hidden.has(child) ? undefined : labelOf(child, (n) => !this.#hidden.has(n))
      if (!label) continue
      this.#labels.set(child, label)
      this.#used.add(label)
    }
  }

  /** Adds the node's item, or what it holds where it is not worth one. */
  #build(node: UiNode, above: string, level: number, into: Item[]): void {
    const isRoot = level === 0
    const name = plain(node.name ?? '')
    const kind = this.#hidden.has(node) && !(isRoot && this.#all) ? undefined : this.#kind(node, name, isRoot)
    const isSaid = kind === 'text' && !this.#all && (this.#used.has(node) || (name !== '' && above.includes(name)))
    const isShown = kind !== undefined && !isSaid
    const children = isShown ? [] : into
    if (level < MAX_LEVELS) for (const child of node.children) this.#build(child, isShown && name ? name : above, level + 1, children)
    if (!isShown || (kind === 'context' && children.length === 0 && !this.#all && !WINDOWS.has(roleOf(node)))) return
    const isMerged = kind === 'control' && !name && !this.#labels.has(node) && isTextOnly(children)
    const names = name ? [name] : isMerged ? children.map((c) => plain(c.node.name ?? '')) : []
    const kept = isMerged ? [] : children
    const line = lineOf(node, names, this.#labels.get(node)?.name, isRoot && this.#hidden.has(node))
    into.push({ node, kind, line, children: kept, size: kept.reduce((sum, c) => sum + c.size, 1), unseen: this.#unseen(node) })
  }

  #kind(node: UiNode, name: string, isRoot: boolean): Item['kind'] | undefined {
    const { states, actions } = node
    const role = roleOf(node)
    if (unreadKind(node) !== undefined) return 'control'
    if (WINDOWS.has(role)) return 'context'
    if (INTERACTIVE.has(role) || states?.editable || (role === 'menu' && name) || actions?.some((a) => PRESS.test(a))) return 'control'
    if (TEXTS.has(role) && (name || node.value)) return 'text'
    if (FRAMES.has(role) || (name && node.children.length > 0 && role !== 'application')) return 'context'
    return (isRoot && (this.#all || role !== 'application')) || (this.#all && (name || !STRUCTURE.has(role))) ? 'context' : undefined
  }

  #unseen(node: UiNode): Map<string, number> | undefined {
    if (!FRAMES.has(roleOf(node)) || roleOf(node) === 'menu') return undefined
    const counts = new Map<string, number>()
    for (const child of node.children) {
      const role = roleOf(child)
      if (ENTRIES.has(role) && this.#hidden.has(child)) counts.set(role, (counts.get(role) ?? 0) + 1)
    }
    return counts.size > 0 ? counts : undefined
  }
}

const isTextOnly = (items: Item[]): boolean =>
  items.length > 0 && items.length <= MAX_MERGED && items.every((i) => i.kind === 'text' && i.node.name && i.children.length === 0)

/** The line of one element by itself. */
export function lineFor(node: UiNode): string {
  const label = labelOf(node, (n) => n.states?.visible !== false)
  return lineOf(node, plain(node.name ?? '') ? [plain(node.name ?? '')] : [], label?.name, node.states?.visible === false)
}

/** Role, name, value and states. Every text from the screen is quoted, so that it cannot pose as anything else. */
function lineOf(node: UiNode, names: string[], label: string | undefined, hidden: boolean): string {
  const unread = unreadOf(node)
  if (unread !== undefined) return unread
  const role = roleOf(node)
  const name = names[0] ?? ''
  let line: string = role
  for (const one of names) line += ` ${clip(one, names.length > 1 ? 60 : undefined)}`
  if (label && !says(name, label)) line += ` label ${clip(plain(label))}`
  const hint =
    name || label ? '' : plain(String(node.description ?? node.attributes?.['placeholder-text'] ?? node.attributes?.['placeholder'] ?? ''))
  if (hint) line += ` described ${clip(hint)}`
  // What has neither name nor text beside it is known by its place.
  else if (!name && !label && FIELDS.has(role) && node.bounds) line += ` at ${Math.round(node.bounds.x)},${Math.round(node.bounds.y)}`
  if (WINDOWS.has(role) && (!node.parent || node.parent.role === 'application')) line += ` app ${clip(node.app.name)}`
  return line + valueOf(node, name) + (hidden ? ' hidden' : '') + (node.states ? flagsOf(role, node.states) : '')
}

/** What is on the screen and in no tree: where it is, whose it is, and how it can be operated all the same. */
function unreadOf(node: UiNode): string | undefined {
  const unread = unreadKind(node)
  if (unread === undefined) return undefined
  const name = node.name ? ` ${clip(plain(node.name))}` : ''
  const place = node.bounds === undefined ? '' : ` at ${node.bounds.x},${node.bounds.y} ${node.bounds.w}x${node.bounds.h}`
  const flags = node.states ? flagsOf('window', node.states) : ''
  const what = unread === 'window' ? roleOf(node) : unread
  return `unread ${what}${name} app ${clip(node.app.name)}${place}${flags}: no tree, so take a picture; keys and click_xy reach it`
}

function flagsOf(role: string, states: States): string {
  let words = ''
  if (states.enabled === false) words += ' disabled'
  if (states.active) words += ' active'
  if (states.modal) words += ' modal'
  if (states.focused) words += ' focused'
  if (states.default) words += ' default'
  if (states.checked !== undefined) words += states.checked === 'mixed' ? ' mixed' : states.checked ? ' checked' : ' unchecked'
  if (states.pressed) words += ' pressed'
  if (states.selected) words += ' selected'
  if (states.expanded !== undefined) words += states.expanded ? ' expanded' : ' collapsed'
  if (states.editable === false && role === 'textbox') words += ' readonly'
  if (states.required) words += ' required'
  if (states.busy) words += ' busy'
  return words
}

function valueOf(node: UiNode, name: string): string {
  if (node.states?.password) return node.value ? ' password ••••' : node.value === '' ? ' password empty' : ' password'
  if (node.value === undefined || (name && node.value.length < 1000 && plain(node.value) === name)) return ''
  if (node.value === '') return node.states?.editable || roleOf(node) === 'textbox' ? ' empty' : ''
  const { valueMin: min, valueMax: max } = node.attributes ?? {}
  return ` value ${clip(node.value)}${min === undefined || max === undefined ? '' : ` of ${String(min)} to ${String(max)}`}`
}
