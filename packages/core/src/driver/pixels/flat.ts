import { setImmediate as nextTurn } from 'node:timers/promises'
import { Deflater } from './deflate.ts'
import type { Words } from './pixels.ts'
import { Runs } from './runs.ts'

/** A zlib stream with a window of 32 KB, compressed fast. */
const ZLIB = Buffer.from([0x78, 0x01])
const SAMPLED_ROW = 16
const COLOURS = 0xffffff

/** The share of pixels that are like neither the one before nor the one above, in some of the rows: low in pictures made of runs, as windows are. */
export function shareUnlike({ width, height, words }: Words): number {
  let [seen, unlike] = [0, 0]
  for (let y = 1; y < height; y += SAMPLED_ROW, seen += width) {
    for (let i = y * width + 1, end = (y + 1) * width; i < end; i++) {
      const word = words[i]!
      if (((word ^ words[i - width]!) & COLOURS) !== 0 && ((word ^ words[i - 1]!) & COLOURS) !== 0) unlike++
    }
  }
  return unlike / Math.max(1, seen)
}

/** The rows of a PNG in truecolour as a zlib stream in which runs are copied; no byte of a run is ever written out. */
export async function deflateFlat(picture: Words): Promise<Uint8Array> {
  const runs = new Runs(picture)
  const deflater = new Deflater(3 * picture.width + 1)
  for (let tokens = runs.batch(); tokens !== undefined;) {
    deflater.block(tokens)
    tokens = runs.batch()
    // A large screen has many: other calls get their turn.
    if (tokens !== undefined) await nextTurn()
  }
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(runs.adler)
  return Buffer.concat([ZLIB, deflater.finish(), tail])
}
