import type { UiNode } from '../../model/index.ts'
import { matchColumns } from './column-matching.ts'
import type { LiveTree } from './live-tree.ts'
import { matchRows, type SeenRow } from './row-matching.ts'
import { Tools } from './tools.ts'
import { follow, holderOf, rowsOf, wayTo, type Row } from './rows.ts'

/** What an id stands for: a node, or a place in an entry of a list. */
interface Thing {
  id: string
  /** The node it is now; none once it is gone. */
  key?: string
  role: string
  entry?: { holder: string; row: string; way: readonly number[] }
  /** Where it stands among the tools of its window. */
  place?: string
}

/** A list with entries that ids stand for. */
interface Holder {
  rows: Map<string, SeenRow>
  things: Set<Thing>
}

/** So many things that are gone are remembered, to say so. */
const KEPT_DEAD = 5_000

/**
 * Short ids for things, never given twice. Toolkits show another entry of a list in the node of the one before, and the same entry in a
 * new node: an entry is known by what it shows and by its neighbours.
 */
export class Identities {
  readonly #tree: LiveTree
  readonly #lives: (key: string) => boolean
  readonly #things = new Map<string, Thing>()
  readonly #byKey = new Map<string, Thing>()
  readonly #holders = new Map<string, Holder>()
  readonly #dead = new Set<string>()
  readonly #tools: Tools
  readonly #byPlace = new Map<string, Thing>()
  #generation = -1
  #next = 1

  constructor(tree: LiveTree, lives: (key: string) => boolean = () => false) {
    this.#tree = tree
    this.#lives = lives
    this.#tools = new Tools(tree)
  }

  /** The id of what a node shows now. */
  id(node: UiNode): string {
    const known = this.known(node)
    if (known !== undefined) return known
    const live = this.#tree.node(node.key)
    const thing: Thing = { id: `e${this.#next++}`, key: node.key, role: node.role }
    this.#things.set(thing.id, thing)
    this.#byKey.set(node.key, thing)
    this.#enter(thing, live)
    const place = live === undefined || thing.entry !== undefined ? undefined : this.#tools.placeOf(live)
    if (place !== undefined) this.#byPlace.set((thing.place = place), thing)
    return thing.id
  }

  /** The id of what a node shows now, if it has one. */
  known(node: UiNode): string | undefined {
    this.#follow()
    const own = this.#byKey.get(node.key)
    if (own !== undefined) return own.id
    const live = this.#byPlace.size === 0 ? undefined : this.#tree.node(node.key)
    const place = live && this.#tools.placeOf(live)
    const thing = place === undefined ? undefined : this.#byPlace.get(place)
    return thing !== undefined && this.#keyOf(thing) === node.key ? thing.id : undefined
  }

  /** The node that an id stands for now; undefined when it is gone. */
  key(id: string): string | undefined {
    this.#follow()
    const thing = this.#things.get(id)
    return thing && this.#keyOf(thing)
  }

  /** The node of a thing; a tool whose node is gone is the one that stands in its place now. */
  #keyOf(thing: Thing): string | undefined {
    const { key, place } = thing
    if (place === undefined || (key !== undefined && this.#tree.node(key) !== undefined)) return key
    const next = this.#tools.keyAt(place)
    if (next === undefined || this.#byKey.has(next)) return key
    if (key !== undefined && this.#byKey.get(key) === thing) this.#byKey.delete(key)
    this.#byKey.set(next, thing)
    this.#dead.delete(thing.id)
    thing.key = next
    return next
  }

  /** Forgets what is gone, so that a long session does not grow. */
  prune(): string[] {
    this.#follow()
    for (const [key, thing] of this.#byKey) if (this.#tree.node(key) === undefined && !this.#lives(key)) this.#bury(thing)
    const over = [...this.#dead].slice(0, Math.max(0, this.#dead.size - KEPT_DEAD))
    for (const id of over) {
      this.#dead.delete(id)
      const { place } = this.#things.get(id) ?? {}
      if (place !== undefined) this.#byPlace.delete(place)
      this.#things.delete(id)
    }
    return over
  }

  #enter(thing: Thing, node: UiNode | undefined): void {
    const at = node && holderOf(node)
    if (node === undefined || at === undefined) return
    let holder = this.#holders.get(at.key)
    if (holder === undefined) this.#holders.set(at.key, (holder = { rows: seenRows(rowsOf(at)), things: new Set() }))
    const row = rowAround(node, at, holder.rows)
    const way = row && wayTo(row, node)
    if (row === undefined || way === undefined) return
    thing.entry = { holder: at.key, row: row.key, way }
    holder.things.add(thing)
  }

  /** Lets every id go with the entry it stands for. */
  #follow(): void {
    if (this.#tree.generation === this.#generation) return
    this.#generation = this.#tree.generation
    for (const [key, holder] of this.#holders) {
      const node = this.#tree.node(key)
      if (node === undefined) {
        for (const thing of holder.things) this.#bury(thing)
        this.#holders.delete(key)
      } else this.#followIn(holder, seenRows(rowsOf(node)))
    }
  }

  #followIn(holder: Holder, now: Map<string, SeenRow>): void {
    const matched = matchRows(holder.rows, now)
    const columns = matchColumns(holder.rows, matched)
    const moved: Thing[] = []
    for (const thing of holder.things) {
      const { entry } = thing
      if (entry === undefined) continue
      const row = matched.get(entry.row)
      const [first = -1, ...rest] = entry.way
      const way = [columns(first) ?? -1, ...rest]
      const node = row && follow(row, way)
      if (row === undefined || node?.role !== thing.role) {
        this.#bury(thing)
        continue
      }
      if (node.key !== thing.key) {
        if (thing.key !== undefined && this.#byKey.get(thing.key) === thing) this.#byKey.delete(thing.key)
        thing.key = node.key
        moved.push(thing)
      }
      thing.entry = { ...entry, row: row.key, way }
    }
    for (const thing of moved) if (thing.key !== undefined) this.#byKey.set(thing.key, thing)
    holder.rows = now
  }

  #bury(thing: Thing): void {
    if (thing.key !== undefined && this.#byKey.get(thing.key) === thing) this.#byKey.delete(thing.key)
    if (thing.entry !== undefined) this.#holders.get(thing.entry.holder)?.things.delete(thing)
    thing.key = undefined
    thing.entry = undefined
    this.#dead.add(thing.id)
  }
}

/** The row that something in a list belongs to. */
function rowAround(node: UiNode, holder: UiNode, rows: ReadonlyMap<string, SeenRow>): SeenRow | undefined {
  let child = node
  while (child.parent !== undefined && child.parent.key !== holder.key) child = child.parent
  const own = rows.get(child.key)
  if (own !== undefined) return own
  for (const row of rows.values()) if (row.cells.some((cell) => cell.key === child.key)) return row
  return undefined
}

function seenRows(rows: readonly Row[]): Map<string, SeenRow> {
  return new Map(rows.map((row, i) => [row.key, { ...row, before: rows[i - 1], after: rows[i + 1] }]))
}
