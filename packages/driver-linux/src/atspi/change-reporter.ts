import type { ChangeLog } from '@deskhand/core/driver'
import { inOrder, isOrdered } from './list-rows.ts'
import { type MirrorNode, flatten, isOpenWindow, takesContent, topOf } from './node.ts'

/** With more siblings out of place than this, readers are told to read them again. */
const MANY = 60

/** Puts into the log what readers do not know yet, each change once. */
export class ChangeReporter {
  readonly #log: ChangeLog
  readonly #touched = new Set<MirrorNode>()
  #scheduled = false

  constructor(log: ChangeLog) {
    this.#log = log
  }

  touch(node: MirrorNode): void {
    this.#touched.add(node)
    for (let n = node.parent, levels = 0; n !== undefined && levels < 3; n = n.parent, levels++) if (takesContent(n)) this.#touched.add(n)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.tell())
  }

  /** A node with everything below it, parents first. */
  touchAll(node: MirrorNode): void {
    this.touch(node)
    for (const child of node.children) this.touchAll(child)
  }

  /** The children of a node stand in another order, or their number changed. */
  reordered(parent: MirrorNode): void {
    const misplaced = inOrder(parent).filter((child, i) => child.told !== undefined && child.told.index !== i)
    if (misplaced.length <= MANY || parent.parent === undefined) for (const child of misplaced) this.touch(child)
    else {
      inOrder(parent).forEach((child, i) => {
        if (child.told !== undefined) child.told = flatten(child, i)
      })
      this.#log.add({ type: 'dirty', root: parent.key })
    }
  }

  gone(node: MirrorNode): void {
    this.#touched.delete(node)
    if (node.told !== undefined) this.#log.add({ type: 'gone', key: node.key })
    node.app.tellings++
    this.#forget(node)
  }

  /** Flattens what was touched and logs what is different from before. */
  tell(): void {
    this.#scheduled = false
    if (this.#touched.size === 0) return
    const places = new Map<MirrorNode, Map<MirrorNode, number>>()
    for (const parent of new Set([...this.#touched].map((n) => n.parent)))
      if (parent !== undefined && isOrdered(parent)) this.#touchMisplaced(parent)
    for (const node of this.#touched) this.#put(node, places)
    this.#touched.clear()
  }

  #touchMisplaced(parent: MirrorNode): void {
    inOrder(parent).forEach((child, i) => child.told !== undefined && child.told.index !== i && this.#touched.add(child))
  }

  #put(node: MirrorNode, places: Map<MirrorNode, Map<MirrorNode, number>>): void {
    const parent = node.parent
    if (parent === undefined || !node.isRead || node.app.nodes.get(node.path) !== node) return
    const window = topOf(node)
    if (window === undefined) return
    if (!isOpenWindow(window)) {
      if (window.told !== undefined) this.gone(window)
      return
    }
    if (window.told === undefined && window !== node) return this.#put(window, places)
    const isNew = node.told === undefined
    if (!node.isWindow && parent.told === undefined) {
      if (parent.parent === undefined) return
      this.#put(parent, places)
    }
    let indexes = places.get(parent)
    if (indexes === undefined) places.set(parent, (indexes = new Map(inOrder(parent).map((c, i) => [c, i]))))
    const flat = flatten(node, indexes.get(node) ?? 0)
    if (node.told !== undefined && isSame(node.told, flat)) return
    node.told = flat
    node.app.tellings++
    this.#log.add({ type: 'put', node: flat })
    if (isNew && node === window) for (const inner of node.children) this.#putAll(inner, places)
  }

  #putAll(node: MirrorNode, places: Map<MirrorNode, Map<MirrorNode, number>>): void {
    this.#put(node, places)
    for (const child of node.children) this.#putAll(child, places)
  }

  #forget(node: MirrorNode): void {
    node.told = undefined
    this.#touched.delete(node)
    for (const child of node.children) this.#forget(child)
  }
}

/** Compares plain values, absent fields and undefined ones alike. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [x, y] = [Object.entries(a), new Map(Object.entries(b))]
  for (const [key, value] of x) {
    if (!isSame(value, y.get(key))) return false
    y.delete(key)
  }
  return [...y.values()].every((v) => v === undefined)
}
