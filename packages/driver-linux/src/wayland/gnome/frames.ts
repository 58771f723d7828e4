import type { Readable } from 'node:stream'

/** Frames of one size out of a stream that has nothing else in it. Nothing is read while none is wanted. */
export class Frames {
  readonly #stream: Readable
  readonly #frame: Buffer
  /** How much of the frame was read: one that came too late is read on by the next call, so that every frame begins where it begins. */
  #at = 0

  constructor(stream: Readable, bytes: number) {
    this.#stream = stream
    this.#frame = Buffer.alloc(bytes)
  }

  /** The next frame, which stands until this is called again; or why there is none. */
  async next(ms: number): Promise<Buffer | 'late' | 'ended'> {
    const stream = this.#stream
    const end = performance.now() + ms
    while (this.#at < this.#frame.length) {
      const part = stream.read() as Buffer | null
      if (part !== null) {
        const took = part.copy(this.#frame, this.#at)
        this.#at += took
        if (took < part.length) stream.unshift(part.subarray(took))
        continue
      }
      if (stream.readableEnded || stream.destroyed) return 'ended'
      const left = end - performance.now()
      if (left <= 0) return 'late'
      await more(stream, left)
    }
    this.#at = 0
    return this.#frame
  }
}

/** Resolves when there is more to read, when there never will be, or when the time is over. */
function more(stream: Readable, ms: number): Promise<void> {
  return new Promise((done) => {
    const over = (): void => {
      clearTimeout(timer)
      stream.off('readable', over).off('close', over)
      done()
    }
    const timer = setTimeout(over, Math.ceil(ms))
    stream.on('readable', over).on('close', over)
  })
}
