import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rect } from '@deskhand/core/model'

/** Between two large updates lies at least so much, by how much of the time something waits for a processor. */
const STEPS: readonly { above: number; everyMs: number; why: string }[] = [
  { above: 80, everyMs: 150, why: 'the processors are overloaded' },
  { above: 50, everyMs: 70, why: 'the processors are busy' },
  { above: -1, everyMs: 20, why: 'nothing holds it back' },
]
const LOOK_MS = 2_000
const LEAST_MS = 20
/** An update of so many pixels is a large one; a smaller one costs less, and is followed by the next so much sooner. */
const LARGE = 200_000

export interface PictureStatus {
  viewers: number
  width: number
  height: number
  /** The least time between two large updates now, and why. */
  everyMs: number
  why: string
  /** What of it is black because it must not be seen. */
  masked: readonly Rect[]
}

/** How often the screen is looked at: within bounds, by what the machine has left. */
export class Pace {
  #step = STEPS.at(-1) ?? { above: -1, everyMs: 20, why: '' }
  #lookedAt = -Infinity

  get status(): Pick<PictureStatus, 'everyMs' | 'why'> {
    const { everyMs, why } = this.#step
    return { everyMs, why }
  }

  /** Waits until the next update may come after the one of so many pixels that began then. */
  async rest(begun: number, pixels: number): Promise<void> {
    this.#look()
    const left = begun + restMs(this.#step.everyMs, pixels) - performance.now()
    if (left > 0) await sleep(left)
  }

  #look(): void {
    const now = performance.now()
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    const pressure = cpuPressure()
    this.#step = STEPS.find(({ above }) => pressure > above) ?? this.#step
  }
}

/** A change of a few letters is shown at once on a busy machine too: what is held back is what costs. */
export const restMs = (everyMs: number, pixels: number): number =>
  Math.max(LEAST_MS, LEAST_MS + (everyMs - LEAST_MS) * Math.min(1, pixels / LARGE))

/** The share of the last ten seconds in which something waited for a processor, in percent; 0 where the system does not tell. */
function cpuPressure(): number {
  try {
    const [, share] = /^some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? []
    return Number(share ?? 0)
  } catch {
    return 0
  }
}
