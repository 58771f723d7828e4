import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** A process that cannot be mistaken for a later one with the same pid. */
export const ProcessId = z.object({ pid: z.number().int().positive(), started: z.string() })
export type ProcessId = z.infer<typeof ProcessId>

/** The running process with this pid; undefined when there is none, or only its corpse. */
export function identify(pid: number): ProcessId | undefined {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const started = fields?.[19]
  return started === undefined || fields?.[0] === 'Z' || fields?.[0] === 'X' ? undefined : { pid, started }
}

export function isAlive(process: ProcessId): boolean {
  return identify(process.pid)?.started === process.started
}

/** Every process of ours whose environment carries `mark`; children inherit it, so it finds what was started indirectly too. */
export function marked(mark: string): ProcessId[] {
  const found: ProcessId[] = []
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const environment = read(`/proc/${entry}/environ`)
    if (environment?.split('\0').includes(mark) !== true) continue
    const process = identify(Number(entry))
    if (process !== undefined) found.push(process)
  }
  return found
}

/** Ends processes, politely first, until `find` finds none. Only those it names are touched. */
export async function endAll(find: () => ProcessId[], politeMs: number): Promise<void> {
  const end = performance.now() + politeMs
  const asked = new Set<number>()
  for (let left = find(); left.length > 0; left = find()) {
    const late = performance.now() > end
    for (const p of left) {
      if (!late && asked.has(p.pid)) continue
      asked.add(p.pid)
      if (isAlive(p)) signal(p.pid, late ? 'SIGKILL' : 'SIGTERM')
    }
    await sleep(10)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
    // A stopped process takes notice only when it goes on.
    process.kill(pid, 'SIGCONT')
  } catch {
    // It ended by itself.
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}
