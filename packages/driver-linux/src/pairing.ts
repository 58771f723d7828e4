import { type Rect, intersect } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import type { MirrorNode } from './atspi/node.ts'
import { hasState } from './atspi/states.ts'
import type { Popup, TopWindow } from './display-server.ts'

/** Which accessible window is which X window, of one process each: by title and place, and where these are the same by what was seen of them before. */
export class Pairing {
  /** Pairs that could be no others when they were made. */
  readonly #proven = new Map<number, MirrorNode>()
  #last: ReadonlyMap<number, MirrorNode> = new Map()

  pair(windows: readonly TopWindow[], apps: readonly App[]): Map<number, MirrorNode> {
    const pairs = new Map<number, MirrorNode>()
    for (const app of apps) {
      const mine = windows.filter((w) => w.pid !== undefined && w.pid === app.identity.pid).toSorted((a, b) => a.id - b.id)
      this.#pairApp(mine, app.windows, pairs)
    }
    for (const [id, node] of this.#proven) if (pairs.get(id) !== node) this.#proven.delete(id)
    this.#last = pairs
    return pairs
  }

  #pairApp(windows: readonly TopWindow[], nodes: readonly MirrorNode[], pairs: Map<number, MirrorNode>): void {
    const taken = new Set<MirrorNode>()
    const take = (window: TopWindow, node: MirrorNode): void => {
      pairs.set(window.id, node)
      taken.add(node)
    }
    for (const window of windows) {
      const node = this.#proven.get(window.id)
      if (node !== undefined && nodes.includes(node) && likeness(window, node) > 0) take(window, node)
    }
    const open = { windows: windows.filter((w) => !pairs.has(w.id)), nodes: nodes.filter((n) => !taken.has(n)) }
    const active = { window: open.windows.find((w) => w.isActive), nodes: open.nodes.filter((n) => n.isShowing && hasState(n, 'active')) }
    const [only, ...others] = active.nodes
    // The one that has the keyboard is the one that says so, where the others look the same.
    if (active.window !== undefined && only !== undefined && others.length === 0 && likeness(active.window, only) >= 2) {
      take(active.window, only)
      if (windows.some((w) => w.id !== active.window?.id)) this.#proven.set(active.window.id, only)
    }
    const claims = open.windows.flatMap((window, w) =>
      open.nodes.map((node, n) => ({
        window,
        node,
        score: likeness(window, node),
        isOld: this.#last.get(window.id) === node,
        // Both are numbered in the order in which they were made.
        apart: Math.abs(w - n),
      })),
    )
    for (const { window, node, score } of claims.toSorted(
      (a, b) => b.score - a.score || Number(b.isOld) - Number(a.isOld) || a.apart - b.apart,
    )) {
      if (score === 0 || pairs.has(window.id) || taken.has(node)) continue
      take(window, node)
      const rivals = claims.filter((c) => c.score >= score && (c.window === window) !== (c.node === node))
      if (score === SURE && rivals.length === 0) this.#proven.set(window.id, node)
    }
  }
}

/** Gives each open popover of an application the place of the X window it shows in, found by its size. */
export function placePopovers(app: App, popups: readonly Popup[]): void {
  const free = popups.filter((p) => p.pid === app.identity.pid)
  for (const node of app.nodes.values()) {
    if (!node.isPopover) continue
    node.place = undefined
    const { area } = node
    if (area === undefined || !node.isShowing) continue
    const misfit = (p: Popup): number => Math.abs(p.bounds.w - area.w * app.scale) + Math.abs(p.bounds.h - area.h * app.scale)
    const best = free.filter((p) => misfit(p) < 80).sort((a, b) => misfit(a) - misfit(b))[0]
    if (best === undefined) continue
    node.place = best.bounds
    free.splice(free.indexOf(best), 1)
  }
}

const SURE = 3

/** 3: title and place agree. 2: one of them. 1: it is shown at all, and not elsewhere. Half: it is just being hidden, which the window manager is yet to tell. */
function likeness(window: TopWindow, node: MirrorNode): number {
  if (!node.isShowing) return window.title !== node.name ? 0 : window.isMinimized ? 2 : 0.5
  const title = window.title === node.name
  const isSized = node.app.isLocal && node.area?.w === window.bounds.w && node.area.h === window.bounds.h
  const place = isSized || (node.bounds !== undefined && (near(node.bounds, window.bounds) || near(node.bounds, window.outer)))
  if (title || place) return title && place ? 3 : 2
  return node.bounds === undefined || overlap(node.bounds, window.bounds) >= HALF ? 1 : 0
}

/** Chromium has windows for later that it says are shown, as flat as the list of addresses that they are for. */
const HALF = 0.5

/** How much of the larger of two lies in the other. */
function overlap(a: Rect, b: Rect): number {
  const part = intersect(a, b)
  return part === undefined ? 0 : (part.w * part.h) / Math.max(a.w * a.h, b.w * b.h)
}

const near = (a: Rect, b: Rect): boolean =>
  Math.abs(a.x - b.x) < 4 && Math.abs(a.y - b.y) < 4 && Math.abs(a.w - b.w) < 8 && Math.abs(a.h - b.h) < 8
