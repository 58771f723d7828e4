import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import { identify, isAlive, ProcessId } from '../desktop/process.ts'

/** 32 random bytes have 43 characters. */
const SHORTEST_TOKEN = 43

const DoorNote = z.object({ dir: z.string(), gid: z.number() })

/** Where one desktop's broker lives: its lock, socket, tokens and journal, readable by the owner only. */
export class Place {
  readonly name: string
  readonly dir: string
  readonly #state: string

  constructor(state: string, name: string) {
    this.#state = state
    this.name = name
    this.dir = join(state, 'desktops', name)
  }

  get socket(): string {
    const here = join(this.dir, 'socket')
    // A socket's path holds 107 bytes; a longer one moves to a short name in a folder of its owner's.
    return Buffer.byteLength(here) <= 100
      ? here
      : join(this.#shortDir, `${createHash('sha256').update(here).digest('hex').slice(0, 16)}.sock`)
  }

  /** Refuses a socket that somebody else put there, before a token is sent to it. */
  checkSocket(): void {
    const owner = statSync(dirname(this.socket), { throwIfNoEntry: false })?.uid
    if (owner !== undefined && owner !== process.getuid?.() && process.getuid?.() !== 0) {
      throw new DeskhandError('UNAUTHORIZED', `${dirname(this.socket)} belongs to user ${owner}`, {
        next: 'As an agent of another user, come in through the door: DESKHAND_DOOR names it.',
      })
    }
  }

  get #shortDir(): string {
    return join(tmpdir(), `deskhand-${process.getuid?.() ?? 'user'}`)
  }

  get journal(): string {
    return join(this.dir, 'journal')
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
    writeFileSync(join(this.dir, 'desktop'), `${urn}\n`, { mode: 0o600 })
  }

  /** Where agents of other users come in, while the broker runs. */
  door(): z.infer<typeof DoorNote> | undefined {
    try {
      return DoorNote.parse(JSON.parse(readFileSync(join(this.dir, 'door'), 'utf8')))
    } catch {
      return undefined
    }
  }

  setDoor(door: z.infer<typeof DoorNote> | undefined): void {
    const file = join(this.dir, 'door')
    if (door === undefined) rmSync(file, { force: true })
    else writeFileSync(file, JSON.stringify(door), { mode: 0o600 })
  }

  tokenFile(id: string): string {
    if (!/^[\w-]{1,60}$/.test(id)) throw new DeskhandError('BAD_ARGS', `${JSON.stringify(id)} is no name of a principal`)
    return join(this.dir, 'tokens', id)
  }

  prepare(): void {
    const folders = [this.#state, join(this.#state, 'desktops'), this.dir, join(this.dir, 'tokens'), this.keys]
    if (dirname(this.socket) !== this.dir) folders.push(this.#shortDir)
    for (const dir of folders) {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const stat = lstatSync(dir)
      if (dir === this.#shortDir && !(stat.isDirectory() && stat.uid === process.getuid?.()))
        throw new DeskhandError('BAD_CONFIG', `${dir} is not ours`, { next: 'Choose a shorter state folder with DESKHAND_STATE.' })
      chmodSync(dir, 0o700)
    }
    for (const id of ['agent', 'operator']) this.addToken(id)
  }

  addToken(id: string): void {
    const file = this.tokenFile(id)
    // A crash can leave an empty file behind; no token is as short as that.
    if (existsSync(file) && readFileSync(file, 'utf8').trim().length < SHORTEST_TOKEN) rmSync(file)
    if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  }

  /** The secret that makes a client the principal `id`. */
  token(id: string): string {
    try {
      return readFileSync(this.tokenFile(id), 'utf8').trim()
    } catch (cause) {
      throw new DeskhandError('UNAUTHORIZED', `the token of ${id} for the desktop ${this.name} cannot be read`, { cause })
    }
  }

  /** Whose token this is. The name of its file is who the client is; what the client says of itself does not count. */
  principal(token: string): Principal | undefined {
    if (token.length < SHORTEST_TOKEN) return undefined
    const given = createHash('sha256').update(token).digest()
    let found: Principal | undefined
    for (const id of readdirSync(join(this.dir, 'tokens'))) {
      const kept = createHash('sha256').update(this.token(id)).digest()
      // A token that stands in two files makes nobody more than an agent.
      if (timingSafeEqual(given, kept) && found?.role !== 'agent') found = { id, role: id === 'operator' ? 'operator' : 'agent' }
    }
    return found
  }

  /** Takes the desktop for this process; a lock whose process is gone is stale. */
  lock(): () => void {
    const file = join(this.dir, 'lock')
    const mine = join(this.dir, `lock.${process.pid}.${randomBytes(4).toString('hex')}`)
    writeFileSync(mine, JSON.stringify(identify(process.pid)), { mode: 0o600 })
    try {
      for (let tries = 0; tries < 3; tries++) {
        try {
          // A link appears whole or not at all: nobody can read half a lock and take it for a stale one.
          linkSync(mine, file)
          return () => rmSync(file, { force: true })
        } catch {
          const holder = this.holder()
          if (holder !== undefined) throw new DeskhandError('BROKER_BUSY', `process ${holder.pid} owns the desktop ${this.name}`)
          rmSync(file, { force: true })
        }
      }
      throw new DeskhandError('BROKER_BUSY', `the lock of the desktop ${this.name} cannot be taken`)
    } finally {
      rmSync(mine, { force: true })
    }
  }

  holder(): ProcessId | undefined {
    try {
      const holder = ProcessId.parse(JSON.parse(readFileSync(join(this.dir, 'lock'), 'utf8')))
      return isAlive(holder) ? holder : undefined
    } catch {
      return undefined
    }
  }

  /** Every desktop whose broker runs. */
  static running(state: string): Place[] {
    const root = join(state, 'desktops')
    const names = existsSync(root) ? readdirSync(root) : []
    return names.map((name) => new Place(state, name)).filter((place) => place.holder() !== undefined)
  }
}
