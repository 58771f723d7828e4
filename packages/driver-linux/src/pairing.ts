import type { Rect } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import type { MirrorNode } from './atspi/node.ts'
import type { Popup, TopWindow } from './x11/windows.ts'

/** Which accessible window is which X window: those of one process, by title first and then by place. */
export function pair(windows: readonly TopWindow[], apps: readonly App[]): Map<number, MirrorNode> {
  const pairs = new Map<number, MirrorNode>()
  const byPid = new Map<number, TopWindow[]>()
  for (const window of windows) {
    if (window.pid === undefined) continue
    const list = byPid.get(window.pid)
    if (list === undefined) byPid.set(window.pid, [window])
    else list.push(window)
  }
  for (const app of apps) {
    const mine = byPid.get(app.identity.pid ?? -1) ?? []
    const free = new Set(app.windows)
    for (const score of [3, 2, 1, 0.5]) {
      for (const window of mine) {
        if (pairs.has(window.id)) continue
        const node = [...free].find((n) => likeness(window, n) >= score)
        if (node === undefined) continue
        pairs.set(window.id, node)
        free.delete(node)
      }
    }
  }
  return pairs
}

/** Gives each open popover of an application the place of the X window it shows in, found by its size. */
export function placePopovers(app: App, popups: readonly Popup[]): void {
  const free = popups.filter((p) => p.pid === app.identity.pid)
  for (const node of app.nodes.values()) {
    if (!node.isPopover) continue
    node.place = undefined
    const { area } = node
    if (area === undefined || !node.isShowing) continue
    const misfit = (p: Popup): number => Math.abs(p.bounds.w - area.w) + Math.abs(p.bounds.h - area.h)
    const best = free.filter((p) => misfit(p) < 80).sort((a, b) => misfit(a) - misfit(b))[0]
    if (best === undefined) continue
    node.place = best.bounds
    free.splice(free.indexOf(best), 1)
  }
}

/** 3: title and place agree. 2: one of them. 1: it is shown at all. Half: it is just being hidden, which the window manager is yet to tell. */
function likeness(window: TopWindow, node: MirrorNode): number {
  if (!node.isShowing) return window.title !== node.name ? 0 : window.isMinimized ? 2 : 0.5
  const title = window.title === node.name
  const place = node.bounds !== undefined && (near(node.bounds, window.bounds) || near(node.bounds, window.outer))
  return title && place ? 3 : title || place ? 2 : 1
}

const near = (a: Rect, b: Rect): boolean =>
  Math.abs(a.x - b.x) < 4 && Math.abs(a.y - b.y) < 4 && Math.abs(a.w - b.w) < 8 && Math.abs(a.h - b.h) < 8
