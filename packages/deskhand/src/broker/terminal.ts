import { inspect } from '@deskhand/core/platform'

/**
 * A process and its ancestors up to the terminal it runs in, that terminal included: a process that types there could answer approvals.
 * Empty without a terminal. A multiplexer is found, the window that shows it is not.
 */
export function terminalOf(pid: number): number[] {
  const found: number[] = []
  for (let at = pid; at > 1 && found.length < MOST;) {
    const process = inspect(at)
    if (process === undefined || process.terminal === 0) break
    found.push(at)
    if (process.session === at && process.parent > 1) return [...found, process.parent]
    at = process.parent
  }
  return found
}

const MOST = 32
