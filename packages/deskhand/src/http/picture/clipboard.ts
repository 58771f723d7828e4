import { constants, deflateSync, inflateSync } from 'node:zlib'
import { DeskhandError } from '@deskhand/core/errors'

/** Clients that list it exchange texts of any letters; those of others are Latin 1. */
export const EXTENDED_CLIPBOARD = 0xc0a1e5ce | 0
/** Longer texts of a client's clipboard are not read. */
export const LONGEST_TEXT = 256 * 1_024
const HEAD = 8
const TEXT = 1
const CAPS = 1 << 24
const REQUEST = 1 << 25
const PEEK = 1 << 26
const NOTIFY = 1 << 27
const PROVIDE = 1 << 28

export interface ClipboardOptions {
  send(bytes: Buffer): void
  /** What the client copied; absent for those whose clipboard goes nowhere. */
  take?(text: string): void
  /** The client copied something, which is asked for now. */
  promised?(): void
}

/** Texts that are copied, between one client and the desktop: told of first and sent when asked for where the client knows that, else at once. */
export class ClientClipboard {
  readonly #on: ClipboardOptions
  #isExtended = false
  /** What the desktop has, for a client that asks for it. */
  #text = ''

  constructor(options: ClipboardOptions) {
    this.#on = options
  }

  /** The client knows the extension. */
  extend(): void {
    if (this.#isExtended || this.#on.take === undefined) return
    this.#isExtended = true
    const longest = Buffer.alloc(4)
    longest.writeUInt32BE(LONGEST_TEXT)
    this.#say(CAPS | REQUEST | PEEK | NOTIFY | PROVIDE, longest)
  }

  /** How many bytes the client's message took; undefined until all of it is there. */
  message(bytes: Buffer): number | undefined {
    if (bytes.length < HEAD) return undefined
    const told = bytes.readInt32BE(4)
    // To all others it is a length of gigabytes.
    const isExtended = told < 0 && this.#isExtended
    const length = isExtended ? -told : bytes.readUInt32BE(4)
    if (length > LONGEST_TEXT || (isExtended && length < 4))
      throw new DeskhandError('PROTOCOL', 'The viewer sent a text of no length that is read.')
    if (bytes.length < HEAD + length) return undefined
    const body = bytes.subarray(HEAD, HEAD + length)
    if (isExtended) this.#extended(body.readInt32BE(0), body.subarray(4))
    else this.#on.take?.(body.toString('latin1'))
    return HEAD + length
  }

  /** Tells of a text that was copied on the desktop; what is not Latin 1 has no letters in the plain form. */
  copied(text: string): void {
    this.#text = text
    if (this.#isExtended) return this.#say(NOTIFY)
    const letters = Buffer.from(text.replaceAll(/[^\0-\xff]/gu, '?'), 'latin1')
    if (letters.length <= LONGEST_TEXT) this.#on.send(Buffer.concat([head(letters.length), letters]))
  }

  #extended(flags: number, data: Buffer): void {
    const hasText = (flags & TEXT) !== 0
    // What a client can do itself need not be known: it asks for what it wants.
    if ((flags & CAPS) !== 0) return
    if ((flags & NOTIFY) !== 0 && hasText) {
      this.#on.promised?.()
      this.#say(REQUEST)
    } else if ((flags & PROVIDE) !== 0 && hasText) this.#on.take?.(unpacked(data))
    else if ((flags & PEEK) !== 0) this.#say(NOTIFY, undefined, this.#text === '' ? 0 : TEXT)
    else if ((flags & REQUEST) !== 0 && hasText && this.#text !== '') this.#say(PROVIDE, packed(this.#text))
  }

  #say(action: number, data: Buffer = Buffer.alloc(0), formats = TEXT): void {
    const flags = Buffer.alloc(4)
    flags.writeInt32BE(action | formats)
    this.#on.send(Buffer.concat([head(-4 - data.length), flags, data]))
  }
}

function head(length: number): Buffer {
  const bytes = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0])
  bytes.writeInt32BE(length, 4)
  return bytes
}

/** Its length, the text with a zero behind it, and lines that end as on Windows. */
function packed(text: string): Buffer {
  const letters = Buffer.from(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(letters.length)
  return deflateSync(Buffer.concat([length, letters]))
}

function unpacked(data: Buffer): string {
  try {
    // Clients do not end their stream.
    const all = inflateSync(data, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: LONGEST_TEXT })
    const letters = all.subarray(4, 4 + all.readUInt32BE(0))
    return letters.toString('utf8').replace(/\0$/, '').replaceAll('\r\n', '\n')
  } catch {
    throw new DeskhandError('PROTOCOL', 'The viewer sent a text that cannot be unpacked, or of no length that is read.')
  }
}
