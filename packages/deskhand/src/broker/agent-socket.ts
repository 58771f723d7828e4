import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { hasCode, isEndpoint, isOwn } from '@deskhand/core/platform'

/**
 * A socket for agents of other users, in a folder (the door). A group may pass through the folder and open the socket; no client of it
 * is an operator, and all other files of the broker stay with their owner.
 */
export class AgentSocket {
  readonly dir: string

  constructor(dir: string) {
    this.dir = resolve(dir)
  }

  get socket(): string {
    return join(this.dir, 'socket')
  }

  /** Makes the folder for a group; refused where the group could not reach it, or others could replace it. */
  open(gid: number): void {
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
    // Earlier versions left a token here.
    rmSync(join(this.dir, 'token'), { force: true })
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
    try {
      rmdirSync(this.dir)
    } catch {
      // It holds something that is not ours.
    }
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
