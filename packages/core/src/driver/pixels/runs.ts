import type { Words } from './pixels.ts'

/** What the bytes of a picture are made of: a pixel is its three bytes; the others carry a flag, and a length or a byte. */
export const COPY_ABOVE = 0x80000000
export const COPY_LEFT = 0xc0000000
export const BYTE = 0x40000000
export const AMOUNT = 0x3fffffff
const COLOURS = 0xffffff
/** So far back deflate can copy from. */
const REACH = 32768
/** So many tokens are handed on at a time, and as many more as one row can have. */
const BATCH = 1 << 15

/**
 * The rows of a PNG in truecolour, none of them filtered, as tokens: what looks like the row above or like the pixel to the left is a copy.
 * They come in batches.
 */
export class Runs {
  readonly #picture: Words
  readonly #bytes: Buffer
  readonly #pixels: Int32Array
  readonly #tokens: Uint32Array
  readonly #sum: Adler
  #y = 0
  /** Bytes that look like those above them, up to here. */
  #above = 0

  constructor(picture: Words) {
    const { words, width } = picture
    this.#picture = picture
    this.#bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength)
    this.#pixels = new Int32Array(words.buffer, words.byteOffset, words.length)
    this.#tokens = new Uint32Array(BATCH + 2 * width + 2)
    this.#sum = new Adler(3 * width + 1)
  }

  /** Of all bytes that the tokens stand for. */
  get adler(): number {
    return this.#sum.value
  }

  /** Good until the next one is asked for; undefined when there is nothing left. */
  batch(): Uint32Array | undefined {
    const { width, height } = this.#picture
    const stride = 3 * width + 1
    const canCopy = stride <= REACH
    let used = 0
    for (; this.#y < height && used < BATCH; this.#y++) {
      const row = this.#y * width
      const hasAbove = this.#y > 0 && canCopy
      if (hasAbove && this.#above < AMOUNT - stride && this.#isSame(row, width)) this.#above += stride
      else used = this.#row(row, hasAbove, used)
      this.#sum.row()
    }
    if (this.#y === height && this.#above > 0) {
      this.#tokens[used++] = this.#above >= 3 ? COPY_ABOVE + this.#above : BYTE
      this.#above = 0
    }
    return used === 0 ? undefined : this.#tokens.subarray(0, used)
  }

  #isSame(row: number, width: number): boolean {
    return this.#bytes.compare(this.#bytes, 4 * (row - width), 4 * row, 4 * row, 4 * (row + width)) === 0
  }

  /** Answers with how many tokens there are now. */
  #row(row: number, hasAbove: boolean, before: number): number {
    const { width, lowest } = this.#picture
    const pixels = this.#pixels
    const tokens = this.#tokens
    const swap = lowest === 'blue'
    const back = row > 0 ? width : 0
    const end = row + width
    let used = before
    let above = this.#above
    let plain = 0
    let weighted = 0
    if (hasAbove) above++
    else tokens[used++] = BYTE
    for (let x = row; x < end;) {
      if (hasAbove && ((pixels[x]! ^ pixels[x - back]!) & COLOURS) === 0) {
        const start = x
        x = differing(pixels, x, end, back)
        above += 3 * (x - start)
        if (x === end) break
      }
      // One byte alone is the zero that a row begins with.
      if (above > 0) tokens[used++] = above >= 3 ? COPY_ABOVE + above : BYTE
      above = 0
      const start = x
      const colour = pixels[x]!
      const isRun = start > row && ((colour ^ pixels[start - 1]!) & COLOURS) === 0
      do {
        const was = back > 0 ? pixels[x - back]! : 0
        const from = x++
        if (isRun) while (x < end && ((colour ^ pixels[x]!) & COLOURS) === 0 && pixels[x - back]! === was) x++
        const low = (colour & 0xff) - (was & 0xff)
        const middle = ((colour >>> 8) & 0xff) - ((was >>> 8) & 0xff)
        const high = ((colour >>> 16) & 0xff) - ((was >>> 16) & 0xff)
        const all = low + middle + high
        const count = x - from
        plain += count * all
        // So many bytes from each pixel's first one to the end, all of them together.
        const ahead = (3 * count * (end - from + end - x + 1)) / 2
        weighted += all * ahead - count * (middle + 2 * (swap ? low : high))
      } while (isRun && x < end && ((colour ^ pixels[x]!) & COLOURS) === 0)
      if (isRun) tokens[used++] = COPY_LEFT + 3 * (x - start)
      else tokens[used++] = swap ? ((colour >>> 16) & 0xff) | (colour & 0xff00) | ((colour & 0xff) << 16) : colour & COLOURS
    }
    this.#above = above
    this.#sum.change(plain, weighted)
    return used
  }
}

/** The first pixel from here on that has another colour than the one so far back. */
function differing(pixels: Int32Array, from: number, end: number, back: number): number {
  let x = from
  for (; x + 4 <= end; x += 4) {
    const others =
      (pixels[x]! ^ pixels[x - back]!) |
      (pixels[x + 1]! ^ pixels[x + 1 - back]!) |
      (pixels[x + 2]! ^ pixels[x + 2 - back]!) |
      (pixels[x + 3]! ^ pixels[x + 3 - back]!)
    if ((others & COLOURS) !== 0) break
  }
  while (x < end && ((pixels[x]! ^ pixels[x - back]!) & COLOURS) === 0) x++
  return x
}

const MODULUS = 65521

/** Adler-32 of rows that begin with a zero. Most of a row is as the one above it, so only what changes is reckoned. */
class Adler {
  #a = 1
  #b = 0
  /** Of the row alone: the sum of its bytes, and that of each times the bytes from it to the end. */
  #plain = 0
  #weighted = 0
  readonly #stride: number

  constructor(stride: number) {
    this.#stride = stride
  }

  get value(): number {
    return ((this.#b << 16) | this.#a) >>> 0
  }

  /** By so much the row differs from the one above it. */
  change(plain: number, weighted: number): void {
    this.#plain += plain
    this.#weighted += weighted
  }

  /** The row is as it was changed; the next one begins with the same colours. */
  row(): void {
    this.#b = (this.#b + this.#stride * this.#a + (this.#weighted % MODULUS)) % MODULUS
    this.#a = (this.#a + this.#plain) % MODULUS
  }
}
