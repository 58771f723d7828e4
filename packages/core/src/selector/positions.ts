import type { UiNode } from '../model/index.ts'
import type { IdKey } from './ast.ts'
import { roleOf, type Flat } from './flat.ts'
import { plain } from './quote.ts'

type Places = Map<string, number[]>

/** Where in a laid-out tree a node, an id, a role or a role with a name occurs, in document order; indexed when first asked for. */
export class Positions {
  readonly #flat: Flat
  readonly #everywhere: number[]
  readonly #names = new Map<string, Places>()
  readonly #ids = new Map<IdKey, Places>()
  #keys?: Places
  #roles?: Places

  constructor(flat: Flat) {
    this.#flat = flat
    this.#everywhere = flat.nodes.map((_, i) => i)
  }

  of(node: UiNode): number | undefined {
    this.#keys ??= this.#index(this.#everywhere, (n) => n.key)
    return this.#keys.get(node.key)?.[0]
  }

  byId(key: IdKey, id: string): readonly number[] {
    let ids = this.#ids.get(key)
    if (!ids) this.#ids.set(key, (ids = this.#index(this.#everywhere, (n) => n.platformIds?.[key])))
    return ids.get(id) ?? []
  }

  byRole(role: string): readonly number[] {
    this.#roles ??= this.#index(this.#everywhere, roleOf)
    return this.#roles.get(role) ?? []
  }

  /** The name as `plain` reads it; none is the empty name. */
  byName(role: string, name: string): readonly number[] {
    let names = this.#names.get(role)
    if (!names) this.#names.set(role, (names = this.#index(this.byRole(role), (n) => plain(n.name ?? ''))))
    return names.get(name) ?? []
  }

  /** Those of the places that lie below a node. */
  below(i: number, places: readonly number[]): readonly number[] {
    return places.slice(lowerBound(places, i + 1), lowerBound(places, this.#flat.end(i) + 1))
  }

  #index(places: readonly number[], what: (node: UiNode) => string | undefined): Places {
    const index: Places = new Map()
    for (const i of places) {
      const key = what(this.#flat.nodes[i] as UiNode)
      if (key === undefined) continue
      const list = index.get(key)
      if (list) list.push(i)
      else index.set(key, [i])
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
