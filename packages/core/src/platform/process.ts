import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessId {
  pid: number
  started: string
}

/** Reads what was written about a process; undefined where it is something else. */
export function readProcessId(value: unknown): ProcessId | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return undefined
  const { pid, started } = value
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 && typeof started === 'string' ? { pid, started } : undefined
}

/** What the system's process table says about a process. */
export interface ProcessInfo {
  id: ProcessId
  parent: number
  group: number
  session: number
  /** The terminal it runs in; 0 without one. */
  terminal: number
}

/** How one system tells its processes apart; another system adds its own here. */
interface ProcessTable {
  identify(pid: number): ProcessId | undefined
  isAlive(process: ProcessId): boolean
}

/** The running process with this pid; undefined when there is none, or only its corpse. */
export const identify = (pid: number): ProcessId | undefined => table.identify(pid)

export const isAlive = (process: ProcessId): boolean => table.isAlive(process)

/** This process. */
export const self = (): ProcessId => identify(process.pid) ?? { pid: process.pid, started: ownStart }

/** One row of the process table; undefined where the system has none, and for a corpse unless it is asked for. */
export function inspect(pid: number, options: { corpses?: boolean } = {}): ProcessInfo | undefined {
  const text = readProc(`${pid}/stat`)
  const [state, parent, group, session, terminal, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  const [threads, started] = [rest[12], rest[14]]
  // A process whose first thread has ended looks dead while the others still write.
  const isCorpse = state === 'X' || (state === 'Z' && Number(threads) <= 1)
  if (started === undefined || (isCorpse && options.corpses !== true)) return undefined
  return { id: { pid, started }, parent: Number(parent), group: Number(group), session: Number(session), terminal: Number(terminal) }
}

/** The whole process table; empty where the system has none. */
export function processes(): ProcessInfo[] {
  const pids = HAS_PROC && existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  return pids.flatMap((pid) => inspect(Number(pid)) ?? [])
}

/** On Windows /proc is a folder like any other, on whichever drive is the current one. */
const HAS_PROC = process.platform !== 'win32'

/** A file of /proc; undefined when it or its process is gone. */
export function readProc(path: string): string | undefined {
  if (!HAS_PROC) return undefined
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    return undefined
  }
}

/** `started` counts clock ticks after boot. */
const linux: ProcessTable = {
  identify: (pid) => inspect(pid)?.id,
  isAlive: ({ pid, started }) => inspect(pid)?.id.started === started,
}

/** Knows when this process began, and of others only that they exist: a pid that was given out again counts as alive. */
export const portable: ProcessTable = {
  identify: (pid) => (pid === process.pid ? { pid, started: ownStart } : exists(pid) ? { pid, started: '0' } : undefined),
  isAlive: ({ pid, started }) => (pid === process.pid ? started === ownStart : exists(pid)),
}

const ownStart = String(Math.round(performance.timeOrigin))

const table = readProc('self/stat') === undefined ? portable : linux

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user is there, though it takes no signal from this one.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
