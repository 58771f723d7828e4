import type { WinNode } from '../node.ts'
import type { Handle } from '../win32/library.ts'
import type { MsaaControls } from '../msaa/controls.ts'
import { RemoteMemory } from '../win32/remote.ts'

/** What a read of one window knows and gathers. */
export interface Reading {
  app: string
  pid: number
  /** What could not be read, in words with the answer that was given. */
  gaps: Set<string>
  /** What MSAA said of controls, and those that tell nothing by messages: they are asked next. */
  msaa: MsaaControls
  untold: Handle[]
  /** Memory inside the application, once it was needed; null where the application does not let this process in. */
  memory?: RemoteMemory | null
}

/** Puts what MSAA says of a control below it; answers whether there is something. */
export function fillByMsaa(node: WinNode, { msaa, untold }: Reading): boolean {
  untold.push(node.hwnd)
  return msaa.fill(node)
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
