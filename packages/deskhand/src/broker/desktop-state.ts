import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Trust } from '@deskhand/core/model'
import {
  endpointOf,
  foreignOwner,
  isAlive,
  lockHolder,
  makeOwnerFolder,
  type ProcessId,
  readProcessId,
  takeLock,
  writeOwnerOnly,
} from '@deskhand/core/platform'
import { TokenFiles } from './token-files.ts'

interface DoorNote {
  dir: string
  gid: number
  trust?: Trust
}

/** The files of one desktop's broker: its lock, socket, tokens and journal, readable by their owner only. */
export class DesktopState {
  readonly name: string
  readonly dir: string
  readonly tokens: TokenFiles
  readonly #state: string

  constructor(state: string, name: string) {
    this.#state = state
    this.name = name
    this.dir = join(state, 'desktops', name)
    this.tokens = new TokenFiles(join(this.dir, 'tokens'))
  }

  /** Where the broker listens. */
  get socket(): string {
    return endpointOf(join(this.dir, 'socket'))
  }

  /** Refuses a socket in a folder of another user: what answers there would not be the broker. */
  checkSocket(): void {
    const owner = foreignOwner(this.socket)
    if (owner === undefined) return
    throw new DeskhandError('UNAUTHORIZED', `${dirname(this.socket)} belongs to user ${owner}`, {
      next: 'As an agent of another user, come in through the door: DESKHAND_DOOR names it.',
    })
  }

  get journal(): string {
    return join(this.dir, 'journal')
  }

  /** The policy file that operators save over the API. */
  get rules(): string {
    return join(this.dir, 'rules.toml')
  }

  /** Keys and anchors stay outside the journal's folder. */
  get keys(): string {
    return join(this.#state, 'keys')
  }

  /** The URN of the desktop whose record is kept here. */
  desktop(): string | undefined {
    try {
      return readFileSync(join(this.dir, 'desktop'), 'utf8').trim()
    } catch {
      return undefined
    }
  }

  setDesktop(urn: string): void {
    writeOwnerOnly(join(this.dir, 'desktop'), `${urn}\n`)
  }

  /** The folder for agents of other users, while the broker runs. */
  door(): DoorNote | undefined {
    try {
      const { dir, gid, trust } = JSON.parse(readFileSync(join(this.dir, 'door'), 'utf8')) as Partial<DoorNote>
      return dir === undefined || gid === undefined ? undefined : { dir, gid, trust }
    } catch {
      return undefined
    }
  }

  setDoor(door: DoorNote | undefined): void {
    const file = join(this.dir, 'door')
    if (door === undefined) rmSync(file, { force: true })
    else writeOwnerOnly(file, JSON.stringify(door))
  }

  /** Makes the folders, and leaves no token of an earlier version as it is. */
  prepare(): void {
    for (const dir of [this.#state, join(this.#state, 'desktops'), this.dir, this.tokens.dir, this.keys]) makeOwnerFolder(dir)
    this.tokens.hash()
  }

  /** Takes the desktop for this process, until the returned function is called. */
  async lock(): Promise<() => void> {
    const earlier = this.#earlierHolder()
    if (earlier !== undefined) throw new DeskhandError('BROKER_BUSY', `The desktop ${this.name} is held by process ${earlier.pid}.`)
    const { release } = await takeLock(this.dir, 'broker', `The desktop ${this.name}`)
    rmSync(this.#earlierLock, { force: true })
    return release
  }

  /** The process that owns this desktop, while it lives. */
  holder(): ProcessId | undefined {
    return lockHolder(this.dir, 'broker') ?? this.#earlierHolder()
  }

  /** Version 0.1.0 wrote its lock into one file; a broker of that version may still run. */
  get #earlierLock(): string {
    return join(this.dir, 'lock')
  }

  #earlierHolder(): ProcessId | undefined {
    try {
      const holder = readProcessId(JSON.parse(readFileSync(this.#earlierLock, 'utf8')))
      return holder !== undefined && isAlive(holder) ? holder : undefined
    } catch {
      return undefined
    }
  }

  /** Every desktop whose broker runs. */
  static running(state: string): DesktopState[] {
    const root = join(state, 'desktops')
    const names = existsSync(root) ? readdirSync(root) : []
    return names.map((name) => new DesktopState(state, name)).filter((desktop) => desktop.holder() !== undefined)
  }
}
