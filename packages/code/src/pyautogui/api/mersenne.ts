import { randomBytes } from 'node:crypto'

/** The Mersenne Twister as CPython seeds and reads it, so that a seeded script draws the same numbers here. */
export class Random {
  #state = new Uint32Array()
  #index = 624
  #spare: number | undefined

  /** Without a seed it is seeded from the system's random bytes at first use. */
  constructor(seed?: bigint) {
    if (seed !== undefined) this.seed(seed)
  }

  seed(seed: bigint): void {
    const key: number[] = []
    const digits = (seed < 0n ? -seed : seed).toString(16)
    for (let end = digits.length; end > 0; end -= 8) key.push(Number.parseInt(digits.slice(Math.max(0, end - 8), end), 16))
    this.#fill(key)
    this.#spare = undefined
  }

  /** A float of the normal distribution; they come in pairs. */
  gauss(): number {
    const spare = this.#spare
    this.#spare = undefined
    if (spare !== undefined) return spare
    const turn = this.random() * 2 * Math.PI
    const radius = Math.sqrt(-2 * Math.log(1 - this.random()))
    this.#spare = Math.sin(turn) * radius
    return Math.cos(turn) * radius
  }

  /** A float in [0, 1) with 53 random bits. */
  random(): number {
    return ((this.#next() >>> 5) * 67108864 + (this.#next() >>> 6)) / 9007199254740992
  }

  /** A whole number of `count` random bits. */
  bits(count: number): bigint {
    let value = 0n
    let shift = 0n
    for (let left = count; left > 0; left -= 32) {
      const word = left < 32 ? this.#next() >>> (32 - left) : this.#next()
      value |= BigInt(word) << shift
      shift += 32n
    }
    return value
  }

  /** A whole number in [0, limit). */
  below(limit: bigint): bigint {
    const count = limit.toString(2).length
    let value = this.bits(count)
    while (value >= limit) value = this.bits(count)
    return value
  }

  #fill(key: readonly number[]): void {
    const state = (this.#state = new Uint32Array(624))
    this.#start(19650218)
    let i = 1
    let j = 0
    for (let k = Math.max(624, key.length); k > 0; k--) {
      const before = at(state, i - 1)
      state[i] = ((at(state, i) ^ Math.imul(before ^ (before >>> 30), 1664525)) + (key[j] ?? 0) + j) >>> 0
      if (++i >= 624) {
        state[0] = at(state, 623)
        i = 1
      }
      if (++j >= key.length) j = 0
    }
    for (let k = 623; k > 0; k--) {
      const before = at(state, i - 1)
      state[i] = ((at(state, i) ^ Math.imul(before ^ (before >>> 30), 1566083941)) - i) >>> 0
      if (++i >= 624) {
        state[0] = at(state, 623)
        i = 1
      }
    }
    state[0] = 0x80000000
    this.#index = 624
  }

  #start(seed: number): void {
    const state = this.#state
    state[0] = seed
    for (let i = 1; i < 624; i++) {
      const before = at(state, i - 1)
      state[i] = (Math.imul(before ^ (before >>> 30), 1812433253) + i) >>> 0
    }
  }

  #next(): number {
    if (this.#state.length === 0) this.seed(BigInt(`0x${randomBytes(16).toString('hex')}`))
    if (this.#index >= 624) this.#twist()
    let y = at(this.#state, this.#index++)
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  #twist(): void {
    const state = this.#state
    for (let i = 0; i < 624; i++) {
      const y = (at(state, i) & 0x80000000) | (at(state, (i + 1) % 624) & 0x7fffffff)
      state[i] = at(state, (i + 397) % 624) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.#index = 0
  }
}

const at = (state: Uint32Array, i: number): number => state[i] ?? 0
