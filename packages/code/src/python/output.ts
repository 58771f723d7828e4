export const STDOUT_CHARS = 50_000
export const STDERR_CHARS = 10_000
/** The most UTF-8 bytes that one UTF-16 unit needs, so that this many bytes always fill the limit. */
export const BYTES_PER_CHAR = 4

/** Collects a stream up to a number of characters and forgets the rest. */
export class Output {
  readonly #chunks: Buffer[] = []
  readonly #maxChars: number
  #kept = 0
  #total = 0

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  get totalBytes(): number {
    return this.#total
  }

  push(chunk: Buffer): void {
    const room = this.#maxChars * BYTES_PER_CHAR - this.#kept
    if (room > 0) this.#chunks.push(chunk.subarray(0, room))
    this.#kept += Math.min(chunk.length, Math.max(room, 0))
    this.#total += chunk.length
  }

  text(): { text: string; truncated: boolean } {
    const all = new TextDecoder().decode(Buffer.concat(this.#chunks))
    if (all.length <= this.#maxChars) return { text: all, truncated: this.#total > this.#kept }
    return { text: withoutHalfPair(all.slice(0, this.#maxChars)), truncated: true }
  }
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}
