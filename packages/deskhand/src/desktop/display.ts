import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isOwn } from '@deskhand/core/platform'
import type { SandboxRecord } from './record.ts'
import { inodeOf, isDeserted } from './sockets.ts'

const SOCKETS = '/tmp/.X11-unix'

export const displaySocket = (number: string): string => join(SOCKETS, `X${number}`)

/**
 * Removes the socket that a killed X server left, if it is still the one that this server made. If the server was killed before it reported
 * its display, removes the sockets of this user that were made since and that no process listens on.
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
      return made !== undefined && isOwn(made) && made.ctimeMs >= ms
    })
  } catch {
    return []
  }
}
