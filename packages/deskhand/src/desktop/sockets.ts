import { lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { isOwn, type ProcessId } from '@deskhand/core/platform'

/** Socket files of the desktop's processes: some programs ignore TMPDIR and leave theirs in /tmp. */
export class Sockets {
  readonly #seen = new Set<string>()
  readonly #inodes = new Map<string, string | undefined>()

  /** Each process is looked at once. */
  note(processes: readonly ProcessId[]): void {
    const fresh = processes.filter(({ pid, started }) => !this.#seen.has(`${pid} ${started}`))
    if (fresh.length === 0) return
    const bound = boundPaths()
    for (const { pid, started } of fresh) {
      this.#seen.add(`${pid} ${started}`)
      for (const inode of socketsOf(pid)) {
        const path = bound.get(inode)
        if (path !== undefined) this.#inodes.set(path, inodeOf(path))
      }
    }
  }

  /** Removes those of this user that are still the same and that no process listens on any more. */
  async clear(): Promise<void> {
    for (const [path, inode] of this.#inodes) {
      const entry = lstatSync(path, { throwIfNoEntry: false })
      if (!entry?.isSocket() || !isOwn(entry) || inodeOf(path) !== inode) continue
      if (await isDeserted(path)) rmSync(path, { force: true })
    }
  }
}

/** Tells a file from a later one of the same name. */
export function inodeOf(path: string): string | undefined {
  try {
    const { ino, ctimeMs } = statSync(path)
    return `${ino}@${ctimeMs}`
  } catch {
    return undefined
  }
}

/** Nothing on this machine is bound to it, and nothing elsewhere that shares the folder answers. */
export async function isDeserted(path: string): Promise<boolean> {
  if (table().includes(` ${path}\n`)) return false
  const knock = connect(path)
  try {
    return await new Promise<boolean>((done) => {
      knock.once('connect', () => done(false))
      knock.once('error', (e: NodeJS.ErrnoException) => done(e.code === 'ECONNREFUSED'))
      knock.setTimeout(1000, () => done(false))
    })
  } finally {
    knock.destroy()
  }
}

/** Of this network only: an isolated program's paths lead elsewhere. */
const table = (): string => readFileSync('/proc/net/unix', 'utf8')

function boundPaths(): Map<string, string> {
  const rows = table().matchAll(/^\S+: (?:\S+ +){5}(\d+) (\/.*)$/gm)
  return new Map([...rows].map(([, inode = '', path = '']) => [inode, path]))
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [])
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
