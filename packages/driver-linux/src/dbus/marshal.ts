import { isObjectPath } from './names.ts'
import { Malformed, alignment, splitSignature, type Variant } from './signature.ts'

/** Little-endian bytes of values, growing as needed. Values that do not fit their type throw Malformed before anything is sent. */
export class Writer {
  #data = Buffer.allocUnsafe(512)
  #base = 0
  at = 0

  /** Alignment counts from here on. */
  rebase(): void {
    this.#base = this.at
  }

  align(n: number): void {
    const to = this.#base + ((this.at - this.#base + n - 1) & -n)
    this.#room(to - this.at)
    this.#data.fill(0, this.at, to)
    this.at = to
  }

  values(signature: string, values: readonly unknown[]): void {
    const types = splitSignature(signature)
    if (types.length !== values.length) throw new Malformed(`"${signature}" needs ${types.length} values`)
    types.forEach((type, i) => this.value(type, values[i]))
  }

  value(type: string, value: unknown): void {
    switch (type[0]) {
      case 'y':
        return this.byte(integer(value, 0, 0xff))
      case 'b':
        return this.u32(truth(value) ? 1 : 0)
      case 'n':
        return this.#put(2, (at) => this.#data.writeInt16LE(integer(value, -0x8000, 0x7fff), at))
      case 'q':
        return this.#put(2, (at) => this.#data.writeUInt16LE(integer(value, 0, 0xffff), at))
      case 'i':
        return this.#put(4, (at) => this.#data.writeInt32LE(integer(value, -0x80000000, 0x7fffffff), at))
      case 'u':
      case 'h':
        return this.u32(integer(value, 0, 0xffffffff))
      case 'x':
        return this.#put(8, (at) => this.#data.writeBigInt64LE(big(value, -(2n ** 63n), 2n ** 63n - 1n), at))
      case 't':
        return this.#put(8, (at) => this.#data.writeBigUInt64LE(big(value, 0n, 2n ** 64n - 1n), at))
      case 'd':
        return this.#put(8, (at) => this.#data.writeDoubleLE(float(value), at))
      case 's':
        return this.#text(string(value))
      case 'o':
        return this.#text(path(value))
      case 'g':
        return this.signature(string(value))
      case 'v':
        return this.#variant(value)
      case '(':
        this.align(8)
        return this.values(type.slice(1, -1), list(value))
      case 'a':
        return this.#array(type.slice(1), value)
      default:
        throw new Malformed(`"${type}" is no type`)
    }
  }

  byte(value: number): void {
    this.#room(1)
    this.#data[this.at++] = value
  }

  u32(value: number): void {
    this.#put(4, (at) => this.#data.writeUInt32LE(value, at))
  }

  /** Overwrites a number that was not known when it was its turn. */
  patch(at: number, value: number): void {
    this.#data.writeUInt32LE(value, at)
  }

  bytes(): Buffer {
    return Buffer.from(this.#data.subarray(0, this.at))
  }

  signature(type: string): void {
    splitSignature(type)
    this.byte(type.length)
    this.#raw(Buffer.from(type, 'latin1'))
    this.byte(0)
  }

  #text(value: string): void {
    if (value.includes('\0')) throw new Malformed('D-Bus cannot carry a NUL inside a string')
    const bytes = Buffer.from(value, 'utf8')
    this.u32(bytes.length)
    this.#raw(bytes)
    this.byte(0)
  }

  #variant(value: unknown): void {
    if (!isVariant(value)) throw new Malformed('a variant needs a type and a value')
    if (splitSignature(value.type).length !== 1) throw new Malformed('a variant holds one value')
    this.signature(value.type)
    this.value(value.type, value.value)
  }

  #array(element: string, value: unknown): void {
    this.u32(0)
    const lengthAt = this.at - 4
    this.align(alignment(element))
    const start = this.at
    if (element === 'y' && value instanceof Uint8Array) this.#raw(value)
    else if (element[0] === '{') this.#entries(element, value)
    else for (const item of list(value)) this.value(element, item)
    this.patch(lengthAt, this.at - start)
  }

  #entries(element: string, value: unknown): void {
    if (!(value instanceof Map)) throw new Malformed('a dictionary needs a Map')
    for (const entry of value) {
      this.align(8)
      this.values(element.slice(1, -1), entry)
    }
  }

  #raw(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#data.set(bytes, this.at)
    this.at += bytes.length
  }

  #put(size: number, write: (at: number) => void): void {
    this.align(size)
    this.#room(size)
    write(this.at)
    this.at += size
  }

  #room(size: number): void {
    if (this.at + size <= this.#data.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#data.length * 2, this.at + size))
    this.#data.copy(grown, 0, 0, this.at)
    this.#data = grown
  }
}

const isVariant = (v: unknown): v is Variant =>
  typeof v === 'object' && v !== null && 'type' in v && 'value' in v && typeof v.type === 'string'

function integer(v: unknown, min: number, max: number): number {
  if (typeof v !== 'number' || !Number.isInteger(v) || v < min || v > max)
    throw new Malformed(`${String(v)} is no integer from ${min} to ${max}`)
  return v
}

function big(v: unknown, min: bigint, max: bigint): bigint {
  if (typeof v !== 'bigint' || v < min || v > max) throw new Malformed(`${String(v)} is no integer from ${min} to ${max}`)
  return v
}

function float(v: unknown): number {
  if (typeof v !== 'number') throw new Malformed(`${String(v)} is no number`)
  return v
}

function truth(v: unknown): boolean {
  if (typeof v !== 'boolean') throw new Malformed(`${String(v)} is no boolean`)
  return v
}

function string(v: unknown): string {
  if (typeof v !== 'string') throw new Malformed('a string is missing')
  return v
}

function path(v: unknown): string {
  const s = string(v)
  if (!isObjectPath(s)) throw new Malformed(`"${s}" is no object path`)
  return s
}

function list(v: unknown): readonly unknown[] {
  if (!Array.isArray(v)) throw new Malformed('a list is missing')
  return v
}
