import { rmSync, statSync } from 'node:fs'
import type { SandboxRecord } from './record.ts'

/** A file's number, by which it is told from a later one of the same name. */
export function inodeOf(path: string): string | undefined {
  try {
    const { ino, ctimeMs } = statSync(path)
    return `${ino}@${ctimeMs}`
  } catch {
    return undefined
  }
}

/** A killed X server leaves its socket. It is ours to remove only while it is the very one that server made. */
export function freeDisplay({ socket }: Pick<SandboxRecord, 'socket'>): void {
  if (socket !== undefined && inodeOf(socket.path) === socket.inode) rmSync(socket.path, { force: true })
}
