import { constants, createDeflate, deflateSync, type Deflate } from 'node:zlib'

/** Up to so many bytes a stream that compresses nothing is made at once. */
export const SHORT = 256
/** Up to so many bytes the way to another thread and back takes longer than compressing, which is done within a tenth of a millisecond. */
const AT_ONCE = 48 * 1_024
/** So many streams are compressed at a time, each on a thread of its own. */
const PACKERS = 2
const LEVEL = 1
/** No picture is larger, so a packer never waits for its reader. */
const MOST_BYTES = 2 ** 26

/** The beginning of a zlib stream with these bytes in it, from which all of them can be read, as they are. */
export function stored(data: Buffer): Buffer {
  const head = Buffer.from([0x78, 0x01, 0, 0, 0, 0, 0])
  head.writeUInt16LE(data.length, 3)
  head.writeUInt16LE(data.length ^ 0xffff, 5)
  return Buffer.concat([head, data])
}

/** The same, compressed. */
export async function packed(data: Buffer): Promise<Buffer> {
  if (data.length <= AT_ONCE) return deflateSync(data, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH })
  if (packers.length < PACKERS) packers.push(new Packer())
  const next = packers.shift() ?? new Packer()
  packers.push(next)
  return next.pack(data)
}

const packers: Packer[] = []

/** Compresses one thing after the other. Making a new compressor for each takes longer than compressing, and more memory than the screen. */
class Packer {
  readonly #deflate: Deflate = createDeflate({ level: LEVEL, readableHighWaterMark: MOST_BYTES } as Parameters<typeof createDeflate>[0])
  #last: Promise<unknown> = Promise.resolve()

  pack(data: Buffer): Promise<Buffer> {
    const packing = this.#last.then(() => this.#pack(data))
    this.#last = packing.catch(() => {})
    return packing
  }

  #pack(data: Buffer): Promise<Buffer> {
    return new Promise((done, fail) => {
      const deflate = this.#deflate
      deflate.once('error', fail)
      deflate.write(data)
      deflate.flush(constants.Z_SYNC_FLUSH, () => {
        deflate.off('error', fail)
        const whole = (deflate.read() as Buffer | null) ?? Buffer.alloc(0)
        deflate.reset()
        done(whole)
      })
    })
  }
}
