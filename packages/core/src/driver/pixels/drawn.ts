import type { Rect } from '../../model/index.ts'
import type { Pixels } from './pixels.ts'

/** Colours that differ by less, over all three channels, are shades of one surface. */
const CONTRAST = 40

/**
 * Whether something is drawn in an area of a picture: it varies from left to right and from top to bottom. The edge of a frame and a shade
 * that runs one way are no more than a background.
 */
export function isDrawn({ words, width, height, origin }: Pixels, { x, y, w, h }: Rect): boolean {
  const left = Math.max(0, Math.floor(x - origin.x))
  const top = Math.max(0, Math.floor(y - origin.y))
  const right = Math.min(width, Math.ceil(x + w - origin.x))
  const bottom = Math.min(height, Math.ceil(y + h - origin.y))
  let [across, down] = [false, false]
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const word = words[row * width + column]!
      across ||= differs(word, words[row * width + left]!)
      down ||= differs(word, words[top * width + column]!)
      if (across && down) return true
    }
  }
  return false
}

function differs(a: number, b: number): boolean {
  if (((a ^ b) & 0xffffff) === 0) return false
  const by = (shift: number): number => Math.abs(((a >>> shift) & 0xff) - ((b >>> shift) & 0xff))
  return by(0) + by(8) + by(16) > CONTRAST
}
