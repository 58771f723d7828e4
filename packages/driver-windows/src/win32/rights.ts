import koffi from 'koffi'
import { DeskhandError } from '@deskhand/core/errors'
import { advapi32, kernel32 } from './api.ts'
import type { Handle } from './library.ts'
import { ownerThread } from './window.ts'

const [QUERY_LIMITED, TOKEN_QUERY] = [0x1000, 8]
const [ELEVATION, INTEGRITY_LEVEL] = [20, 25]
const HIGHEST = Number.MAX_SAFE_INTEGER

/** How high the rights of processes are. A process keeps its rights, so each is asked for once while it has windows. */
const known = new Map<number, number>()
const own = rankOf(process.pid)

/**
 * Whether Windows keeps this process out of another one. It does so in silence: messages and keys to windows of a process with higher rights
 * are taken and come to nothing.
 */
export function isAbove(pid: number): boolean {
  let rank = known.get(pid)
  if (rank === undefined) known.set(pid, (rank = rankOf(pid)))
  return rank > own
}

/** Forgets processes without a window: their ids may be given to others. */
export function keepRights(pids: ReadonlySet<number>): void {
  for (const pid of known.keys()) if (!pids.has(pid)) known.delete(pid)
}

/** Throws for a window that this process may not operate. */
export function mustBeInReach(h: Handle, name: string): void {
  if (h === 0 || !isAbove(ownerThread(h).pid)) return
  throw new DeskhandError('NOT_ACTIONABLE', `"${name}" belongs to a program with higher rights, which Windows lets Deskhand not operate`, {
    next: 'Run Deskhand with the same rights as the program that it operates, or choose another window.',
  })
}

/** The integrity level, and of two that are alike the elevated one; a process that tells nothing of its rights is above all. */
function rankOf(pid: number): number {
  const handle = kernel32.OpenProcess(QUERY_LIMITED, 0, pid)
  if (handle === 0) return HIGHEST
  const out = Buffer.alloc(8)
  try {
    if (advapi32.OpenProcessToken(handle, TOKEN_QUERY, out) === 0) return HIGHEST
    const token = Number(out.readBigInt64LE(0))
    try {
      return 2 * integrityOf(token) + (isElevated(token) ? 1 : 0)
    } finally {
      kernel32.CloseHandle(token)
    }
  } finally {
    kernel32.CloseHandle(handle)
  }
}

/** The last part of the identifier that stands for a level. */
function integrityOf(token: Handle): number {
  const [label, size] = [Buffer.alloc(128), Buffer.alloc(4)]
  if (advapi32.GetTokenInformation(token, INTEGRITY_LEVEL, label, label.length, size) === 0) return 0
  const parts = Buffer.from(koffi.view(label.readBigUInt64LE(0), 8 + 4 * 15))
  return parts.readUInt32LE(8 + 4 * (parts.readUInt8(1) - 1))
}

function isElevated(token: Handle): boolean {
  const [elevation, size] = [Buffer.alloc(4), Buffer.alloc(4)]
  return advapi32.GetTokenInformation(token, ELEVATION, elevation, 4, size) !== 0 && elevation.readUInt32LE(0) !== 0
}
