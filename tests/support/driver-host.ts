import { readFileSync, readdirSync } from 'node:fs'

/** The driver host of a broker: the one of its descendants that runs it. */
export function hostOf(broker: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended meanwhile.
    }
  }
  const isBelow = (pid: number | undefined): boolean => pid !== undefined && pid > 1 && (pid === broker || isBelow(parents.get(pid)))
  const host = [...parents.keys()].find(
    (pid) => pid !== broker && isBelow(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('driver-linux/dist/host.js'),
  )
  if (host === undefined) throw new Error('the broker has no driver host')
  return host
}
