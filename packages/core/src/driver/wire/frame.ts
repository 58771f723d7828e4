import { isUtf8 } from 'node:buffer'
import { DeskhandError } from '../../errors.ts'

/**
 * One frame on the wire: the size of what follows the head, the size of the JSON in it (both u32, little-endian), the JSON, and its
 * binaries back to back; blanks after the JSON let the first binary begin at a whole word. `attached` in the JSON says where each binary belongs and how long it is; a null holds its place.
 */
export type Message = Record<string, unknown>

const HEAD = 8
type Path = (string | number)[]
interface Attachment {
  at: Path
  size: number
}

/** The pieces of one frame, in order. Binaries are not copied: they belong to the wire until they are flushed. */
export function encodeFrame(message: Message): { parts: Uint8Array[]; size: number } {
  const binaries: Uint8Array[] = []
  const attached: Attachment[] = []
  const plain = detach(message, [], (bytes, at) => {
    binaries.push(bytes)
    attached.push({ at, size: bytes.length })
  })
  const text = JSON.stringify(binaries.length > 0 ? { ...(plain as Message), attached } : plain)
  const json = binaries.length > 0 ? text + ' '.repeat(-Buffer.byteLength(text) & 3) : text
  const jsonSize = Buffer.byteLength(json)
  const bodySize = binaries.reduce((sum, b) => sum + b.length, jsonSize)
  const first = Buffer.allocUnsafe(HEAD + jsonSize)
  first.writeUInt32LE(Math.min(bodySize, 0xffffffff), 0)
  first.writeUInt32LE(jsonSize, 4)
  first.write(json, HEAD, 'utf8')
  return { parts: [first, ...binaries], size: bodySize }
}

/** Takes chunks as they come and gives whole messages; anything malformed throws PROTOCOL. */
export class FrameReader {
  /** The largest frame that is accepted. */
  limit: number
  readonly #chunks: Buffer[] = []
  #at = 0
  #head = Buffer.allocUnsafe(HEAD)
  #headFilled = 0
  #body: Buffer | undefined
  #bodyFilled = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Nothing is half-read. */
  get idle(): boolean {
    return this.#chunks.length === 0 && this.#headFilled === 0
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
  }

  /** The next whole message, or undefined until more chunks arrive. */
  next(): Message | undefined {
    for (let chunk = this.#chunks[0]; chunk; chunk = this.#chunks[0]) {
      const message = this.#take(chunk)
      if (this.#at === chunk.length) {
        this.#chunks.shift()
        this.#at = 0
      }
      if (message) return message
    }
    return undefined
  }

  #take(chunk: Buffer): Message | undefined {
    if (this.#headFilled < HEAD) {
      this.#headFilled += this.#copy(chunk, this.#head, this.#headFilled)
      if (this.#headFilled < HEAD) return undefined
    }
    const size = this.#head.readUInt32LE(0)
    const jsonSize = this.#head.readUInt32LE(4)
    if (!this.#body) {
      if (size > this.limit) throw malformed(`a frame of ${size} bytes is over the limit of ${this.limit}`)
      if (jsonSize > size) throw malformed('a frame that is shorter than its JSON')
      if (chunk.length - this.#at >= size) {
        const body = chunk.subarray(this.#at, this.#at + size)
        this.#at += size
        return this.#finish(body, jsonSize)
      }
      this.#body = Buffer.allocUnsafeSlow(size)
    }
    this.#bodyFilled += this.#copy(chunk, this.#body, this.#bodyFilled)
    return this.#bodyFilled === size ? this.#finish(this.#body, jsonSize) : undefined
  }

  #copy(chunk: Buffer, into: Buffer, at: number): number {
    const copied = chunk.copy(into, at, this.#at)
    this.#at += copied
    return copied
  }

  #finish(body: Buffer, jsonSize: number): Message {
    this.#headFilled = 0
    this.#bodyFilled = 0
    this.#body = undefined
    return decode(body, jsonSize)
  }
}

export const malformed = (what: string): DeskhandError => new DeskhandError('PROTOCOL', `The other side sent ${what}.`)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function decode(body: Buffer, jsonSize: number): Message {
  const json = body.subarray(0, jsonSize)
  if (!isUtf8(json)) throw malformed('text that is not UTF-8')
  const message = parse(json.toString('utf8'))
  if (!isObject(message)) throw malformed('a message that is not an object')
  let offset = jsonSize
  if (message['attached'] !== undefined) {
    for (const { at, size } of readAttached(message['attached'])) {
      if (size > body.length - offset) throw malformed('a binary that is longer than its frame')
      attach(message, at, new Uint8Array(body.buffer, body.byteOffset + offset, size))
      offset += size
    }
    delete message['attached']
  }
  if (offset !== body.length) throw malformed(`${body.length - offset} bytes that belong to nothing`)
  return message
}

function readAttached(attached: unknown): Attachment[] {
  if (!Array.isArray(attached) || !attached.every(isAttachment)) throw malformed('binaries without place or size')
  return attached
}

function isAttachment(value: unknown): value is Attachment {
  if (!isObject(value)) return false
  const { at, size } = value
  const isPath = Array.isArray(at) && at.length > 0 && at.every((step) => typeof step === 'string' || typeof step === 'number')
  return isPath && typeof size === 'number' && Number.isSafeInteger(size) && size >= 0
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new DeskhandError('PROTOCOL', 'The other side sent text that is not JSON.', { cause })
  }
}

/** Only a null that the JSON itself holds can be replaced, so a path can neither reach a prototype nor overwrite anything. */
function attach(message: Message, at: Path, bytes: Uint8Array): void {
  let holder: unknown = message
  for (const [i, step] of at.entries()) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step))
      throw malformed('a binary for a place that is not there')
    const last = i === at.length - 1
    const inside: unknown = Reflect.get(holder, step)
    if (last && inside !== null) throw malformed('a binary for a place that is taken')
    if (last) Reflect.set(holder, step, bytes)
    holder = inside
  }
}

/** The same value with nulls where binaries were; shares everything that holds none. */
function detach(value: unknown, at: Path, found: (bytes: Uint8Array, at: Path) => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) {
    found(value, [...at])
    return null
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined
    for (let i = 0; i < value.length; i++) {
      const was: unknown = value[i]
      if (typeof was !== 'object' || was === null) continue
      at.push(i)
      const is = detach(was, at, found)
      at.pop()
      if (is !== was) (copy ??= [...(value as unknown[])])[i] = is
    }
    return copy ?? value
  }
  const fields = value as Record<string, unknown>
  let copy: Record<string, unknown> | undefined
  for (const name in fields) {
    const was = fields[name]
    if (typeof was !== 'object' || was === null) continue
    at.push(name)
    const is = detach(was, at, found)
    at.pop()
    if (is !== was) (copy ??= { ...fields })[name] = is
  }
  return copy ?? value
}
