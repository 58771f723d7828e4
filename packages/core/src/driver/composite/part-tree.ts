import type { FlatNode } from '../../model/index.ts'

interface Entry {
  node: FlatNode
  children: Set<string>
}

/** What a composite has to remember of one driver's tree, under outer keys: all nodes, or only the windows where these are never left out. */
export class PartTree {
  readonly #keepsAll: boolean
  readonly #entries = new Map<string, Entry>()
  readonly #roots = new Set<string>()

  constructor(keepsAll: boolean) {
    this.#keepsAll = keepsAll
  }

  get windows(): FlatNode[] {
    return [...this.#roots].map((key) => this.#entries.get(key)!.node)
  }

  put(node: FlatNode): void {
    const { key, parent } = node
    const known = this.#entries.get(key)
    if (!this.#keepsAll && parent !== undefined) return known && this.remove(key)
    if (known !== undefined && known.node.parent !== parent) {
      // A node below itself would make every walk endless.
      if (parent !== undefined && this.#isInside(parent, key)) return
      this.#detach(known.node)
    }
    this.#entries.set(key, { node, children: known?.children ?? new Set() })
    if (parent === undefined) this.#roots.add(key)
    else this.#entries.get(parent)?.children.add(key)
  }

  remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#detach(entry.node)
    for (const gone of this.below(key)) this.#entries.delete(gone.key)
  }

  clear(): void {
    this.#entries.clear()
    this.#roots.clear()
  }

  isWindow(key: string): boolean {
    return this.#roots.has(key)
  }

  /** The window that a node lies in. Undefined for an unknown node, and for all but windows where only these are kept. */
  windowOf(key: string): string | undefined {
    for (let entry = this.#entries.get(key); entry !== undefined;) {
      const { parent } = entry.node
      if (parent === undefined) return entry.node.key
      entry = this.#entries.get(parent)
    }
    return undefined
  }

  /** A node and everything below it, parents first. */
  *below(key: string): Generator<FlatNode> {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    yield entry.node
    for (const child of entry.children) yield* this.below(child)
  }

  #isInside(key: string, ancestor: string): boolean {
    for (let at: string | undefined = key; at !== undefined; at = this.#entries.get(at)?.node.parent) if (at === ancestor) return true
    return false
  }

  #detach({ key, parent }: FlatNode): void {
    if (parent === undefined) this.#roots.delete(key)
    else this.#entries.get(parent)?.children.delete(key)
  }
}
