import type { NodeIndex, UiNode } from '../../model/index.ts'
import { STABLE_IDS, plain, preorder, roleOf } from '../../selector/index.ts'
import type { LiveNode } from './live-node.ts'

/** Longer texts are indexed by their beginning. */
const LONGEST = 256
/** Orders stay below this, where numbers are small integers. */
const HIGHEST = 2 ** 30
const DEEP = 64
const NONE: ReadonlySet<LiveNode> = new Set()

/** What a node is found by. */
interface Keys {
  role: string
  texts: string[]
}

/** The nodes of a tree by role, text and document order: made when first asked for, then kept up to date change by change. */
export class TreeIndex implements NodeIndex {
  readonly #roots: () => readonly LiveNode[]
  readonly #roles = new Map<string, Set<LiveNode>>()
  readonly #texts = new Map<string, LiveNode | Set<LiveNode>>()
  #size = 0
  #isMade = false
  /** Whether the orders are those of the tree as it is. */
  #isOrdered = false

  constructor(roots: () => readonly LiveNode[]) {
    this.#roots = roots
  }

  byRole(role: string): ReadonlySet<LiveNode> {
    this.#make()
    return this.#roles.get(role) ?? NONE
  }

  byText(text: string): ReadonlySet<LiveNode> | undefined {
    this.#make()
    const key = textKey(text)
    const found = this.#texts.get(key)
    if (found === undefined) return key === '' ? undefined : NONE
    return found instanceof Set ? found : new Set([found])
  }

  sort(nodes: LiveNode[]): void {
    if (nodes.length < 2) return
    if (!this.#isOrdered) this.#number()
    if (!isSorted(nodes)) nodes.sort((a, b) => a.order - b.order)
  }

  clear(): void {
    this.#roles.clear()
    this.#texts.clear()
    this.#size = 0
    this.#isMade = false
    this.#isOrdered = false
  }

  add(node: LiveNode): void {
    if (!this.#isMade) return
    this.#size++
    const { role, texts } = keysOf(node)
    this.#addRole(role, node)
    for (const text of texts) this.#addText(text, node)
  }

  remove(node: LiveNode): void {
    if (!this.#isMade) return
    this.#size--
    const { role, texts } = keysOf(node)
    this.#roles.get(role)?.delete(node)
    for (const text of texts) this.#removeText(text, node)
  }

  /** Runs a change of the node and finds it by its new role and texts from then on. */
  update(node: LiveNode, change: () => void): void {
    if (!this.#isMade) return change()
    const before = keysOf(node)
    change()
    const { role, texts } = keysOf(node)
    if (role !== before.role) {
      this.#roles.get(before.role)?.delete(node)
      this.#addRole(role, node)
    }
    for (const text of before.texts) if (!texts.includes(text)) this.#removeText(text, node)
    for (const text of texts) if (!before.texts.includes(text)) this.#addText(text, node)
  }

  /** The node was inserted at this place among its siblings, which are `siblings`. */
  insert(node: LiveNode, siblings: readonly LiveNode[], at: number): void {
    if (!this.#isOrdered) return
    const before = at > 0 ? lastOf(siblings[at - 1]) : node.parent
    const [from, to] = [before?.order ?? 0, before?.room ?? 0]
    const order = (from + to) >> 1
    // Everything is numbered anew, when next asked for, where there is no room or more than one node to number.
    if (before === undefined || order <= from || node.children.length > 0 || siblings[at] !== node) return void (this.#isOrdered = false)
    before.number(from, order)
    node.number(order, to)
  }

  /** Siblings were put into another order. */
  reordered(): void {
    this.#isOrdered = false
  }

  #make(): void {
    if (this.#isMade) return
    this.#isMade = true
    preorder(this.#roots(), (node) => this.add(node))
  }

  #number(): void {
    const gap = Math.max(1, Math.floor(HIGHEST / (this.#size + 1)))
    let order = 0
    preorder(this.#roots(), (node) => node.number((order += gap), order + gap))
    this.#isOrdered = true
  }

  #addRole(role: string, node: LiveNode): void {
    const nodes = this.#roles.get(role)
    if (nodes === undefined) this.#roles.set(role, new Set([node]))
    else nodes.add(node)
  }

  #addText(text: string, node: LiveNode): void {
    const found = this.#texts.get(text)
    // Most texts occur once, and a set for each of them would cost more than all nodes.
    if (found === undefined) this.#texts.set(text, node)
    else if (found instanceof Set) found.add(node)
    else this.#texts.set(text, new Set([found, node]))
  }

  #removeText(text: string, node: LiveNode): void {
    const found = this.#texts.get(text)
    if (found instanceof Set) found.delete(node)
    if (found === node || (found instanceof Set && found.size === 0)) this.#texts.delete(text)
  }
}

function keysOf(node: UiNode): Keys {
  const { name, value, platformIds } = node
  const texts: string[] = []
  if (name !== undefined) addKey(texts, name)
  if (value !== undefined) addKey(texts, value)
  if (platformIds !== undefined) for (const id of STABLE_IDS) if (platformIds[id] !== undefined) addKey(texts, platformIds[id])
  return { role: roleOf(node), texts }
}

function addKey(texts: string[], text: string): void {
  const key = textKey(text)
  if (key !== '' && !texts.includes(key)) texts.push(key)
}

/** Texts that are equal but for white space have the same key. */
function textKey(text: string): string {
  if (text.length <= LONGEST) return plain(text)
  // The beginning is enough, unless there is little but white space in it.
  const start = plain(text.slice(0, 4 * LONGEST))
  return (start.length >= LONGEST ? start : plain(text)).slice(0, LONGEST)
}

function isSorted(nodes: readonly LiveNode[]): boolean {
  let order = 0
  for (const node of nodes) {
    if (node.order < order) return false
    order = node.order
  }
  return true
}

/** The last node of the subtree; undefined when that is too deep to look for. */
function lastOf(node: LiveNode | undefined): LiveNode | undefined {
  let last = node
  for (let depth = 0; last !== undefined; depth++) {
    const child = last.children.at(-1)
    if (child === undefined) return last
    if (depth > DEEP) return undefined
    last = child
  }
  return undefined
}
