import { crc32 } from 'node:zlib'
import { deflateFlat, shareUnlike } from './flat.ts'
import { deflateNoisy } from './noisy.ts'
import type { Words } from './pixels.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUECOLOUR = 2
/** With a larger share of pixels that are like neither neighbour, zlib itself is faster, and its result smaller. */
const MOST_UNLIKE = 0.04

/** A picture as PNG, without its alpha: a screen is opaque. */
export async function encodePng(picture: Words): Promise<Uint8Array<ArrayBuffer>> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(picture.width, 0)
  head.writeUInt32BE(picture.height, 4)
  head.set([8, TRUECOLOUR, 0, 0, 0], 8)
  const unlike = shareUnlike(picture)
  const data = await (unlike <= MOST_UNLIKE ? deflateFlat(picture) : deflateNoisy(picture, unlike))
  return Buffer.concat([SIGNATURE, ...chunk('IHDR', head), ...chunk('IDAT', data), ...chunk('IEND')])
}

function chunk(type: string, body: Uint8Array = new Uint8Array()): Uint8Array[] {
  const [head, tail] = [Buffer.alloc(8), Buffer.alloc(4)]
  head.writeUInt32BE(body.length, 0)
  head.write(type, 4, 'latin1')
  tail.writeUInt32BE(crc32(body, crc32(head.subarray(4))))
  return [head, body, tail]
}
