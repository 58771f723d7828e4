import type { Point, Rect } from '../../model/index.ts'

/** A picture as 32-bit words, one per pixel in rows without padding, of which the lowest three bytes count. */
export interface Words {
  width: number
  height: number
  words: Uint32Array<ArrayBuffer>
  /** Which colour is in the lowest byte. */
  lowest: 'red' | 'blue'
}

/** A picture, and where it lies: desktop = origin + pixel / scale. */
export interface Pixels extends Words {
  origin: Point
  scale: number
}

const BLACK = 0xff000000

/** Blacks out an area of the desktop; a pixel that it only touches goes too, and an area that cannot be placed takes the whole picture. */
export function blacken({ words, width, height, origin, scale }: Pixels, { x, y, w, h }: Rect): void {
  const known = [x, y, w, h].every(Number.isFinite)
  const left = known ? Math.max(0, Math.floor((Math.min(x, x + w) - origin.x) * scale)) : 0
  const right = known ? Math.min(width, Math.ceil((Math.max(x, x + w) - origin.x) * scale)) : width
  const top = known ? Math.max(0, Math.floor((Math.min(y, y + h) - origin.y) * scale)) : 0
  const bottom = known ? Math.min(height, Math.ceil((Math.max(y, y + h) - origin.y) * scale)) : height
  for (let row = top; row < bottom && left < right; row++) words.fill(BLACK, row * width + left, row * width + right)
}

/** The same memory as RGBA bytes, opaque. */
export function toRgba({ words, lowest }: Words): Uint8Array<ArrayBuffer> {
  const pixels = new Int32Array(words.buffer, words.byteOffset, words.length)
  if (lowest === 'red') for (let i = 0; i < pixels.length; i++) pixels[i]! |= BLACK
  else
    for (let i = 0; i < pixels.length; i++) {
      const word = pixels[i]!
      pixels[i] = BLACK | (word & 0xff00) | ((word >>> 16) & 0xff) | ((word & 0xff) << 16)
    }
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
}
