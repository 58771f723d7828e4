import type { Completeness, NodeIndex, UiNode } from '../../model/index.ts'
import { Inherited } from '../../selector/index.ts'
import type { LiveNode } from './live-node.ts'
import type { LiveTree } from './live-tree.ts'
import type { Sight } from './see.ts'

/** What is hidden, each with everything below it. */
export interface Hidden {
  apps: ReadonlySet<string>
  places: ReadonlySet<UiNode>
}

/**
 * A tree without what is hidden, until the tree changes. Below a root that holds something hidden all nodes are copies, made when first
 * asked for, so that no link leads to what is hidden; everything else is the tree's own. Once the tree has changed, copies lead nowhere
 * new: what is hidden may have changed with it.
 */
export class FilteredTree implements Sight {
  readonly roots: readonly UiNode[]
  readonly completeness: Completeness
  readonly index: NodeIndex
  readonly #tree: LiveTree
  readonly #hidden: Hidden
  readonly #inside: Inherited<boolean>
  readonly #root = new Inherited<UiNode | undefined>((node) => (node.parent === undefined ? node : undefined), undefined)
  readonly #generation: number
  /** Whether a node can be hidden by what is around it; else its own application says all. */
  readonly #isNested: boolean
  readonly #copied = new Set<UiNode | undefined>()
  readonly #copies = new Map<UiNode, UiNode>()

  constructor(tree: LiveTree, hidden: Hidden) {
    this.#tree = tree
    this.#hidden = hidden
    this.#generation = tree.generation
    this.#inside = new Inherited<boolean>((node) => this.#hides(node) || undefined, false)
    this.#isNested = hidden.places.size + tree.embedded.size > 0
    for (const node of [...hidden.places, ...tree.embedded]) if (this.#hides(node)) this.#copied.add(this.#root.of(node))
    const { complete, reasons } = tree.completeness
    const told = reasons.filter((r) => r.app === undefined || !hidden.apps.has(r.app))
    this.completeness = { complete: complete || told.length === 0, reasons: told }
    this.roots = tree.roots.map((root) => this.#seen(root)).filter((root) => root !== undefined)
    this.index = {
      byRole: (role) => tree.index.byRole(role),
      byText: (text) => tree.index.byText(text),
      sort: (nodes: LiveNode[]) => tree.index.sort(nodes),
      seen: (node) => this.#seen(node),
    }
  }

  readonly see = (key: string | undefined): UiNode | undefined => {
    const node = key === undefined ? undefined : this.#tree.node(key)
    return node && this.#seen(node)
  }

  #seen(node: UiNode): UiNode | undefined {
    if (this.#isNested ? this.#inside.of(node) : this.#hides(node)) return undefined
    return this.#copied.size > 0 && this.#copied.has(this.#root.of(node)) ? this.#copy(node) : node
  }

  #hides(node: UiNode): boolean {
    return this.#hidden.apps.has(node.app.id) || this.#hidden.places.has(node)
  }

  #copy(node: UiNode): UiNode {
    const made = this.#copies.get(node)
    if (made !== undefined) return made
    const isCurrent = (): boolean => this.#tree.generation === this.#generation
    const above = (): UiNode | undefined => (node.parent && isCurrent() ? this.#copy(node.parent) : undefined)
    const below = (): UiNode[] => (isCurrent() ? node.children.filter((c) => !this.#hides(c)).map((c) => this.#copy(c)) : [])
    let parent: UiNode | undefined
    let children: UiNode[] | undefined
    const copy = {
      ...node,
      get parent() {
        return (parent ??= above())
      },
      get children() {
        return (children ??= below())
      },
    }
    this.#copies.set(node, copy)
    return copy
  }
}
