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
  /** Elements allocated over the whole run; eight characters count as one, an empty collection as some dozen. */
  memory: number
  /** Characters printed. */
  output: number
  /** Function calls inside each other. */
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

/** How long the script may run before the event loop gets a turn, so that a stop is heard. */
const SLICE_MS = 2
/** Steps between two looks at the clock; elements touched count as well. */
const CHECK_EVERY = 64
/** Elements that one indivisible operation may touch. */
const OPERATION = 150_000
/** Larger numbers cost as much as the largest may. */
const WORD = 1n << 63n
const BIG = 128
/** Evaluations inside each other; keeps the JavaScript stack far from its end. */
const DEPTH = 1000

/** What a value takes before it holds anything, in elements; found by filling the memory with them. */
const SIZES = { sequence: 16, iterator: 48, mapping: 64, function: 64, exception: 32, generator: 128 }

export class Budget {
  readonly limits: Limits
  steps = 0
  private calls = 0
  private memory = 0
  private frames = 0
  private depth = 0
  private operation = 0
  /** Elements touched that do not make a whole step yet. */
  private touched = 0
  private effort = 0
  private sliceStart = performance.now()
  private readonly now: () => number
  private deadline: number

  constructor(limits: Limits, now: () => number) {
    this.limits = limits
    this.now = now
    this.deadline = now() + limits.wallMs
  }

  /** Counts one step; true when the event loop should get a turn. */
  tick(): boolean {
    this.effort += 1 + (this.operation >> 3)
    this.operation = 0
    if (++this.steps > this.limits.steps) this.out('steps', this.limits.steps)
    if (this.effort < CHECK_EVERY) return false
    this.effort = 0
    return performance.now() - this.sliceStart > SLICE_MS
  }

  /** A new slice begins. */
  rested(): void {
    this.sliceStart = performance.now()
    this.checkTime(0)
  }

  /** Ends the run when it is, or after `aheadMs` would be, past its time. */
  checkTime(aheadMs: number): void {
    if (this.now() + aheadMs > this.deadline)
      throw new Halt('SCRIPT_FAILED', `the script ran longer than its ${this.limits.wallMs / 1000} seconds`)
  }

  /** Time that the operator took is not the script's. */
  forgive(ms: number): void {
    this.deadline += ms
  }

  call(): void {
    if (++this.calls > this.limits.calls) this.out('calls', this.limits.calls)
  }

  /** Work inside one operation that cannot be interrupted. */
  work(units: number): void {
    this.operation += units
    this.touched += units
    this.steps += this.touched >> 3
    this.touched &= 7
    if (this.operation > OPERATION) throw new Halt('SCRIPT_FAILED', 'one operation is too large; work on smaller values')
  }

  /** A string of this length is about to exist. */
  text(length: number): void {
    if (length > this.limits.text) throw new Halt('SCRIPT_FAILED', `a string would be longer than ${this.limits.text} characters`)
    this.work(length >> 5)
    this.allocate(length >> 3)
  }

  /** A list, tuple, dict or set of this size is about to exist. */
  items(length: number): void {
    if (length > this.limits.items) throw new Halt('SCRIPT_FAILED', `a collection would hold more than ${this.limits.items} elements`)
    this.work(length)
    this.allocate(length)
  }

  /** One element is added to a collection that will then hold `length`. */
  grow(length: number): void {
    if (length > this.limits.items) throw new Halt('SCRIPT_FAILED', `a collection would hold more than ${this.limits.items} elements`)
    this.allocate(1)
  }

  /** One more of these is about to exist, however empty it is. */
  object(kind: keyof typeof SIZES): void {
    this.allocate(SIZES[kind])
  }

  pixels(count: number): void {
    this.allocate(count >> 1)
  }

  bits(count: number): void {
    if (count > this.limits.bits) throw new Halt('SCRIPT_FAILED', `a number would have more than ${this.limits.bits} bits`)
    if (count <= 64) return
    this.work(count >> 6)
    this.allocate(count >> 6)
  }

  /** Arithmetic with numbers that do not fit a machine word; `effort` for what takes more than one pass. */
  arithmetic(effort: number, ...numbers: readonly bigint[]): void {
    for (const v of numbers) if (v > WORD || v < -WORD) return this.work(BIG * effort)
  }

  enterFrame(): void {
    if (++this.frames > this.limits.frames) this.out('function calls inside each other', this.limits.frames)
  }

  leaveFrame(): void {
    this.frames--
  }

  down(): void {
    if (++this.depth > DEPTH) throw new Halt('SCRIPT_FAILED', 'the script nests too deeply')
  }

  up(): void {
    this.depth--
  }

  /** How deep the script is now; a caught exception returns to such a mark. */
  mark(): { frames: number; depth: number } {
    return { frames: this.frames, depth: this.depth }
  }

  rewind(mark: { frames: number; depth: number }): void {
    this.frames = mark.frames
    this.depth = mark.depth
  }

  private allocate(units: number): void {
    this.memory += units
    if (this.memory > this.limits.memory) throw new Halt('SCRIPT_FAILED', 'the script used up its memory')
  }

  private out(what: string, limit: number): never {
    throw new Halt('SCRIPT_FAILED', `the script used up its ${limit} ${what}`)
  }
}
