import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** A process that cannot be mistaken for a later one with the same pid. */
export const ProcessId = z.object({ pid: z.number().int().positive(), started: z.string() })
export type ProcessId = z.infer<typeof ProcessId>

/** The running process with this pid; undefined when there is none, or only its corpse. */
export function identify(pid: number): ProcessId | undefined {
  return stat(pid)?.process
}

export function isAlive(process: ProcessId): boolean {
  return identify(process.pid)?.started === process.started
}

/** Whether a process carries `mark` in its environment. */
export function isMarked(pid: number | string, mark: string): boolean {
  return read(`/proc/${pid}/environ`)?.split('\0').includes(mark) === true
}

/** Every process of ours that carries `mark`, and every one that such a process started, even with an environment of its own. This process is never among them. */
export function marked(mark: string): ProcessId[] {
  const all = new Map<number, { process: ProcessId; parent: number }>()
  for (const entry of readdirSync('/proc')) {
    const found = /^\d+$/.test(entry) ? stat(Number(entry)) : undefined
    if (found !== undefined) all.set(found.process.pid, found)
  }
  const ours = new Map<number, boolean>()
  const isOurs = (pid: number): boolean => {
    const known = ours.get(pid)
    if (known !== undefined) return known
    // A parent that changes while we look cannot lead us in a circle.
    ours.set(pid, false)
    const found = all.get(pid)
    const is = found !== undefined && pid !== process.pid && (isMarked(pid, mark) || isOurs(found.parent))
    ours.set(pid, is)
    return is
  }
  return [...all.values()].filter((p) => isOurs(p.process.pid)).map((p) => p.process)
}

/** Ends processes, politely first, until none that `find` ever named is left. Only those are touched. */
export async function endAll(find: () => ProcessId[], politeMs: number): Promise<void> {
  const end = performance.now() + politeMs
  const known = new Map<number, ProcessId>()
  const asked = new Set<ProcessId>()
  for (;;) {
    for (const p of find()) if (known.get(p.pid)?.started !== p.started) known.set(p.pid, p)
    const left = [...known.values()].filter(isAlive)
    if (left.length === 0) return
    const late = performance.now() > end
    for (const p of left) {
      if (!late && asked.has(p)) continue
      asked.add(p)
      signal(p.pid, late ? 'SIGKILL' : 'SIGTERM')
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

function stat(pid: number): { process: ProcessId; parent: number } | undefined {
  const text = read(`/proc/${pid}/stat`)
  const [state, parent, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  const started = rest[17]
  return started === undefined || state === 'Z' || state === 'X' ? undefined : { process: { pid, started }, parent: Number(parent) }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}
