import { walk, type UiNode } from '../../model/index.ts'
import type { LiveTree } from './live-tree.ts'

/** Applications make these anew with every change of the selection, or of one that is in them; what is called the same does the same as before. */
const BARS = ['toolbar', 'tablist'] as const

const isBar = ({ role }: UiNode): boolean => BARS.some((one) => one === role)

/** What stands in toolbars and rows of tabs, by its window, its bar and what it is called there. */
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
    for (const node of walk(BARS.flatMap((role) => [...this.#tree.index.byRole(role)]))) {
      const place = placeOf(node)
      if (place !== undefined) this.#keys.set(place, this.#keys.has(place) ? undefined : node.key)
    }
  }
}

/** Whether a node is a toolbar, a row of tabs, or in one. */
export function isTool(node: UiNode): boolean {
  for (let at: UiNode | undefined = node; at !== undefined; at = at.parent) if (isBar(at)) return true
  return false
}

function placeOf(node: UiNode): string | undefined {
  const way: string[] = []
  let bar: UiNode | undefined = node
  for (; bar !== undefined && !isBar(bar); bar = bar.parent) way.unshift(bar.role, bar.name ?? '')
  if (bar === undefined) return undefined
  let top = bar
  while (top.parent !== undefined) top = top.parent
  return JSON.stringify([top.key, bar.name ?? '', ...way])
}
