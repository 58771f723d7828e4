import { Writer } from './marshal.ts'
import { Malformed, type Body } from './signature.ts'
import { Cursor, unmarshal } from './unmarshal.ts'

export const CALL = 1
export const RETURN = 2
export const ERROR = 3
export const SIGNAL = 4

/** No message is larger by the rules of D-Bus. */
const MAX_MESSAGE = 1 << 27
/** Messages up to this size are taken whatever they are. */
export const SMALL = 1 << 20
/** A head that is larger than this says nothing that is needed. */
const MOST_HEAD = 1 << 16
const LITTLE = 0x6c
const BIG = 0x42

export interface Head {
  type: number
  path?: string
  iface?: string
  member?: string
  error?: string
  replyTo?: number
  destination?: string
  /** How many open files travel beside it. */
  files?: number
}

/** A received message; its body is decoded only when it is read. */
export class Message {
  readonly type: number
  readonly wantsReply: boolean
  readonly serial: number
  path = ''
  iface = ''
  member = ''
  error = ''
  sender = ''
  signature = ''
  replyTo = 0
  /** Only its head was taken. */
  isTooLarge = false
  readonly #data: Buffer
  readonly #bodyAt: number
  readonly #end: number
  readonly #little: boolean

  /** `data` from `start` to `end` is exactly one message. */
  constructor(data: Buffer, start: number, end: number) {
    this.#little = data[start] === LITTLE
    const c = new Cursor(data, start, end, this.#little)
    c.at = start + 1
    this.type = c.byte()
    this.wantsReply = (c.byte() & 1) === 0
    c.at = start + 8
    this.serial = c.u32()
    const fieldsEnd = c.u32() + start + 16
    while (c.at < fieldsEnd) this.#field(c)
    c.align(8)
    this.#data = data
    this.#bodyAt = c.at
    this.#end = end
  }

  /** The body, when it has exactly this shape; a peer that answers otherwise gives undefined. Throws Malformed when it is torn. */
  read<S extends string>(signature: S): Body<S> | undefined {
    return this.signature === signature ? (unmarshal(signature, this.#data, this.#bodyAt, this.#end, this.#little) as Body<S>) : undefined
  }

  /** The body, of any shape. */
  values(): unknown[] {
    return unmarshal(this.signature, this.#data, this.#bodyAt, this.#end, this.#little)
  }

  #field(c: Cursor): void {
    c.align(8)
    const code = c.byte()
    const type = c.text(c.byte())
    if (code === 5 || code === 9) {
      if (type !== 'u') throw new Malformed('a header number is of another type')
      const value = c.u32()
      if (code === 5) this.replyTo = value
      return
    }
    if (type !== 's' && type !== 'o' && type !== 'g') throw new Malformed('a header field is of another type')
    const value = c.text(type === 'g' ? c.byte() : c.u32())
    if (code === 1) this.path = value
    else if (code === 2) this.iface = value
    else if (code === 3) this.member = value
    else if (code === 4) this.error = value
    else if (code === 7) this.sender = value
    else if (code === 8) this.signature = value
  }
}

export function encode(serial: number, head: Head, signature: string, values: readonly unknown[]): Buffer {
  const w = new Writer()
  w.byte(LITTLE)
  w.byte(head.type)
  w.byte(0)
  w.byte(1)
  w.u32(0)
  w.u32(serial)
  w.u32(0)
  const fieldsAt = w.at
  const field = (code: number, type: string, value: unknown): void => {
    if (value === undefined) return
    w.align(8)
    w.byte(code)
    w.signature(type)
    w.value(type, value)
  }
  field(1, 'o', head.path)
  field(2, 's', head.iface)
  field(3, 's', head.member)
  field(4, 's', head.error)
  field(5, 'u', head.replyTo)
  field(6, 's', head.destination)
  if (signature !== '') field(8, 'g', signature)
  field(9, 'u', head.files)
  w.patch(12, w.at - fieldsAt)
  w.align(8)
  w.rebase()
  const bodyAt = w.at
  w.values(signature, values)
  w.patch(4, w.at - bodyAt)
  if (w.at > MAX_MESSAGE) throw new Malformed('a message is larger than 128 MiB')
  return w.bytes()
}

/** Cuts a byte stream into messages. Of one that is larger than `most` takes, the rest goes by unread: it costs neither memory nor the connection. */
export class Framer {
  #chunks: Buffer[] = []
  #have = 0
  #want = 16
  /** How much of a message is still to go by. */
  #passing = 0
  readonly #most: (head: Message) => number

  constructor(most: (head: Message) => number = () => MAX_MESSAGE) {
    this.#most = most
  }

  /** Hands on every message that `data` completes; throws Malformed when the stream is no D-Bus stream. */
  push(data: Buffer, take: (message: Message) => void): void {
    const passed = Math.min(this.#passing, data.length)
    this.#passing -= passed
    const rest = passed === 0 ? data : data.subarray(passed)
    if (rest.length === 0) return
    this.#chunks.push(rest)
    this.#have += rest.length
    if (this.#have < this.#want) return
    const all = this.#chunks.length === 1 ? rest : Buffer.concat(this.#chunks)
    let at = 0
    this.#want = 16
    while (all.length - at >= 16) {
      const { head, size } = sizesOf(all, at)
      if (size > SMALL && all.length - at < Math.min(head, MOST_HEAD)) {
        this.#want = Math.min(head, MOST_HEAD)
        break
      }
      const first = size > SMALL && head <= MOST_HEAD ? new Message(all, at, at + head) : undefined
      if (size > SMALL && (first === undefined || size > this.#most(first))) {
        if (first !== undefined) take(Object.assign(first, { isTooLarge: true }))
        const passing = Math.min(size, all.length - at)
        this.#passing = size - passing
        at += passing
        continue
      }
      if (all.length - at < size) {
        this.#want = size
        break
      }
      take(new Message(all, at, at + size))
      at += size
    }
    this.#chunks = at < all.length ? [all.subarray(at)] : []
    this.#have = all.length - at
  }
}

function sizesOf(data: Buffer, at: number): { head: number; size: number } {
  const order = data[at]
  if ((order !== LITTLE && order !== BIG) || data[at + 3] !== 1) throw new Malformed('this is no D-Bus message')
  const read = (offset: number): number => (order === LITTLE ? data.readUInt32LE(at + offset) : data.readUInt32BE(at + offset))
  const [fields, body] = [read(12), read(4)]
  const head = 16 + Math.ceil(fields / 8) * 8
  if (head + body > MAX_MESSAGE) throw new Malformed('a message is larger than 128 MiB')
  return { head, size: head + body }
}
