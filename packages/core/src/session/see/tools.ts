import { walk, type UiNode } from '../../model/index.ts'
import type { LiveTree } from './live-tree.ts'

/**
 * What stands in toolbars, by its window, its toolbar and what it is called there. Applications make a toolbar anew with every change of the
 * selection; the tools in it do the same as before.
 */
export class Tools {
  readonly #tree: LiveTree
  #generation = -1
  /** Undefined where two are called the same. */
  #keys = new Map<string, string | undefined>()

  constructor(tree: LiveTree) {
    this.#tree = tree
  }

  /** Where a node is among the tools; undefined for anything else, and where another one cannot be told from it. */
  placeOf(node: UiNode): string | undefined {
    const place = placeOf(node)
    return place !== undefined && this.keyAt(place) === node.key ? place : undefined
  }

  /** The node at a place now. */
  keyAt(place: string): string | undefined {
    if (this.#tree.generation !== this.#generation) this.#look()
    return this.#keys.get(place)
  }

  #look(): void {
    this.#generation = this.#tree.generation
    this.#keys = new Map()
    for (const node of walk([...this.#tree.index.byRole('toolbar')])) {
      const place = placeOf(node)
      if (place !== undefined) this.#keys.set(place, this.#keys.has(place) ? undefined : node.key)
    }
  }
}

/** Whether a node is a toolbar or in one. */
export function isTool(node: UiNode): boolean {
  for (let at: UiNode | undefined = node; at !== undefined; at = at.parent) if (at.role === 'toolbar') return true
  return false
}

function placeOf(node: UiNode): string | undefined {
  const way: string[] = []
  let bar: UiNode | undefined = node
  for (; bar !== undefined && bar.role !== 'toolbar'; bar = bar.parent) way.unshift(bar.role, bar.name ?? '')
  if (bar === undefined) return undefined
  let top = bar
  while (top.parent !== undefined) top = top.parent
  return JSON.stringify([top.key, bar.name ?? '', ...way])
}
