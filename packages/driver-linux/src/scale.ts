import type { Rect } from '@deskhand/core/model'
import type { MirrorNode } from './atspi/node.ts'
import type { TopWindow } from './display-server.ts'

/** Toolkits round the size of a window to their own pixels. */
const ROUNDING = 3
/** Smaller differences are shadows and borders. */
const LEAST = 1.2
const MOST = 4
/** So wide may be the shadow that GTK 4 draws around a window, on both sides together. */
const SHADOW = 120

/** How many pixels of the screen one of an application's own is, by the size of one of its windows; undefined where that does not tell. */
export function scaleBy(node: MirrorNode, { bounds, outer }: TopWindow): number | undefined {
  // GTK 3 tells the size of a window with its frame.
  return node.app.toolkit.isRelative ? wholeScale(node, bounds) : (anyScale(node, bounds) ?? anyScale(node, outer))
}

function anyScale({ bounds, app }: MirrorNode, window: Rect): number | undefined {
  if (bounds === undefined) return undefined
  const [w, h] = [bounds.w / app.scale, bounds.h / app.scale]
  const scale = window.w / w
  if (Math.abs(window.w - w) <= ROUNDING && Math.abs(window.h - h) <= ROUNDING) return 1
  if (scale < LEAST || scale > MOST || Math.abs(window.h - h * scale) > ROUNDING * scale) return undefined
  // Fractions of an eighth are the finest that a toolkit offers.
  return Math.round(scale * 8) / 8
}

/** GTK 4 knows whole numbers only, and its windows are larger than they say by a shadow that is as wide as it is high. */
function wholeScale({ area }: MirrorNode, window: Rect): number | undefined {
  if (area === undefined || area.w <= 0 || area.h <= 0) return undefined
  const fits = [1, 2, 3, MOST].filter((s) => {
    const [dx, dy] = [window.w - area.w * s, window.h - area.h * s]
    return dx >= -ROUNDING && dy >= -ROUNDING && dx <= SHADOW * s && Math.abs(dx - dy) <= ROUNDING * s
  })
  return fits.at(-1)
}
