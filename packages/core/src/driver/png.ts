import { crc32, deflate } from 'node:zlib'
import { promisify } from 'node:util'
import type { Frame } from './driver.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUECOLOUR = 2
const compress = promisify(deflate)

/** A frame as PNG, without its alpha: a screen is opaque. Fast rather than small. */
export async function encodePng({ width, height, data }: Pick<Frame, 'width' | 'height' | 'data'>): Promise<Uint8Array> {
  const rows = Buffer.allocUnsafe(height * (1 + width * 3))
  let to = 0
  let from = 0
  for (let y = 0; y < height; y++) {
    rows[to++] = 0
    for (let x = 0; x < width; x++) {
      rows[to++] = data[from++]!
      rows[to++] = data[from++]!
      rows[to++] = data[from++]!
      from++
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, TRUECOLOUR, 0, 0, 0], 8)
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', await compress(rows, { level: 1 })), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(12 + body.length)
  out.writeUInt32BE(body.length, 0)
  out.write(type, 4, 'latin1')
  body.copy(out, 8)
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length)
  return out
}
