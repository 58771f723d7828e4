import type { ChangeLog } from '@deskhand/core/driver'
import type { App } from './app.ts'
import { inOrder, isOrdered } from './list-rows.ts'
import { showsContent } from './contents.ts'
import { type MirrorNode, flatten, isOpenWindow, topOf } from './node.ts'

/** With more siblings out of place than this, readers are told to read them again. */
const MANY = 60

/** So much of what a large application does not show is told at a time: what it shows must not wait for all of it. */
const AT_ONCE = 2_000
/** … with a pause in which everything else is served. */
const PAUSE_MS = 15

/** A text can be so far inside what is called after it: GTK 4 wraps what a drop-down list shows. */
const LEVELS = 8

/** Puts into the log what readers do not know yet, each change once. */
export class ChangeReporter {
  readonly #log: ChangeLog
  readonly #touched = new Set<MirrorNode>()
  readonly #onCaughtUp: () => void
  #scheduled = false
  /** Applications of which something out of view is still to be told. */
  #behind = new Set<App>()
  /** The children of lists as they stand, each put in order once while readers are told. */
  readonly #orders = new Map<MirrorNode, readonly MirrorNode[]>()

  constructor(log: ChangeLog, onCaughtUp: () => void) {
    this.#log = log
    this.#onCaughtUp = onCaughtUp
  }

  /** Whether something of an application is still to be told. */
  isBehind(app: App): boolean {
    return this.#behind.has(app)
  }

  touch(node: MirrorNode): void {
    this.#touched.add(node)
    for (let n = node.parent, levels = 0; n !== undefined && levels < LEVELS; n = n.parent, levels++)
      if (showsContent(n)) this.#touched.add(n)
    this.#tellSoon()
  }

  #tellSoon(): void {
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

  /** Flattens what was touched and logs what is different from before: all of it, but for what large applications do not show. */
  tell(): void {
    this.#scheduled = false
    if (this.#touched.size === 0) return
    for (const parent of new Set([...this.#touched].map((n) => n.parent)))
      if (parent !== undefined && isOrdered(parent)) this.#touchMisplaced(parent)
    const behind = new Set<App>()
    let held = 0
    for (const node of this.#touched) {
      if (node.app.isLarge && !isInView(node) && held++ >= AT_ONCE) behind.add(node.app)
      else {
        this.#touched.delete(node)
        this.#put(node)
      }
    }
    this.#orders.clear()
    const wasBehind = this.#behind.size > 0
    this.#behind = behind
    if (behind.size > 0) setTimeout(() => this.tell(), PAUSE_MS)
    else if (wasBehind) this.#onCaughtUp()
  }

  #touchMisplaced(parent: MirrorNode): void {
    inOrder(parent).forEach((child, i) => child.told !== undefined && child.told.index !== i && this.#touched.add(child))
  }

  #put(node: MirrorNode): void {
    const parent = node.parent
    if (parent === undefined || !node.isRead || node.app.nodes.get(node.path) !== node) return
    const window = topOf(node)
    if (window === undefined) return
    if (!isOpenWindow(window)) {
      if (window.told !== undefined) this.gone(window)
      return
    }
    if (window.told === undefined && window !== node) return this.#put(window)
    const isNew = node.told === undefined
    if (!node.isWindow && parent.told === undefined) {
      if (parent.parent === undefined) return
      this.#put(parent)
    }
    const flat = flatten(node, this.#placeOf(node, parent))
    if (node.told !== undefined && isSame(node.told, flat)) return
    node.told = flat
    node.app.tellings++
    this.#log.add({ type: 'put', node: flat })
    if (isNew && node === window) this.touchAll(node)
  }

  /** Where a node stands among its siblings, which are counted anew when it is not where it was. */
  #placeOf(node: MirrorNode, parent: MirrorNode): number {
    let siblings = this.#orders.get(parent)
    if (siblings === undefined) this.#orders.set(parent, (siblings = inOrder(parent)))
    if (siblings[node.slot] !== node) siblings.forEach((sibling, i) => (sibling.slot = i))
    return siblings[node.slot] === node ? node.slot : 0
  }

  #forget(node: MirrorNode): void {
    node.told = undefined
    this.#touched.delete(node)
    for (const child of node.children) this.#forget(child)
  }
}

/** It is shown, or readers think so. */
const isInView = (node: MirrorNode): boolean => node.isShown || node.told?.states?.visible === true

/** Compares plain values, absent fields and undefined ones alike. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>]
  for (const key in x) if (!isSame(x[key], y[key])) return false
  for (const key in y) if (y[key] !== undefined && x[key] === undefined) return false
  return true
}
