import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { hasCode, isEndpoint, isOwn } from '@deskhand/core/platform'

/**
 * A socket for agents of other users, in a folder (the door) with the agent's token. A group may pass through the folder and read
 * that token; no client of this socket is an operator, and all other files of the broker stay with their owner.
 */
export class AgentSocket {
  readonly dir: string

  constructor(dir: string) {
    this.dir = resolve(dir)
  }

  get socket(): string {
    return join(this.dir, 'socket')
  }

  /** The agent's token, as users of the group read it. */
  token(): string {
    try {
      return readFileSync(this.#tokenFile, 'utf8').trim()
    } catch (cause) {
      const next = 'Ask the operator to add you to the group of the door, and log in again.'
      throw new DeskhandError('UNAUTHORIZED', `no agent's token can be read in ${this.dir}`, { cause, next })
    }
  }

  /** Makes the folder for a group; refused where the group could not reach it, or others could replace it. */
  open(gid: number, token: string): void {
    if (process.getuid === undefined)
      throw new DeskhandError('NOT_CAPABLE', 'this system has no groups to let agents of other users in by', {
        next: 'Run the agent as the same user, without --agent-group.',
      })
    if (!isEndpoint(this.socket)) throw bad(`${this.dir} is too long a path for a socket`, 'Name a shorter one with --door.')
    mkdirSync(dirname(this.dir), { recursive: true, mode: 0o755 })
    try {
      mkdirSync(this.dir, { mode: 0o700 })
    } catch (thrown) {
      if (!hasCode(thrown, 'EEXIST')) throw thrown
    }
    const folder = lstatSync(this.dir)
    if (!folder.isDirectory() || !isOwn(folder)) throw bad(`${this.dir} is there already, and not as a folder of ours`)
    for (let at = dirname(this.dir); ; at = dirname(at)) {
      checkWay(at, gid)
      if (at === dirname(at)) break
    }
    this.give(this.dir, gid, 0o710)
    const draft = join(this.dir, `.${randomBytes(6).toString('hex')}`)
    writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: 'wx' })
    this.give(draft, gid, 0o640)
    renameSync(draft, this.#tokenFile)
  }

  /** Gives the group a file in the folder. */
  give(path: string, gid: number, mode: number): void {
    try {
      chownSync(path, process.getuid?.() ?? 0, gid)
    } catch (cause) {
      throw new DeskhandError('BAD_CONFIG', `${path} cannot be given to the group ${gid}`, {
        cause,
        next: `Add yourself to that group: usermod -aG ${gid} $USER`,
      })
    }
    chmodSync(path, mode)
  }

  close(): void {
    rmSync(this.socket, { force: true })
    rmSync(this.#tokenFile, { force: true })
    try {
      rmdirSync(this.dir)
    } catch {
      // It holds something that is not ours.
    }
  }

  get #tokenFile(): string {
    return join(this.dir, 'token')
  }
}

/** The number of a group given by number or name. */
export function groupId(group: string): number {
  if (/^\d+$/.test(group)) return Number(group)
  const line = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((l) => l.startsWith(`${group}:`))
  const gid = Number(line?.split(':')[2] ?? Number.NaN)
  if (!Number.isInteger(gid)) throw bad(`there is no group ${group}`, `Make it with: groupadd ${group}`)
  return gid
}

function checkWay(folder: string, gid: number): void {
  const stat = lstatSync(folder)
  const passes = (stat.mode & 0o001) !== 0 || (stat.gid === gid && (stat.mode & 0o010) !== 0)
  if (!passes)
    throw bad(
      `the group ${gid} cannot pass through ${folder} (mode ${(stat.mode & 0o777).toString(8)})`,
      'Name another place with --door, such as /run/deskhand/desk.',
    )
  const replaceable = (stat.mode & 0o022) !== 0 && (stat.mode & 0o1000) === 0
  if (replaceable && !stat.isSymbolicLink())
    throw bad(`others can replace what lies in ${folder} (mode ${(stat.mode & 0o777).toString(8)})`, 'Name another place with --door.')
}

const bad = (message: string, next?: string): DeskhandError => new DeskhandError('BAD_CONFIG', message, { next })
