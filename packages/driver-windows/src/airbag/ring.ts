import koffi from 'koffi'
import { kernel32 } from '../win32/api.ts'
import { wide } from '../win32/message.ts'

const [READ_WRITE, ALL_ACCESS] = [4, 0xf001f]
const NO_FILE = -1
/** So many events are kept in detail; counts go on. */
const KEPT = 1024
const WORDS = 4
const HEADER = 16
const SIZE = 4 * (HEADER + KEPT * WORDS)

/** Places in the header. `state`: how the hooks are; `error`: what Windows refused them with. */
const AT = { state: 0, error: 1, moves: 2, buttons: 3, keys: 4, seen: 5, swallowed: 6, slow: 7, x: 8, y: 9 } as const
export const STATE = { starting: 0, hooked: 1, refused: 2, slow: 3, listening: 4 } as const
export type Count = 'moves' | 'buttons' | 'keys' | 'seen' | 'swallowed' | 'slow'

/** An injected event that is not ours: the message of Windows, the key or the place, and whether it was swallowed. */
export interface Stray {
  message: number
  what: number
  isSwallowed: boolean
}

/** Memory that the process with the hooks writes and the driver reads: no call between the two ever waits for the other. */
export class Ring {
  readonly #words: Int32Array

  /** Both sides give the same name; the process that comes first makes it. */
  constructor(name: string) {
    const mapping = kernel32.CreateFileMappingW(NO_FILE, 0, READ_WRITE, 0, SIZE, wide(name))
    const view = mapping === 0 ? 0 : kernel32.MapViewOfFile(mapping, ALL_ACCESS, 0, 0, SIZE)
    if (view === 0) throw new Error(`the memory of the airbag could not be shared (error ${kernel32.GetLastError()})`)
    this.#words = new Int32Array(koffi.view(BigInt(view), SIZE))
  }

  get state(): number {
    return Atomics.load(this.#words, AT.state)
  }

  set state(state: number) {
    Atomics.store(this.#words, AT.state, state)
  }

  get error(): number {
    return Atomics.load(this.#words, AT.error)
  }

  set error(error: number) {
    Atomics.store(this.#words, AT.error, error)
  }

  count(what: Count): number {
    return Atomics.load(this.#words, AT[what])
  }

  add(what: Count): number {
    return Atomics.add(this.#words, AT[what], 1) + 1
  }

  get pointer(): { x: number; y: number } {
    return { x: Atomics.load(this.#words, AT.x), y: Atomics.load(this.#words, AT.y) }
  }

  point(x: number, y: number): void {
    Atomics.store(this.#words, AT.x, x)
    Atomics.store(this.#words, AT.y, y)
  }

  /** Writes down an event that was counted as the so-manieth. */
  write(number: number, { message, what, isSwallowed }: Stray): void {
    const at = HEADER + ((number - 1) % KEPT) * WORDS
    this.#words.set([message, what, isSwallowed ? 1 : 0], at)
  }

  /** The last events, the oldest first; at most as many as are kept. */
  last(most: number): Stray[] {
    const seen = this.count('seen')
    const from = Math.max(0, seen - Math.min(most, KEPT))
    return Array.from({ length: seen - from }, (_, i) => {
      const at = HEADER + ((from + i) % KEPT) * WORDS
      const [message = 0, what = 0, swallowed = 0] = this.#words.subarray(at, at + 3)
      return { message, what, isSwallowed: swallowed === 1 }
    })
  }
}
