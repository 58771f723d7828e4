import { readdirSync, readlinkSync } from 'node:fs'

/** What a process has open, by name; throws where it is gone or another user's. */
export function openFiles(pid: number): Set<string> {
  return new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)))
}

/** Whether a process has a terminal for other programs: it takes text in as fast as it comes. */
export function isTerminal(pid: number): boolean {
  try {
    return openFiles(pid).has('/dev/ptmx')
  } catch {
    return false
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since it was listed.
    return ''
  }
}
