import { type Code, codeFor } from './huffman.ts'
import { AMOUNT, BYTE, COPY_ABOVE, COPY_LEFT } from './runs.ts'

const END = 256
const LITERALS = 286
const LONGEST = 258
const LONGEST_CODE = 15
const LEFT = 3
/** The head of a block with codes of its own, and all of the last one. */
const DYNAMIC = 4
const LAST = 3
/** The order in which RFC 1951 wants the lengths of the code that the lengths of the codes are written in. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** By length: its symbol, and how many bits and which follow it. */
const SYMBOL = new Uint16Array(LONGEST + 1)
const EXTRA = new Uint8Array(LONGEST + 1)
const REST = new Uint8Array(LONGEST + 1)
for (let symbol = 0, from = 3; symbol < 28; symbol++) {
  const extra = symbol < 8 ? 0 : (symbol >> 2) - 1
  for (let i = 0; i < 1 << extra; i++) {
    SYMBOL[from + i] = 257 + symbol
    EXTRA[from + i] = extra
    REST[from + i] = i
  }
  from += 1 << extra
}
SYMBOL[LONGEST] = 285
EXTRA[LONGEST] = 0
REST[LONGEST] = 0

/** Deflate (RFC 1951) of the tokens of a picture, one block with codes of its own per batch. */
export class Deflater {
  #out: Uint8Array
  #at = 0
  #held = 0
  #count = 0
  readonly #far: { symbol: number; extra: number; rest: number }

  /** `above` is how many bytes back the row above lies. */
  constructor(above: number) {
    this.#far = distance(above)
    this.#out = new Uint8Array(1 << 16)
  }

  block(tokens: Uint32Array): void {
    const { literals, distances } = frequencies(tokens, this.#far.symbol)
    const [codes, ways] = [codeFor(literals, LONGEST_CODE), codeFor(distances, LONGEST_CODE)]
    this.#makeRoom(literals, distances, codes, ways)
    this.#put(DYNAMIC, 3)
    this.#describe(codes, ways)
    this.#write(tokens, codes, ways)
  }

  /** Everything, ended by a block in which nothing is. */
  finish(): Uint8Array {
    this.#put(LAST, 10)
    this.#put(0, 7)
    while (this.#count >= 8) {
      this.#out[this.#at++] = this.#held
      this.#held >>>= 8
      this.#count -= 8
    }
    return this.#out.subarray(0, this.#at)
  }

  #makeRoom(literals: Uint32Array, distances: Uint32Array, codes: Code, ways: Code): void {
    let bits = 4096 * 8
    for (const [symbol, count] of literals.entries()) bits += count * (codes.lengths[symbol]! + 5)
    for (const [symbol, count] of distances.entries()) bits += count * (ways.lengths[symbol]! + 13)
    const needed = this.#at + Math.ceil(bits / 8)
    if (needed <= this.#out.length) return
    const wider = new Uint8Array(Math.max(needed, 2 * this.#out.length))
    wider.set(this.#out.subarray(0, this.#at))
    this.#out = wider
  }

  /** The lengths of both codes, themselves in a code of their own. */
  #describe(codes: Code, ways: Code): void {
    const lengths = [...codes.lengths, ...ways.lengths]
    const counts = new Uint32Array(19)
    for (const length of lengths) counts[length]!++
    const code = codeFor(counts, 7)
    this.#put(LITERALS - 257, 5)
    this.#put(ways.lengths.length - 1, 5)
    this.#put(ORDER.length - 4, 4)
    for (const symbol of ORDER) this.#put(code.lengths[symbol]!, 3)
    for (const length of lengths) this.#put(code.bits[length]!, code.lengths[length]!)
  }

  #write(tokens: Uint32Array, codes: Code, ways: Code): void {
    const far = this.#far
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i]!
      if (token < BYTE) {
        const [a, b, c] = [token & 0xff, (token >>> 8) & 0xff, token >>> 16]
        this.#put(codes.bits[a]!, codes.lengths[a]!)
        this.#put(codes.bits[b]!, codes.lengths[b]!)
        this.#put(codes.bits[c]!, codes.lengths[c]!)
      } else if (token < COPY_ABOVE) {
        const byte = token & 0xff
        this.#put(codes.bits[byte]!, codes.lengths[byte]!)
      } else {
        const isNear = token >= COPY_LEFT
        for (let left = token & AMOUNT; left > 0;) {
          const length = piece(left)
          left -= length
          const symbol = SYMBOL[length]!
          this.#put(codes.bits[symbol]!, codes.lengths[symbol]!)
          if (EXTRA[length]! > 0) this.#put(REST[length]!, EXTRA[length]!)
          const way = isNear ? LEFT - 1 : far.symbol
          this.#put(ways.bits[way]!, ways.lengths[way]!)
          if (!isNear && far.extra > 0) this.#put(far.rest, far.extra)
        }
      }
    }
    this.#put(codes.bits[END]!, codes.lengths[END]!)
  }

  /** Up to 16 bits, the lowest first. */
  #put(bits: number, length: number): void {
    this.#held |= bits << this.#count
    this.#count += length
    if (this.#count < 16) return
    this.#out[this.#at++] = this.#held
    this.#out[this.#at++] = this.#held >>> 8
    this.#held >>>= 16
    this.#count -= 16
  }
}

/** How much of a long copy goes into one piece: no rest may be shorter than a copy can be. */
function piece(left: number): number {
  if (left <= LONGEST) return left
  return left < LONGEST + 3 ? left - 3 : LONGEST
}

function frequencies(tokens: Uint32Array, far: number): { literals: Uint32Array; distances: Uint32Array } {
  const literals = new Uint32Array(LITERALS)
  const distances = new Uint32Array(30)
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token < BYTE) {
      literals[token & 0xff]!++
      literals[(token >>> 8) & 0xff]!++
      literals[token >>> 16]!++
    } else if (token < COPY_ABOVE) literals[token & 0xff]!++
    else {
      const way = token >= COPY_LEFT ? LEFT - 1 : far
      for (let left = token & AMOUNT; left > 0;) {
        const length = piece(left)
        left -= length
        literals[SYMBOL[length]!]!++
        distances[way]!++
      }
    }
  }
  literals[END] = 1
  return { literals, distances }
}

/** A distance as its symbol and the bits that follow it. */
function distance(bytes: number): { symbol: number; extra: number; rest: number } {
  let symbol = 0
  let from = 1
  for (;;) {
    const extra = symbol < 4 ? 0 : (symbol >> 1) - 1
    if (bytes < from + (1 << extra)) return { symbol, extra, rest: bytes - from }
    from += 1 << extra
    symbol++
  }
}
