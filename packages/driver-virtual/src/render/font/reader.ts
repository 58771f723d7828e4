/** Reads big-endian numbers one after the other. Past the end everything is 0: a damaged font draws badly, it does not throw. */
export class Reader {
  at: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  u8(): number {
    return this.#bytes[this.at++] ?? 0
  }

  u16(): number {
    return (this.u8() << 8) | this.u8()
  }

  i16(): number {
    return (this.u16() << 16) >> 16
  }

  i8(): number {
    return (this.u8() << 24) >> 24
  }

  u32(): number {
    return this.u16() * 65536 + this.u16()
  }

  /** A signed fraction with 14 bits after the point. */
  f2dot14(): number {
    return this.i16() / 16384
  }

  skip(count: number): this {
    this.at += count
    return this
  }
}
