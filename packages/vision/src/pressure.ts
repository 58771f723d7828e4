import { readFileSync } from 'node:fs'

/** Where some process waits for the processor this share of the time, recognition takes one thread and what others leave. */
const PRESSURE_PERCENT = 25

/** Whether the processor is short by what the kernel tells of the last ten seconds; not where it does not tell. */
export function isPressed(): boolean {
  try {
    return Number(/some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? 0) > PRESSURE_PERCENT
  } catch {
    return false
  }
}
