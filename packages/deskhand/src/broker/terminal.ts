import { readFileSync } from 'node:fs'

/**
 * A process and what stands between it and the terminal it runs in, that terminal included: whoever could type there could
 * answer approvals. Empty without a terminal. A multiplexer is found, the window that shows it is not.
 */
export function terminalOf(pid: number): number[] {
  const found: number[] = []
  for (let at = pid; at > 1 && found.length < MOST;) {
    const stat = read(at)
    if (stat === undefined || stat.tty === 0) break
    found.push(at)
    if (stat.session === at && stat.parent > 1) return [...found, stat.parent]
    at = stat.parent
  }
  return found
}

const MOST = 32

function read(pid: number): { parent: number; session: number; tty: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [, parent, , session, tty] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return parent === undefined || session === undefined || tty === undefined ? undefined : { parent, session, tty }
  } catch {
    return undefined
  }
}
