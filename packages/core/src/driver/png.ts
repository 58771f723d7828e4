import { crc32, deflate } from 'node:zlib'
import { promisify } from 'node:util'
import type { Frame } from './driver.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUECOLOUR = 2
/** Of what a screen becomes, most comes out in one piece. */
const CHUNK = 1 << 20
const compress = promisify(deflate)

/** A frame as PNG, without its alpha: a screen is opaque. Fast rather than small. */
export async function encodePng({ width, height, data }: Pick<Frame, 'width' | 'height' | 'data'>): Promise<Uint8Array> {
  const rgb = withoutAlpha(data, width * height)
  const length = width * 3
  const rows = Buffer.allocUnsafe(height * (1 + length))
  for (let y = 0; y < height; y++) {
    const at = y * (1 + length)
    rows[at] = 0
    rgb.copy(rows, at + 1, y * length, (y + 1) * length)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, TRUECOLOUR, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', await compress(rows, { level: 1, chunkSize: CHUNK })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Kept from one picture to the next: to ask for so much memory again each time costs more than the work in it. */
let words = new Uint32Array(0)

/** Four pixels are four words with alpha and three without, so words are what is moved. Good until the next call. */
function withoutAlpha(data: Uint8Array, count: number): Buffer {
  const aligned = data.byteOffset % 4 === 0 ? data : data.slice()
  const from = new Uint32Array(aligned.buffer, aligned.byteOffset, count)
  const size = Math.ceil(count / 4) * 3
  if (words.length < size) words = new Uint32Array(size)
  const to = words
  const fours = count - (count % 4)
  for (let i = 0, o = 0; i < fours; i += 4, o += 3) {
    const b = from[i + 1]!
    const c = from[i + 2]!
    to[o] = (from[i]! & 0xffffff) | (b << 24)
    to[o + 1] = ((b >>> 8) & 0xffff) | (c << 16)
    to[o + 2] = ((c >>> 16) & 0xff) | (from[i + 3]! << 8)
  }
  const rgb = Buffer.from(to.buffer, 0, size * 4)
  for (let i = fours; i < count; i++) rgb.set(aligned.subarray(4 * i, 4 * i + 3), 3 * i)
  return rgb
}

function chunk(type: string, body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(12 + body.length)
  out.writeUInt32BE(body.length, 0)
  out.write(type, 4, 'latin1')
  body.copy(out, 8)
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length)
  return out
}
