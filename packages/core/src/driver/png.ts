import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { Deflater } from './deflate.ts'
import type { Words } from './pixels.ts'
import { Runs } from './runs.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUECOLOUR = 2
/** A zlib stream with a window of 32 KB, compressed fast. */
const ZLIB = [0x78, 0x01]

/** A picture as PNG, without its alpha: a screen is opaque. Made for screens, of which most looks like what is above or to the left of it. */
export async function encodePng(picture: Words): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = picture
  const runs = new Runs(picture)
  const deflater = new Deflater(3 * width + 1)
  for (let tokens = runs.batch(); tokens !== undefined;) {
    deflater.block(tokens)
    tokens = runs.batch()
    // A photograph has many: whatever else waits gets its turn.
    if (tokens !== undefined) await nextTurn()
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, TRUECOLOUR, 0, 0, 0], 8)
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(runs.adler)
  return Buffer.concat([SIGNATURE, ...chunk('IHDR', head), ...chunk('IDAT', Buffer.from(ZLIB), deflater.finish(), tail), ...chunk('IEND')])
}

function chunk(type: string, ...body: Uint8Array[]): Uint8Array[] {
  const [head, tail] = [Buffer.alloc(8), Buffer.alloc(4)]
  head.writeUInt32BE(
    body.reduce((sum, part) => sum + part.length, 0),
    0,
  )
  head.write(type, 4, 'latin1')
  tail.writeUInt32BE([head.subarray(4), ...body].reduce((sum, part) => crc32(part, sum), 0))
  return [head, ...body, tail]
}
