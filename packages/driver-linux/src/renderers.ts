import { readdirSync, readFileSync } from 'node:fs'

/** The processes that run the pages of a browser: what is sent to it goes on to them, and they tell it later what became of that. */
export function renderersOf(browser: number | undefined): number[] {
  if (browser === undefined) return []
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : ''
    const parent = /^\S+ (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2))?.[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const isBelow = (pid: number | undefined): boolean => pid !== undefined && pid > 1 && (pid === browser || isBelow(parents.get(pid)))
  return [...parents.keys()].filter((pid) => pid !== browser && isBelow(pid) && read(`/proc/${pid}/cmdline`).includes('--type=renderer'))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
