import type { Pixels } from '@deskhand/core/driver'
import { intersect, type Rect } from '@deskhand/core/model'

/** Paints over thin strips what lies beside them, on the side of the middle of the screen; black where that is not in the picture. */
export function erase(pixels: Pixels, strips: readonly Rect[], screen: { width: number; height: number }): void {
  const { words, width, height, origin } = pixels
  const frame = { ...origin, w: width, h: height }
  const at = (x: number, y: number): number => (y - origin.y) * width + x - origin.x
  // Columns last: at a corner they are beside a strip that is painted over by then.
  for (const strip of strips.toSorted((a, b) => Number(a.h > a.w) - Number(b.h > b.w))) {
    const part = intersect(strip, frame)
    if (part === undefined) continue
    if (strip.h > strip.w) {
      const from = strip.x < screen.width / 2 ? strip.x + strip.w : strip.x - 1
      const isThere = from >= frame.x && from < frame.x + frame.w
      for (let y = part.y; y < part.y + part.h; y++)
        words.fill(isThere ? (words[at(from, y)] ?? 0) : 0, at(part.x, y), at(part.x, y) + part.w)
    } else {
      const from = strip.y < screen.height / 2 ? strip.y + strip.h : strip.y - 1
      const isThere = from >= frame.y && from < frame.y + frame.h
      const beside = isThere ? words.slice(at(part.x, from), at(part.x, from) + part.w) : new Uint32Array(part.w)
      for (let y = part.y; y < part.y + part.h; y++) words.set(beside, at(part.x, y))
    }
  }
}
