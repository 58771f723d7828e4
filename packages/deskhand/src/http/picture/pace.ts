import { setTimeout as sleep } from 'node:timers/promises'
import type { Rect } from '@deskhand/core/model'
import { cpuPressure } from '@deskhand/core/platform'

/** What the picture is held to: how often, in how many colours, and how much of it at a time. */
export interface Thrift {
  /** The least time between two large updates. */
  everyMs: number
  /** Bits of each of red, green and blue where there are more colours than a palette has; all 8 once the picture rests. */
  detailBits: 8 | 5 | 4
  /** Pixels in one update at most; the rest follows. Absent: everything that changed. */
  scopePixels?: number
  why: string
}

/** From nothing held back to the most that is: no picture is held to less than the last one. */
const LEVELS = [
  { everyMs: 50, detailBits: 8 },
  { everyMs: 70, detailBits: 5, scopePixels: 512 * 1_024 },
  { everyMs: 150, detailBits: 4, scopePixels: 128 * 1_024 },
] as const satisfies readonly Omit<Thrift, 'why'>[]
type Level = 0 | 1 | 2

/** The share of time in which something waits for a processor, in percent, from which a level holds. */
const PRESSURES: readonly { above: number; level: Level; why: string }[] = [
  { above: 80, level: 2, why: 'the processors are overloaded' },
  { above: 50, level: 1, why: 'the processors are busy' },
  { above: -1, level: 0, why: 'nothing holds it back' },
]
/** How long a reader takes over an update, from which a level holds. */
const SLOW: readonly { aboveMs: number; level: Level; why: string }[] = [
  { aboveMs: 500, level: 2, why: 'this reader takes more than half a second over an update' },
  { aboveMs: 150, level: 1, why: 'this reader takes more than 150 ms over an update' },
]
/** How much the newest update counts in how long a reader takes. */
const NEWEST = 0.3
const LOOK_MS = 2_000
const LEAST_MS = 20
/** An update of so many pixels is a large one; a smaller one costs less, and is followed by the next so much sooner. */
const LARGE = 50_000

export interface PictureStatus extends Thrift {
  viewers: number
  width: number
  height: number
  /** What of it is black because it must not be seen. */
  masked: readonly Rect[]
  /** What each viewer's picture is held to. */
  readers: readonly Thrift[]
}

/** What the machine holds every picture to, by what its processors have left. */
export class Pace {
  readonly #pressure: () => number
  #known = PRESSURES.at(-1) ?? { level: 0 as Level, why: '' }
  #lookedAt = -Infinity

  /** Tells the time by which readers are judged. */
  readonly now: () => number

  constructor(pressure = cpuPressure, now = () => performance.now()) {
    this.#pressure = pressure
    this.now = now
  }

  get thrift(): Thrift {
    this.#look()
    const { level, why } = this.#known
    return { ...LEVELS[level], why }
  }

  get level(): Level {
    this.#look()
    return this.#known.level
  }

  /** Waits until the next update may come after the one of so many pixels that began then. */
  async rest(begun: number, pixels: number): Promise<void> {
    const left = begun + restMs(this.thrift.everyMs, pixels) - performance.now()
    if (left > 0) await sleep(left)
  }

  #look(): void {
    const now = this.now()
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    const pressure = this.#pressure()
    this.#known = PRESSURES.find(({ above }) => pressure > above) ?? this.#known
  }
}

/** What one reader's picture is held to: by the machine, and by how long the reader takes over what it is sent. */
export class ReaderPace {
  readonly #machine: Pace
  #takesMs = 0
  /** When it was sent an update for which it has not asked for more yet. */
  #sentAt: number | undefined

  constructor(machine: Pace) {
    this.#machine = machine
  }

  sent(): void {
    this.#sentAt = this.#machine.now()
  }

  /** The reader asks for more. */
  asked(): void {
    if (this.#sentAt === undefined) return
    this.#takesMs += (this.#machine.now() - this.#sentAt - this.#takesMs) * NEWEST
    this.#sentAt = undefined
  }

  get thrift(): Thrift {
    const slow = SLOW.find(({ aboveMs }) => this.#takesMs > aboveMs)
    if (slow === undefined || slow.level <= this.#machine.level) return this.#machine.thrift
    return { ...LEVELS[slow.level], everyMs: this.#machine.thrift.everyMs, why: slow.why }
  }
}

/** A change of a few letters is shown at once on a busy machine too: what is held back is what costs. */
export const restMs = (everyMs: number, pixels: number): number =>
  Math.max(LEAST_MS, LEAST_MS + (everyMs - LEAST_MS) * Math.min(1, pixels / LARGE))
