import { WINDOWS, type Region, type UiNode, type UiTree } from '../model/index.ts'
import { Inherited } from './inherited.ts'
import { labelOf } from './labels.ts'
import { labelsOf, namesFor } from './naming.ts'
import { preorder } from './preorder.ts'
import { regionNodes } from './regions.ts'

/** Whether a node passes, as it is in this look at its tree. */
export type Test = (node: UiNode, scene: Scene) => boolean

/** What lies below some nodes. */
export interface Scope {
  roots: readonly UiNode[]
  holds(node: UiNode): boolean
}

/** A tree, and what was recognised in its pixels, during one look at it. */
export class Scene {
  readonly tree: UiTree
  /** Recognised regions as nodes without children, each inside the smallest element around it. */
  readonly regions: readonly UiNode[]
  readonly #visible = new Inherited<boolean>((node) => node.states?.visible, true)
  readonly #window = new Inherited<UiNode | null>((node) => (WINDOWS.has(node.role) ? node : undefined), null)
  readonly #title = new Inherited<string>((node) => (WINDOWS.has(node.role) && node.name?.trim() ? node.name : undefined), '')

  readonly #names = new Map<UiNode, readonly string[]>()
  readonly #elements = new Map<string, UiNode | undefined>()
  readonly #element: (id: string) => UiNode | undefined

  constructor(tree: UiTree, { regions = [], element }: { regions?: readonly Region[]; element?: (id: string) => UiNode | undefined } = {}) {
    this.tree = tree
    this.#element = element ?? (() => undefined)
    this.regions = regions.length === 0 ? [] : regionNodes(regions, tree.roots)
  }

  /** A node that does not say whether it is visible is as visible as its parent. */
  visible(node: UiNode): boolean {
    return node.states?.visible ?? this.#visible.of(node.parent)
  }

  /** The element that an id stands for. */
  element(id: string): UiNode | undefined {
    if (!this.#elements.has(id)) this.#elements.set(id, this.#element(id))
    return this.#elements.get(id)
  }

  /** What a control without a name is known by. */
  namesFor(node: UiNode): readonly string[] {
    let names = this.#names.get(node)
    if (names === undefined) this.#names.set(node, (names = namesFor(node, (n) => this.visible(n))))
    return names
  }

  /** The label beside a control, in the spellings that it may be asked for. */
  labelsOf(node: UiNode): readonly string[] {
    return labelsOf(node, (n) => this.visible(n))
  }

  /** Whether a control has its name from one of these: what is beside a label is beside the label, not beside the field that it names. */
  isKnownBy(node: UiNode, others: readonly UiNode[]): boolean {
    if (node.name || this.namesFor(node).length === 0) return false
    const label = labelOf(node, (n) => this.visible(n))
    return others.some((other) => other === label || (other !== node && isInside(other, node)))
  }

  /** The nearest window around the node, or the node itself. */
  window(node: UiNode): UiNode | null {
    return this.#window.of(node)
  }

  /** The title of the nearest window that has one; empty when there is none. */
  title(node: UiNode): string {
    return this.#title.of(node)
  }

  /** `roots` in document order. */
  below(roots: readonly UiNode[]): Scope {
    const set = new Set(roots)
    const around = new Inherited<boolean>((node) => set.has(node) || undefined, false)
    return { roots, holds: (node) => around.of(node.parent) }
  }

  /** Visits every node of the scope once, in document order; without a scope, every node of the tree. */
  each(scope: Scope | undefined, visit: (node: UiNode) => void): void {
    if (!scope) return preorder(this.tree.roots, visit)
    for (const root of scope.roots) if (!scope.holds(root)) preorder(root.children, visit)
  }

  /** Whether so many nodes or more lie in the scope; counts no further. */
  isLarge(scope: Scope, many: number): boolean {
    const stack = [...scope.roots]
    let count = 0
    for (let node = stack.pop(); node !== undefined && count < many; node = stack.pop()) {
      count += node.children.length
      if (count < many) for (const child of node.children) stack.push(child)
    }
    return count >= many
  }
}

function isInside(node: UiNode, outer: UiNode): boolean {
  for (let n = node.parent; n !== undefined; n = n.parent) if (n === outer) return true
  return false
}
