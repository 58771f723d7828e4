import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'

/** A process that cannot be mistaken for a later one with the same pid. */
export const ProcessId = z.object({ pid: z.number().int().positive(), started: z.string() })
export type ProcessId = z.infer<typeof ProcessId>

/** The running process with this pid; undefined when there is none, or only its corpse. */
export function identify(pid: number): ProcessId | undefined {
  return stat(pid)?.process
}

/** A process that we just started; it may have ended already. */
export function identifyChild(pid: number): ProcessId | undefined {
  return stat(pid, true)?.process
}

export function isAlive(process: ProcessId): boolean {
  return identify(process.pid)?.started === process.started
}

/** What a process of a desktop carries, however it was started: in its environment, and as a limit that no program looks at. */
export interface Mark {
  variable: string
  locks: string
}

/** Some programs, Chromium among them, write over their environment; limits are inherited by everything and can hardly be lost. */
export const isMarked = (pid: number, mark: Mark): boolean =>
  read(`/proc/${pid}/environ`)?.split('\0').includes(mark.variable) === true || isLimited(pid, mark)

const isLimited = (pid: number, mark: Mark): boolean => read(`/proc/${pid}/limits`)?.includes(` ${mark.locks} `) === true

/**
 * Every process that carries `mark`, and every one that such a process started. This one is never among them, nor is what called it
 * or reads from it in a shell that was put on the desktop; what was started there has the limit, too.
 */
export const marked = (mark: Mark): ProcessId[] => search(mark)()

/**
 * Finds the processes of `mark` again and again. Those that lost it are known by their parents, and by the session that one of ours leads, even
 * when parent and leader have ended since the first look.
 */
export function search(mark: Mark): () => ProcessId[] {
  const sessions = new Set<number>()
  return () => {
    const all = everybody()
    const callers = callersOf(process.pid, all)
    const ours = new Map<number, boolean>()
    const isOurs = (pid: number): boolean => {
      const known = ours.get(pid)
      if (known !== undefined) return known
      // A parent that changes while we look cannot lead us in a circle.
      ours.set(pid, false)
      const found = all.get(pid)
      if (found === undefined || pid === process.pid) return false
      const { parent, session } = found
      const is = callers.has(pid)
        ? isLimited(pid, mark)
        : isMarked(pid, mark) || sessions.has(session) || isOurs(parent) || (session !== pid && isOurs(session))
      ours.set(pid, is)
      if (is && session === pid) sessions.add(session)
      return is
    }
    return [...all.values()].map((p) => p.process).filter((p) => isOurs(p.pid))
  }
}

/** The processes that a process started and that still run below it. */
export const childrenOf = (pid: number): ProcessId[] => [...everybody().values()].filter((p) => p.parent === pid).map((p) => p.process)

function everybody(): Map<number, Stat> {
  const all = new Map<number, Stat>()
  for (const entry of readdirSync('/proc')) {
    const found = /^\d+$/.test(entry) ? stat(Number(entry)) : undefined
    if (found !== undefined) all.set(found.process.pid, found)
  }
  return all
}

/** What a process was called by, and what stands beside it in a pipe. */
function callersOf(pid: number, all: ReadonlyMap<number, Stat>): Set<number> {
  const callers = new Set<number>()
  const one = all.get(pid)
  for (let p = all.get(one?.parent ?? 0); p !== undefined && !callers.has(p.process.pid); p = all.get(p.parent)) callers.add(p.process.pid)
  const beside = [...all.values()].filter((p) => p.group === one?.group && callers.has(p.parent))
  return new Set([...callers, ...beside.map((p) => p.process.pid)])
}

/** How long a killed process may take to be gone. */
const GONE_MS = 5000

/** Ends processes, politely first, until none that `find` ever named is left. Only those are touched. Throws when one cannot be ended. */
export async function endAll(find: () => ProcessId[], politeMs: number): Promise<void> {
  const end = performance.now() + politeMs
  const known = new Map<number, ProcessId>()
  const asked = new Set<ProcessId>()
  for (;;) {
    for (const p of find()) if (known.get(p.pid)?.started !== p.started) known.set(p.pid, p)
    const left = [...known.values()].filter(isAlive)
    if (left.length === 0) return
    const late = performance.now() > end
    if (performance.now() > end + GONE_MS)
      throw new DeskhandError('DRIVER_FAILED', `these processes do not end: ${left.map((p) => p.pid).join(', ')}`, {
        next: 'End them as the user who owns them, then run deskhand desktop down.',
      })
    for (const p of left) {
      if (!late && asked.has(p)) continue
      asked.add(p)
      signal(p.pid, late ? 'SIGKILL' : 'SIGTERM')
    }
    await sleep(10)
  }
}

/** Sends a signal, if there is still anybody to hear it. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
    // A stopped process takes notice only when it goes on.
    process.kill(pid, 'SIGCONT')
  } catch {
    // It ended by itself.
  }
}

interface Stat {
  process: ProcessId
  parent: number
  group: number
  session: number
}

function stat(pid: number, corpses = false): Stat | undefined {
  const text = read(`/proc/${pid}/stat`)
  const [state, parent, group, session, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  const [threads, started] = [rest[13], rest[15]]
  // A process whose first thread has ended looks dead while the others still write.
  const isCorpse = state === 'X' || (state === 'Z' && Number(threads) <= 1)
  return started === undefined || (isCorpse && !corpses)
    ? undefined
    : { process: { pid, started }, parent: Number(parent), group: Number(group), session: Number(session) }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}
