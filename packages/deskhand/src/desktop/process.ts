import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { inspect, isAlive, processes, type ProcessId, type ProcessInfo, readProc } from '@deskhand/core/platform'

/** A process that we just started; it may have ended already. */
export const identifyChild = (pid: number): ProcessId | undefined => inspect(pid, { corpses: true })?.id

/** What every process of a desktop inherits: a variable of the environment, and a resource limit that has no other use. */
export interface Mark {
  variable: string
  locks: string
}

/** Some programs, Chromium among them, overwrite their environment; the limit stays. */
export const isMarked = (pid: number, mark: Mark): boolean =>
  readProc(`${pid}/environ`)?.split('\0').includes(mark.variable) === true || isLimited(pid, mark)

const isLimited = (pid: number, mark: Mark): boolean => readProc(`${pid}/limits`)?.includes(` ${mark.locks} `) === true

/**
 * Every process that carries `mark`, and every one that such a process started. Never this process, nor its callers and the other ends of
 * its pipes in a shell whose environment points to the desktop; processes that were started on the desktop have the limit as well.
 */
export const marked = (mark: Mark): ProcessId[] => search(mark)()

/**
 * Finds the processes of `mark`, each time it is called. Those without the mark are recognised by their parents and by their session, even
 * when parent and session leader have ended since the first call.
 */
export function search(mark: Mark): () => ProcessId[] {
  const sessions = new Set<number>()
  return () => {
    const all = processTable()
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
    return [...all.values()].map((p) => p.id).filter((p) => isOurs(p.pid))
  }
}

/** The processes that a process started and that still run below it. */
export const childrenOf = (pid: number): ProcessId[] =>
  processes()
    .filter((p) => p.parent === pid)
    .map((p) => p.id)

const processTable = (): Map<number, ProcessInfo> => new Map(processes().map((p) => [p.id.pid, p]))

/** The ancestors of a process, and the other processes of its pipe. */
function callersOf(pid: number, all: ReadonlyMap<number, ProcessInfo>): Set<number> {
  const callers = new Set<number>()
  const one = all.get(pid)
  for (let p = all.get(one?.parent ?? 0); p !== undefined && !callers.has(p.id.pid); p = all.get(p.parent)) callers.add(p.id.pid)
  const beside = [...all.values()].filter((p) => p.group === one?.group && callers.has(p.parent))
  return new Set([...callers, ...beside.map((p) => p.id.pid)])
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

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
    // A stopped process takes notice only when it goes on.
    process.kill(pid, 'SIGCONT')
  } catch {
    // It ended by itself.
  }
}
