import type { FlatNode, Rect } from '../../model/index.ts'

/** A window of one driver, with the process that it belongs to. */
export interface OwnedWindow {
  node: FlatNode
  pid: number | undefined
}

/** A window that a less preferred driver shows too, and the window that is shown instead, by key. */
export type WindowPairs = ReadonlyMap<string, string>

/** Drivers report a move at different times, and count borders differently. */
const NEAR = 8
/** A pair that stood before counts for more than a mere likeness, and for less than a certain one. */
const STOOD = 1.5

/**
 * Which windows are left out because a preferred driver shows the same one: of the same process, with the same native id, or
 * at the same place with the same title; at the same place alone where each driver has only one such window. One window hides at most one
 * of each other driver.
 */
export function pairWindows(drivers: readonly (readonly OwnedWindow[])[], before: WindowPairs): WindowPairs {
  const pairs = new Map<string, string>()
  for (const [rank, later] of drivers.entries()) {
    const shown = drivers.slice(0, rank).flatMap((windows) => windows.filter((w) => !pairs.has(w.node.key)))
    const candidates = later.flatMap((hidden) =>
      shown.flatMap((instead) => {
        const likeness = likenessOf(hidden, instead, later, shown)
        const score = before.get(hidden.node.key) === instead.node.key && samePid(hidden, instead) ? Math.max(likeness, STOOD) : likeness
        return score > 0 ? [{ hidden: hidden.node.key, instead: instead.node.key, score }] : []
      }),
    )
    const taken = new Set<string>()
    for (const { hidden, instead } of candidates.sort((a, b) => b.score - a.score)) {
      if (pairs.has(hidden) || taken.has(instead)) continue
      pairs.set(hidden, instead)
      taken.add(instead)
    }
  }
  return pairs
}

/** 3: the same native id. 2: place and title agree. 1: one of them does, and no other window could be meant. 0: another window. */
function likenessOf(a: OwnedWindow, b: OwnedWindow, as: readonly OwnedWindow[], bs: readonly OwnedWindow[]): number {
  if (!samePid(a, b)) return 0
  const [one, other] = [a.node.platformIds?.windowHandle, b.node.platformIds?.windowHandle]
  if (one !== undefined && other !== undefined) return one === other ? 3 : 0
  const place = samePlace(a, b)
  const title = a.node.name === b.node.name
  if (place && title) return 2
  if (place) return isOnly(a, as, samePlace) && isOnly(b, bs, samePlace) ? 1 : 0
  const isPlaced = a.node.bounds !== undefined && b.node.bounds !== undefined
  return title && !isPlaced && isOnly(a, as, sameTitle) && isOnly(b, bs, sameTitle) ? 1 : 0
}

const samePid = (a: OwnedWindow, b: OwnedWindow): boolean => a.pid !== undefined && a.pid === b.pid
const sameTitle = (a: OwnedWindow, b: OwnedWindow): boolean => a.node.name === b.node.name
const samePlace = ({ node: a }: OwnedWindow, { node: b }: OwnedWindow): boolean =>
  a.bounds === undefined || b.bounds === undefined ? a.bounds === b.bounds : isNear(a.bounds, b.bounds)

const isOnly = (w: OwnedWindow, among: readonly OwnedWindow[], same: (a: OwnedWindow, b: OwnedWindow) => boolean): boolean =>
  among.every((o) => o === w || !samePid(o, w) || !same(o, w))

const isNear = (a: Rect, b: Rect): boolean =>
  Math.abs(a.x - b.x) <= NEAR && Math.abs(a.y - b.y) <= NEAR && Math.abs(a.w - b.w) <= NEAR && Math.abs(a.h - b.h) <= NEAR
