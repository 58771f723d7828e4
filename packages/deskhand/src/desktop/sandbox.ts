import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { self } from '@deskhand/core/platform'
import { environmentOf } from './environment.ts'
import { STARTUP_MS, raise, startup, vncServer } from './parts.ts'
import { findPrograms } from './programs.ts'
import { type DisplayName, type SandboxRecord, type Startup, isLeaving, saveRecord } from './record.ts'
import { Starting, takenDown } from './starting.ts'
import { OWNER_FILE, takeDown } from './takedown.ts'

export interface SandboxOptions {
  /** Where desktops are written down, so that a later process can list and end them. */
  stateDir: string
  name?: string
  width?: number
  height?: number
  /** Variables for its programs, beside those that make it a desktop. */
  environment?: Readonly<Record<string, string>>
  /** What runs on it once it is up, in this order. */
  startup?: readonly Startup[]
  /** Its display server; X11 where nothing is said. */
  display?: DisplayName
  /** A view-only VNC server on a socket in its folder. */
  vnc?: boolean
  /** Its applications get no network, no files of this machine's users, no other processes. */
  isolate?: boolean
  /** The folder in which the desktop's own folder is made; short, as socket paths are limited. */
  dir?: string
  /** Outlives this process, until it is taken down. */
  keep?: boolean
  deadlineMs?: number
  /** Gives up what is coming up. */
  signal?: AbortSignal
}

export interface Sandbox {
  record: SandboxRecord
  display: string
  env: Record<string, string>
  down(): Promise<void>
}

/** Brings up a desktop of its own: display server, session bus, accessibility bus, window manager. Nothing of it is left when this fails. */
export async function bringUp(options: SandboxOptions): Promise<Sandbox> {
  const { stateDir } = options
  if (options.vnc === true && options.display === 'wayland')
    throw new DeskhandError('BAD_CONFIG', 'VNC shows only X11 sandboxes', { next: 'Leave VNC out; the console shows this one live.' })
  const programs = findPrograms(options)
  const record = describe(options)
  const on = new Starting(stateDir, record, programs, options.signal)
  const down = (): Promise<void> => takeDown(stateDir, record)
  let written = false
  try {
    saveRecord(stateDir, record)
    written = true
    lay(record)
    await on.within(options.deadlineMs ?? 10_000, async () => {
      await raise(on)
      if (record.vnc) await vncServer(on)
    })
    record.env['DESKHAND_LAUNCH_PREFIX'] = JSON.stringify(on.prefix())
    for (const at of record.startup.keys()) await on.within(2 * STARTUP_MS, () => startup(on, at))
    if (options.keep) delete record.owner
    record.upAt = new Date().toISOString()
    on.save()
  } catch (error) {
    const why = written && isLeaving(stateDir, record.id) ? takenDown(record.id) : isFileError(error) ? unwritable(error) : error
    // What cannot be ended stays written down as dead; why nothing came up is the news.
    await down().catch(() => {})
    throw why
  }
  return { record, display: record.display ?? '', env: record.env, down }
}

function describe(options: SandboxOptions): SandboxRecord {
  const id = randomBytes(8).toString('hex')
  const dir = resolve(options.dir ?? tmpdir(), `deskhand-${id}`)
  // A socket's path has at most 107 bytes; the accessibility bus adds "/run/at-spi/bus_NNN".
  if (Buffer.byteLength(dir) > 80) throw unusable(dir, 'is too long a path for sockets')
  if (!/^[\w/.+-]+$/.test(dir)) throw unusable(dir, 'has characters that addresses of buses do not take')
  return {
    v: 1,
    id,
    name: options.name ?? 'sandbox',
    dir,
    width: options.width ?? 1280,
    height: options.height ?? 800,
    createdAt: new Date().toISOString(),
    owner: self(),
    isolated: options.isolate ?? false,
    vnc: options.vnc ?? false,
    startup: [...(options.startup ?? [])],
    parts: [],
    server: options.display,
    env: { ...environmentOf(id, dir, options.display), ...options.environment },
  }
}

const unusable = (dir: string, why: string): DeskhandError =>
  new DeskhandError('BAD_CONFIG', `the folder ${dir} ${why}`, { next: 'Name another folder in TMPDIR.' })

const isFileError = (thrown: unknown): thrown is NodeJS.ErrnoException =>
  thrown instanceof Error && 'syscall' in thrown && 'path' in thrown && typeof thrown.path === 'string'

const unwritable = (cause: NodeJS.ErrnoException): DeskhandError =>
  new DeskhandError('NO_DESKTOP', `the desktop has no place for its files: ${cause.message}`, {
    next: 'Make room there, or name another folder in TMPDIR or DESKHAND_STATE.',
    cause,
  })

/** Its folder, which is written down before it is made. */
function lay({ id, dir }: SandboxRecord): void {
  mkdirSync(dir, { mode: 0o700 })
  writeFileSync(join(dir, OWNER_FILE), id)
  for (const folder of ['run', 'home', 'tmp', 'fb', 'log']) mkdirSync(join(dir, folder), { mode: 0o700 })
}
