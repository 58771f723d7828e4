import { availableParallelism, constants } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

/** How much recognition takes of the machine. */
export interface Effort {
  threads: number
  /** As the system counts it: a higher number gives way to a lower one. */
  priority: number
  /** So many lines of which the first engine is not sure are read by the second one, where a text was not found. */
  secondLooks: number
  /** What changes all the time is read anew only after so many times what a reading took. */
  rest: number
  why: string
}

const THREADS = Math.max(1, Math.min(4, availableParallelism()))

/** By the share of time in which something waits for a processor, in percent: from the most that is held back to nothing. */
const LEVELS: readonly (Effort & { above: number })[] = [
  { above: 60, threads: 1, priority: PRIORITY_LOW, secondLooks: 8, rest: 8, why: 'the processors are overloaded' },
  { above: 25, threads: 1, priority: PRIORITY_LOW, secondLooks: 15, rest: 4, why: 'the processors are busy' },
  { above: -1, threads: THREADS, priority: PRIORITY_BELOW_NORMAL, secondLooks: 30, rest: 2, why: 'nothing holds it back' },
]

export function effortAt(pressure: number): Effort {
  const { above: _, ...effort } = LEVELS.find(({ above }) => pressure > above) ?? LEVELS.at(-1)!
  return effort
}

/** What is held back and why, for people; undefined where nothing is. */
export function heldBack({ threads, priority, secondLooks, rest, why }: Effort): string | undefined {
  if (priority !== PRIORITY_LOW) return undefined
  return `${why}: ${threads === 1 ? 'one thread' : `${threads} threads`} of the lowest priority, ${secondLooks} lines looked at twice, and what changes all the time rests ${rest} times as long as it took`
}
