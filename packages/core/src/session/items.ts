import { INTERACTIVE, WINDOWS, type UiNode } from '../model/index.ts'
import { clip, plain, roleOf } from '../selector/index.ts'
import { labelOf, says } from './labels.ts'

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
const PRESS = /^(?:click|press|activate|toggle|open|jump|invoke)$/i
const MAX_LEVELS = 500
const MAX_MERGED = 6

/** What of the trees is useful: all that can be operated, the text around it, and what says where it is. `all`: everything visible. */
export function itemsOf(roots: readonly UiNode[], all = false): Item[] {
  return new Sorter(roots, all).items()
}

class Sorter {
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
    return this.#roots.flatMap((root) => this.#sort(root, '', 0))
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

  #sort(node: UiNode, above: string, level: number): Item[] {
    const isRoot = level === 0
    const name = plain(node.name ?? '')
    const kind = this.#kind(node, name, isRoot)
    const children = level >= MAX_LEVELS ? [] : node.children.flatMap((child) => this.#sort(child, kind && name ? name : above, level + 1))
    if (!kind || (this.#hidden.has(node) && !(isRoot && this.#all))) return children
    if (kind === 'text' && !this.#all && (this.#used.has(node) || (name !== '' && above.includes(name)))) return children
    if (kind === 'context' && !this.#all && children.length === 0 && !WINDOWS.has(roleOf(node))) return []
    const merged = kind === 'control' && !name && !this.#labels.has(node) && isTextOnly(children) ? children : []
    const names = name ? [name] : merged.map((m) => plain(m.node.name ?? ''))
    const kept = merged.length > 0 ? [] : children
    const line = lineOf(node, names, this.#labels.get(node)?.name, isRoot && this.#hidden.has(node))
    return [{ node, kind, line, children: kept, size: kept.reduce((sum, c) => sum + c.size, 1), unseen: this.#unseen(node) }]
  }

  #kind(node: UiNode, name: string, isRoot: boolean): Item['kind'] | undefined {
    const { states, actions } = node
    const role = roleOf(node)
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

const isTextOnly = (items: Item[]): boolean => items.length > 0 && items.length <= MAX_MERGED && items.every((i) => i.kind === 'text' && i.node.name && i.children.length === 0)

/** Role, name, value and states. Every text from the screen is quoted, so that it cannot pose as anything else. */
function lineOf(node: UiNode, names: string[], label: string | undefined, hidden: boolean): string {
  const { states = {}, app, attributes } = node
  const role = roleOf(node)
  const parts: string[] = [role, ...names.map((n) => clip(n, names.length > 1 ? 60 : undefined))]
  const name = names[0] ?? ''
  if (label && !says(name, label)) parts.push(`label ${clip(plain(label))}`)
  const hint = node.description ?? attributes?.['placeholder-text'] ?? attributes?.['placeholder']
  if (!name && !label && hint && plain(String(hint))) parts.push(`described ${clip(plain(String(hint)))}`)
  if (WINDOWS.has(role) && (!node.parent || node.parent.role === 'application')) parts.push(`app ${clip(app.name)}`)
  parts.push(...valueOf(node, name))
  const flags: [boolean | undefined, string][] = [
    [hidden, 'hidden'],
    [states.enabled === false, 'disabled'],
    [states.active, 'active'],
    [states.modal, 'modal'],
    [states.focused, 'focused'],
    [states.checked === true, 'checked'],
    [states.checked === false, 'unchecked'],
    [states.checked === 'mixed', 'mixed'],
    [states.pressed, 'pressed'],
    [states.selected, 'selected'],
    [states.expanded === true, 'expanded'],
    [states.expanded === false, 'collapsed'],
    [role === 'textbox' && states.editable === false, 'readonly'],
    [states.required, 'required'],
    [states.busy, 'busy'],
  ]
  return [...parts, ...flags.filter(([on]) => on).map(([, word]) => word)].join(' ')
}

function valueOf(node: UiNode, name: string): string[] {
  if (node.states?.password) return ['password', node.value ? '••••' : 'empty']
  if (node.value === undefined || (name && node.value.length < 1000 && plain(node.value) === name)) return []
  if (node.value === '') return node.states?.editable || roleOf(node) === 'textbox' ? ['empty'] : []
  return [`value ${clip(node.value)}`]
}
