import type { UiNode } from '../model/index.ts'
import type { IdKey } from './ast.ts'
import { roleOf } from './node-facts.ts'
import { preorder } from './preorder.ts'
import { plain } from './quote.ts'
import type { Scene } from './scene.ts'

type Places = Map<string, number[]>

/** A tree laid out in document order, and where in it a node, an id, a role or a role with a name occurs; indexed when first asked for. */
export class Positions {
  readonly nodes: UiNode[] = []
  readonly #everywhere: number[]
  readonly #names = new Map<string, Places>()
  readonly #ids = new Map<IdKey, Places>()
  #keys?: Places
  #roles?: Places
  #ends?: Int32Array

  readonly #scene: Scene

  constructor(scene: Scene) {
    const { tree } = (this.#scene = scene)
    preorder(tree.roots, (node) => this.nodes.push(node))
    this.#everywhere = this.nodes.map((_, i) => i)
  }

  of(node: UiNode): number | undefined {
    this.#keys ??= this.#index(this.#everywhere, (n) => [n.key])
    return this.#keys.get(node.key)?.[0]
  }

  byId(key: IdKey, id: string): readonly number[] {
    let ids = this.#ids.get(key)
    if (!ids) this.#ids.set(key, (ids = this.#index(this.#everywhere, (n) => [n.platformIds?.[key]])))
    return ids.get(id) ?? []
  }

  byRole(role: string): readonly number[] {
    this.#roles ??= this.#index(this.#everywhere, (n) => [roleOf(n)])
    return this.#roles.get(role) ?? []
  }

  /** The names of a node as `plain` reads them; none is the empty name, beside what it is known by for lack of one. */
  names(node: UiNode): string[] {
    const own = plain(node.name ?? '')
    return [...new Set([own, ...(own === '' ? this.#scene.namesFor(node).map(plain) : [])])]
  }

  /** By one of its names. */
  byName(role: string, name: string): readonly number[] {
    let names = this.#names.get(role)
    if (!names) this.#names.set(role, (names = this.#index(this.byRole(role), (n) => this.names(n))))
    return names.get(name) ?? []
  }

  /** Those of the places that lie below a node. */
  below(i: number, places: readonly number[]): readonly number[] {
    return places.slice(lowerBound(places, i + 1), lowerBound(places, this.#end(i) + 1))
  }

  /** The last node of the subtree. */
  #end(i: number): number {
    if (!this.#ends) {
      const ends = (this.#ends = Int32Array.from(this.#everywhere))
      for (const n of this.#everywhere.toReversed()) {
        const above = this.nodes[n]?.parent
        const p = above && this.of(above)
        if (p !== undefined) ends[p] = Math.max(ends[p] ?? 0, ends[n] ?? 0)
      }
    }
    return this.#ends[i] ?? i
  }

  #index(places: readonly number[], what: (node: UiNode) => (string | undefined)[]): Places {
    const index: Places = new Map()
    for (const i of places) {
      for (const key of what(this.nodes[i] as UiNode)) {
        if (key === undefined) continue
        const list = index.get(key)
        if (list) list.push(i)
        else index.set(key, [i])
      }
    }
    return index
  }
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
