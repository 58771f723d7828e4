import { isObjectPath } from './names.ts'
import { Malformed, alignment, splitSignature, type Variant } from './signature.ts'

/** Decodes the bytes from `start` to `end`, whose alignment counts from `start`. Throws Malformed and never reads beyond `end`. */
export function unmarshal(signature: string, data: Buffer, start: number, end: number, little: boolean): unknown[] {
  const cursor = new Cursor(data, start, end, little)
  return decoder(signature).map((read) => read(cursor))
}

const MAX_ARRAY = 1 << 26
const MAX_NESTED_VARIANTS = 16

type Read = (c: Cursor) => unknown

/** A place in a message. Every read is checked against the message's end. */
export class Cursor {
  readonly data: Buffer
  readonly view: DataView
  readonly base: number
  readonly end: number
  readonly little: boolean
  at: number
  variants = 0

  constructor(data: Buffer, start: number, end: number, little: boolean) {
    if (end > data.length) throw new Malformed('a message is cut off')
    this.data = data
    this.view = new DataView(data.buffer, data.byteOffset, data.length)
    this.base = start
    this.end = end
    this.at = start
    this.little = little
  }

  align(n: number): void {
    this.at = this.base + ((this.at - this.base + n - 1) & -n)
  }

  /** Moves past `size` bytes aligned to `n` and says where they begin. */
  take(size: number, n: number): number {
    this.align(n)
    const at = this.at
    if (at + size > this.end) throw new Malformed('a value reaches beyond its message')
    this.at = at + size
    return at
  }

  u32(): number {
    return this.view.getUint32(this.take(4, 4), this.little)
  }

  byte(): number {
    return this.view.getUint8(this.take(1, 1))
  }

  text(length: number): string {
    const at = this.take(length + 1, 1)
    if (this.data[at + length] !== 0) throw new Malformed('a string is not terminated')
    return length === 0 ? '' : this.data.toString('utf8', at, at + length)
  }
}

const compiled = new Map<string, Read[]>()

/** Peers choose signatures, so what is remembered of them is bounded. */
function decoder(signature: string): Read[] {
  let reads = compiled.get(signature)
  if (reads === undefined) {
    reads = splitSignature(signature).map(compile)
    if (compiled.size >= 512) compiled.clear()
    compiled.set(signature, reads)
  }
  return reads
}

function compile(type: string): Read {
  switch (type[0]) {
    case 'y':
      return (c) => c.byte()
    case 'b':
      return bool
    case 'n':
      return (c) => c.view.getInt16(c.take(2, 2), c.little)
    case 'q':
      return (c) => c.view.getUint16(c.take(2, 2), c.little)
    case 'i':
      return (c) => c.view.getInt32(c.take(4, 4), c.little)
    case 'u':
    case 'h':
      return (c) => c.u32()
    case 'x':
      return (c) => c.view.getBigInt64(c.take(8, 8), c.little)
    case 't':
      return (c) => c.view.getBigUint64(c.take(8, 8), c.little)
    case 'd':
      return (c) => c.view.getFloat64(c.take(8, 8), c.little)
    case 's':
      return (c) => c.text(c.u32())
    case 'o':
      return path
    case 'g':
      return (c) => c.text(c.byte())
    case 'v':
      return variant
    case '(':
      return struct(type)
    case 'a':
      return type === 'ay' ? bytes : type[1] === '{' ? dict(type) : array(type)
    default:
      throw new Malformed(`"${type}" is no type`)
  }
}

function bool(c: Cursor): boolean {
  const value = c.u32()
  if (value > 1) throw new Malformed('a boolean is neither 0 nor 1')
  return value === 1
}

function path(c: Cursor): string {
  const value = c.text(c.u32())
  if (!isObjectPath(value)) throw new Malformed('an object path is none')
  return value
}

function variant(c: Cursor): Variant {
  const type = c.text(c.byte())
  const reads = decoder(type)
  if (reads.length !== 1 || reads[0] === undefined) throw new Malformed('a variant holds other than one value')
  if (++c.variants > MAX_NESTED_VARIANTS) throw new Malformed('variants are nested too deeply')
  const value = reads[0](c)
  c.variants--
  return { type, value }
}

function struct(type: string): Read {
  const fields = splitSignature(type.slice(1, -1)).map(compile)
  return (c) => {
    c.align(8)
    const values = new Array<unknown>(fields.length)
    for (let i = 0; i < fields.length; i++) values[i] = fields[i]?.(c)
    return values
  }
}

function array(type: string): Read {
  const element = type.slice(1)
  const pad = alignment(element)
  const read = compile(element)
  return (c) => {
    const end = endOfArray(c, pad)
    const values: unknown[] = []
    while (c.at < end) values.push(read(c))
    if (c.at !== end) throw new Malformed('an array ends inside an element')
    return values
  }
}

function dict(type: string): Read {
  const [key, value] = splitSignature(type.slice(2, -1)).map(compile)
  if (key === undefined || value === undefined) throw new Malformed('a dictionary needs keys and values')
  return (c) => {
    const end = endOfArray(c, 8)
    const entries = new Map<unknown, unknown>()
    while (c.at < end) {
      c.align(8)
      entries.set(key(c), value(c))
    }
    if (c.at !== end) throw new Malformed('a dictionary ends inside an entry')
    return entries
  }
}

function bytes(c: Cursor): Uint8Array {
  const length = endOfArray(c, 1) - c.at
  const at = c.take(length, 1)
  return new Uint8Array(c.data.subarray(at, at + length))
}

function endOfArray(c: Cursor, pad: number): number {
  const length = c.u32()
  if (length > MAX_ARRAY) throw new Malformed('an array is longer than 64 MiB')
  c.align(pad)
  if (c.at + length > c.end) throw new Malformed('an array reaches beyond its message')
  return c.at + length
}
