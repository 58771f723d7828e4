import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import type { Words } from './pixels.ts'

const compress = promisify(deflate)
/** The PNG filter by which a row is written as its difference from the one above. */
const UP = 2
/** Differences of noise have no long copies in them; looking for runs alone takes half the time. In what is less noisy there are some. */
const NOISE = 0.9
/** Every piece of output is a way to another thread and back. */
const PIECE = 1 << 20

/** The rows of a PNG in truecolour as a zlib stream, made by another thread. For pictures with shades or noise in them. */
export function deflateNoisy({ width, height, words, lowest }: Words, unlike: number): Promise<Uint8Array> {
  const [red, blue] = lowest === 'red' ? [0, 16] : [16, 0]
  const rows = Buffer.allocUnsafe((3 * width + 1) * height)
  for (let y = 0, at = 0, i = 0; y < height; y++) {
    rows[at++] = y === 0 ? 0 : UP
    for (const end = i + width; i < end; i++) {
      const word = words[i]!
      const above = y === 0 ? 0 : words[i - width]!
      rows[at++] = (word >>> red) - (above >>> red)
      rows[at++] = (word >>> 8) - (above >>> 8)
      rows[at++] = (word >>> blue) - (above >>> blue)
    }
  }
  const strategy = unlike > NOISE ? constants.Z_RLE : constants.Z_DEFAULT_STRATEGY
  return compress(rows, { level: 1, strategy, memLevel: 9, chunkSize: PIECE })
}
