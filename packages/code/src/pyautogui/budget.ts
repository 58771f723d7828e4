import { Halt } from './halt.ts'

export interface Limits {
  /** Nodes evaluated, loop rounds included. */
  steps: number
  /** Milliseconds on the run's clock, pauses by the operator left out. */
  wallMs: number
  /** Calls into pyautogui, time and pyperclip. */
  calls: number
  /** Characters of one string. */
  text: number
  /** Elements of one list, tuple, dict or set. */
  items: number
  /** Bits of one whole number. */
  bits: number
  /** Elements allocated over the whole run; eight characters count as one, an empty collection as 16 or more. */
  memory: number
  /** Characters printed. */
  output: number
  /** Nested function calls. */
  frames: number
}

export const LIMITS: Limits = {
  steps: 5_000_000,
  wallMs: 600_000,
  calls: 10_000,
  text: 100_000,
  items: 50_000,
  bits: 16_384,
  memory: 16_000_000,
  output: 100_000,
  frames: 200,
}

/** How long the script may run before the event loop gets a turn and can deliver a stop. */
const SLICE_MS = 2
/** Steps between two checks of the clock; touched elements count as well. */
const CHECK_EVERY = 64
/** Elements that one indivisible operation may touch. */
const OPERATION = 150_000
/** Every number above this costs as much as the largest allowed one. */
const WORD = 1n << 63n
const BIG = 128
/** Nested evaluations; keeps the JavaScript stack far from its end. */
const DEPTH = 1000

/** The memory of an empty value, in elements; measured. */
const SIZES = { sequence: 16, iterator: 48, mapping: 64, function: 64, exception: 32, generator: 128 }

export class Budget {
  readonly limits: Limits
  steps = 0
  #calls = 0
  #memory = 0
  #frames = 0
  #depth = 0
  #operation = 0
  /** Elements touched that do not make a whole step yet. */
  #touched = 0
  #effort = 0
  #sliceStart = performance.now()
  readonly #now: () => number
  #deadline: number

  constructor(limits: Limits, now: () => number) {
    this.limits = limits
    this.#now = now
    this.#deadline = now() + limits.wallMs
  }

  /** Counts one step; true when the event loop should get a turn. */
  tick(): boolean {
    this.#effort += 1 + (this.#operation >> 3)
    this.#operation = 0
    if (++this.steps > this.limits.steps) this.#out('steps', this.limits.steps)
    if (this.#effort < CHECK_EVERY) return false
    this.#effort = 0
    return performance.now() - this.#sliceStart > SLICE_MS
  }

  /** A new slice begins. */
  rested(): void {
    this.#sliceStart = performance.now()
    this.checkTime(0)
  }

  /** Ends the run when its deadline is over, or would be after `aheadMs`. */
  checkTime(aheadMs: number): void {
    if (this.#now() + aheadMs > this.#deadline)
      throw new Halt('SCRIPT_FAILED', `the script ran longer than its ${this.limits.wallMs / 1000} seconds`)
  }

  /** Extends the deadline by time that the operator took. */
  forgive(ms: number): void {
    this.#deadline += ms
  }

  call(): void {
    if (++this.#calls > this.limits.calls) this.#out('calls', this.limits.calls)
  }

  /** Work inside one operation that cannot be interrupted. */
  work(units: number): void {
    this.#operation += units
    this.#touched += units
    this.steps += this.#touched >> 3
    this.#touched &= 7
    if (this.#operation > OPERATION) throw new Halt('SCRIPT_FAILED', 'one operation is too large; work on smaller values')
  }

  /** A string of this length is about to exist. */
  text(length: number): void {
    if (length > this.limits.text) throw new Halt('SCRIPT_FAILED', `a string would be longer than ${this.limits.text} characters`)
    this.work(length >> 5)
    this.#allocate(length >> 3)
  }

  /** A list, tuple, dict or set of this size is about to exist. */
  items(length: number): void {
    if (length > this.limits.items) throw new Halt('SCRIPT_FAILED', `a collection would hold more than ${this.limits.items} elements`)
    this.work(length)
    this.#allocate(length)
  }

  /** One element is added to a collection that will then hold `length`. */
  grow(length: number): void {
    if (length > this.limits.items) throw new Halt('SCRIPT_FAILED', `a collection would hold more than ${this.limits.items} elements`)
    this.#allocate(1)
  }

  /** A value of this kind is about to exist; its elements are counted apart. */
  object(kind: keyof typeof SIZES): void {
    this.#allocate(SIZES[kind])
  }

  pixels(count: number): void {
    this.#allocate(count >> 1)
  }

  bits(count: number): void {
    if (count > this.limits.bits) throw new Halt('SCRIPT_FAILED', `a number would have more than ${this.limits.bits} bits`)
    if (count <= 64) return
    this.work(count >> 6)
    this.#allocate(count >> 6)
  }

  /** Arithmetic with numbers that do not fit a machine word; `effort` for what takes more than one pass. */
  arithmetic(effort: number, ...numbers: readonly bigint[]): void {
    for (const v of numbers) if (v > WORD || v < -WORD) return this.work(BIG * effort)
  }

  enterFrame(): void {
    if (++this.#frames > this.limits.frames) this.#out('function calls inside each other', this.limits.frames)
  }

  leaveFrame(): void {
    this.#frames--
  }

  down(): void {
    if (++this.#depth > DEPTH) throw new Halt('SCRIPT_FAILED', 'the script nests too deeply')
  }

  up(): void {
    this.#depth--
  }

  /** The current depth; a caught exception rewinds to it. */
  mark(): { frames: number; depth: number } {
    return { frames: this.#frames, depth: this.#depth }
  }

  rewind(mark: { frames: number; depth: number }): void {
    this.#frames = mark.frames
    this.#depth = mark.depth
  }

  #allocate(units: number): void {
    this.#memory += units
    if (this.#memory > this.limits.memory) throw new Halt('SCRIPT_FAILED', 'the script used up its memory')
  }

  #out(what: string, limit: number): never {
    throw new Halt('SCRIPT_FAILED', `the script used up its ${limit} ${what}`)
  }
}
