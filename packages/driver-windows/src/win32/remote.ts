import { kernel32 } from './api.ts'
import type { Handle } from './library.ts'
import { ask } from './message.ts'

const ACCESS = 0x8 | 0x10 | 0x20 | 0x1000
const [COMMIT, RELEASE, READ_WRITE] = [0x3000, 0x8000, 4]
const SIZE = 0x1000
/** A text stands behind its structure. */
const TEXT_AT = 128
/** The longest text that is asked for, in characters. */
const LONGEST = 1024

/** Where a structure has the address of a text, and how long that may be; mostly right behind it. */
interface TextPlace {
  pointerAt: number
  lengthAt?: number
}

/** Memory inside an application, for messages that point to structures: Windows carries none of those across. */
export class RemoteMemory {
  readonly #process: Handle
  readonly #at: number
  /** Whether pointers have four bytes there. */
  readonly is32: boolean

  /** Undefined where the application does not let this process in, as one with higher rights does not. */
  static of(pid: number): RemoteMemory | undefined {
    const process = kernel32.OpenProcess(ACCESS, 0, pid)
    if (process === 0) return undefined
    const at = kernel32.VirtualAllocEx(process, 0, SIZE, COMMIT, READ_WRITE)
    if (at !== 0) return new RemoteMemory(process, at)
    kernel32.CloseHandle(process)
    return undefined
  }

  private constructor(process: Handle, at: number) {
    this.#process = process
    this.#at = at
    const is32 = Buffer.alloc(4)
    this.is32 = kernel32.IsWow64Process(process, is32) !== 0 && is32.readInt32LE(0) !== 0
  }

  close(): void {
    kernel32.VirtualFreeEx(this.#process, this.#at, 0, RELEASE)
    kernel32.CloseHandle(this.#process)
  }

  /** A message about a structure, which is given back as the window left it; undefined when it does not answer. */
  ask(h: Handle, message: number, w: number, structure: Buffer): { answer: number; structure: Buffer } | undefined {
    kernel32.WriteProcessMemory(this.#process, this.#at, structure, structure.length, null)
    const answer = ask(h, message, w, this.#at)
    if (answer === undefined) return undefined
    const after = Buffer.alloc(structure.length)
    kernel32.ReadProcessMemory(this.#process, this.#at, after, after.length, null)
    return { answer, structure: after }
  }

  /** A message about a structure with a place for a text and for its longest length; undefined when it does not answer. */
  askText(h: Handle, message: number, w: number, structure: Buffer, place: TextPlace): { text: string; structure: Buffer } | undefined {
    const { pointerAt, lengthAt = pointerAt + (this.is32 ? 4 : 8) } = place
    const at = this.#at + TEXT_AT
    const both = Buffer.alloc(TEXT_AT + 2 * LONGEST)
    structure.copy(both)
    if (this.is32) both.writeUInt32LE(at, pointerAt)
    else both.writeBigUInt64LE(BigInt(at), pointerAt)
    both.writeInt32LE(LONGEST, lengthAt)
    // Of the text only its end is written.
    kernel32.WriteProcessMemory(this.#process, this.#at, both, TEXT_AT + 2, null)
    if (ask(h, message, w, this.#at) === undefined) return undefined
    kernel32.ReadProcessMemory(this.#process, this.#at, both, both.length, null)
    // A control may point to a text of its own instead.
    const from = this.is32 ? both.readUInt32LE(pointerAt) : Number(both.readBigUInt64LE(pointerAt))
    const text = both.subarray(TEXT_AT)
    if (from !== at && from !== 0) kernel32.ReadProcessMemory(this.#process, from, text, text.length, null)
    const words = text.toString('utf16le')
    const end = words.indexOf('\0')
    return { text: end === -1 ? words : words.slice(0, end), structure: both.subarray(0, structure.length) }
  }

  /** A message with the addresses of two numbers; undefined when it does not answer. */
  askNumbers(h: Handle, message: number): [number, number] | undefined {
    if (ask(h, message, this.#at, this.#at + 4) === undefined) return undefined
    const both = Buffer.alloc(8)
    kernel32.ReadProcessMemory(this.#process, this.#at, both, 8, null)
    return [both.readInt32LE(0), both.readInt32LE(4)]
  }
}
