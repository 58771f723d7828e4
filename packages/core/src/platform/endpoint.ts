import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { isOwn, makeFolder } from './owner-files.ts'

const WINDOWS = process.platform === 'win32'
/** A Unix socket's path holds 107 bytes, on some systems 103. */
const LONGEST_PATH = 100

export interface Listener {
  /** Takes no more connections and removes the endpoint; open connections stay. */
  close(): void
}

/** The endpoint for a socket at `path`: that path, a short name for one that is too long, on Windows a named pipe. */
export function endpointOf(path: string): string {
  const short = createHash('sha256').update(path).digest('hex').slice(0, 16)
  if (WINDOWS) return `\\\\.\\pipe\\deskhand-${short}`
  return isEndpoint(path) ? path : join(shortFolder(), `${short}.sock`)
}

/** Whether a path can be listened on as it is. */
export const isEndpoint = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_PATH

/** Serves connections of this machine. On Unix the socket has these permissions from its first moment. */
export async function listen(endpoint: string, mode: number, serve: (socket: Socket) => void): Promise<Listener> {
  const server = createServer(serve)
  const started = (): Promise<void> => new Promise((resolve, reject) => void server.once('error', reject).listen(endpoint, resolve))
  if (WINDOWS) await started()
  else {
    if (dirname(endpoint) === shortFolder()) makeShortFolder()
    rmSync(endpoint, { force: true })
    // The socket is made in the same tick, so that no other file gets this mask.
    const mask = process.umask(0o777 & ~mode)
    const listening = started()
    process.umask(mask)
    await listening
    chmodSync(endpoint, mode)
  }
  return {
    close: () => {
      server.close()
      if (!WINDOWS) rmSync(endpoint, { force: true })
    },
  }
}

export function connect(endpoint: string): Promise<Socket> {
  const socket = createConnection(endpoint)
  return new Promise((resolve, reject) => void socket.once('connect', () => resolve(socket)).once('error', reject))
}

/** The other user who owns the folder of an endpoint and could have put a socket of their own there; root trusts every owner. */
export function foreignOwner(endpoint: string): number | undefined {
  const folder = WINDOWS ? undefined : statSync(dirname(endpoint), { throwIfNoEntry: false })
  return folder === undefined || isOwn(folder) || process.getuid?.() === 0 ? undefined : folder.uid
}

const shortFolder = (): string => join(tmpdir(), `deskhand-${process.getuid?.() ?? 'user'}`)

function makeShortFolder(): void {
  const dir = shortFolder()
  makeFolder(dir)
  const folder = lstatSync(dir)
  if (!folder.isDirectory() || !isOwn(folder))
    throw new DeskhandError('BAD_CONFIG', `${dir} does not belong to this user`, {
      next: 'Choose a shorter state folder with DESKHAND_STATE.',
    })
  chmodSync(dir, 0o700)
}
