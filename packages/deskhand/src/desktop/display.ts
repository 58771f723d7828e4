import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxRecord } from './record.ts'
import { inodeOf, isDeserted } from './sockets.ts'

const SOCKETS = '/tmp/.X11-unix'

export const displaySocket = (number: string): string => join(SOCKETS, `X${number}`)

/**
 * A killed X server leaves its socket. It is ours to remove only while it is the very one that server made; where the server was killed before it
 * told its display, those go that were made since then by this user and that nobody is behind.
 */
export async function freeDisplay({ socket, parts, createdAt }: Pick<SandboxRecord, 'socket' | 'parts' | 'createdAt'>): Promise<void> {
  if (socket !== undefined) {
    if (inodeOf(socket.path) === socket.inode) rmSync(socket.path, { force: true })
  } else if (parts.some((p) => p.name === 'xvfb')) {
    for (const path of madeSince(Date.parse(createdAt))) if (await isDeserted(path)) rmSync(path, { force: true })
  }
}

function madeSince(ms: number): string[] {
  try {
    const paths = readdirSync(SOCKETS).map((name) => join(SOCKETS, name))
    return paths.filter((path) => {
      const made = statSync(path, { throwIfNoEntry: false })
      return made !== undefined && made.uid === process.getuid?.() && made.ctimeMs >= ms
    })
  } catch {
    return []
  }
}
