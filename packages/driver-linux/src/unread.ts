import { type Rect, intersect, union } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import type { MirrorNode } from './atspi/node.ts'
import type { Popup } from './display-server.ts'

/** Smaller ones are carets, drag marks and the corners of other things. */
const MIN_SIDE = 12
/** A popup counts as read when so much of it is covered by what its application tells of it. */
const COVERED = 0.5

/** The popups of which no application tells what is in them. */
export function unreadPopups(popups: readonly Popup[], ofPid: (pid: number) => readonly App[]): Popup[] {
  return popups.filter(({ pid, bounds, isTip }) => {
    // A tooltip hides nothing that could be operated.
    if (isTip || bounds.w < MIN_SIDE || bounds.h < MIN_SIDE) return false
    return !ofPid(pid).some((app) => tellsOf(app, bounds))
  })
}

/** Whether an unmanaged window of an application lies where it says that it lies. */
export const isBacked = (node: MirrorNode, popups: readonly Popup[]): boolean =>
  node.bounds !== undefined && popups.some((p) => p.pid === node.app.identity.pid && share(p.bounds, node.bounds) >= COVERED)

function tellsOf(app: App, bounds: Rect): boolean {
  let told: Rect | undefined
  const visit = (node: MirrorNode, isLoose: boolean): boolean => {
    const loose = isLoose || node.opensElsewhere || (node.isWindow && !node.isManaged)
    // The place of such an entry is unknown, but the popup is the one it is in.
    if (loose && node.optionOf !== undefined && node.parent?.isShowing === true) return true
    const box = node.place ?? node.bounds
    if (isLoose && box !== undefined && node.isShowing) {
      const part = intersect(box, bounds)
      if (part !== undefined) told = told === undefined ? part : union(told, part)
      if (share(bounds, told) >= COVERED) return true
    }
    return node.children.some((child) => visit(child, loose))
  }
  return app.windows.some((window) => visit(window, !window.isManaged))
}

/** How much of the first lies in the second. */
function share(of: Rect, within: Rect | undefined): number {
  const part = within && intersect(of, within)
  return part === undefined ? 0 : (part.w * part.h) / (of.w * of.h)
}
