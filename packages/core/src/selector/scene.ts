import { WINDOWS, type Region, type UiNode, type UiTree } from '../model/index.ts'
import { Inherited } from './inherited.ts'
import { preorder } from './preorder.ts'
import { regionNodes } from './regions.ts'

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

  constructor(tree: UiTree, regions: readonly Region[] = []) {
    this.tree = tree
    this.regions = regions.length === 0 ? [] : regionNodes(regions, tree.roots)
  }

  /** A node that does not say whether it is visible is as visible as its parent. */
  visible(node: UiNode): boolean {
    return node.states?.visible ?? this.#visible.of(node.parent)
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
