import { readFileSync } from 'node:fs'

/** The share of the last ten seconds in which something waited for a processor, in percent; 0 where the system does not tell. */
export function cpuPressure(): number {
  try {
    const [, share] = /^some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? []
    return Number(share ?? 0)
  } catch {
    return 0
  }
}
