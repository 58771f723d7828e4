import type { Handle } from '../win32/library.ts'
import { RemoteMemory } from '../win32/remote.ts'

/** What a read of one window knows and gathers. */
export interface Reading {
  app: string
  pid: number
  /** What could not be read, in words with the answer that was given. */
  gaps: Set<string>
  /** Memory inside the application, once it was needed; null where the application does not let this process in. */
  memory?: RemoteMemory | null
}

export function memoryFor(reading: Reading): RemoteMemory | undefined {
  reading.memory ??= RemoteMemory.of(reading.pid) ?? null
  if (reading.memory === null) reading.gaps.add('the insides of lists and trees cannot be read: the program runs with higher rights')
  return reading.memory ?? undefined
}

/** Thrown when an application does not answer: what was read of its window so far is worth nothing. */
export class Unanswered extends Error {}

export function answered<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Unanswered()
  return answer
}

export const keyOf = (h: Handle, pid: number): string => `${h.toString(16)}.${pid.toString(16)}`
