import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { Bus, Display, accessibilityAddress, authorityFile, enableAccessibility, hasWindowManager } from '@deskhand/driver-linux'
import { environmentOf } from './environment.ts'
import { OPENBOX_CONFIG } from './openbox.ts'
import { identify } from './process.ts'
import { type Programs, findPrograms } from './programs.ts'
import { type PartName, type SandboxRecord, saveRecord } from './record.ts'
import { type Part, startPart } from './part.ts'
import { OWNER_FILE, inodeOf, takeDown } from './takedown.ts'

export interface SandboxOptions {
  /** Where desktops are written down, so that a later process can list and end them. */
  stateDir: string
  width?: number
  height?: number
  /** The folder in which the desktop's own folder is made; short, as socket paths are limited. */
  dir?: string
  /** Outlives this process, until it is taken down. */
  keep?: boolean
  deadlineMs?: number
}

export interface Sandbox {
  record: SandboxRecord
  display: string
  env: Record<string, string>
  down(): Promise<void>
}

/** Brings up a desktop of its own: X server, session bus, accessibility bus, window manager. Nothing of it is left when this fails. */
export async function bringUp(options: SandboxOptions): Promise<Sandbox> {
  const programs = findPrograms()
  const record = lay(options)
  const save = (): void => saveRecord(options.stateDir, record)
  const parts: Part[] = []
  const start = (name: PartName, program: string, args: string[], env = record.env): Part => {
    const part = startPart(name, program, args, env, record.dir)
    parts.push(part)
    record.parts.push({ name, ...part.process })
    save()
    return part
  }
  try {
    save()
    await within(options.deadlineMs ?? 10_000, parts, () => raise(record, programs, start))
    if (options.keep) delete record.owner
    save()
  } catch (error) {
    await takeDown(options.stateDir, record)
    throw error
  }
  return { record, display: record.env.DISPLAY ?? '', env: record.env, down: () => takeDown(options.stateDir, record) }
}

type Start = (name: PartName, program: string, args: string[], env?: Record<string, string>) => Part

async function raise(record: SandboxRecord, programs: Programs, start: Start): Promise<void> {
  const { dir, env } = record
  const cookie = randomBytes(16)
  const authority = join(dir, 'Xauthority')
  writeFileSync(authority, authorityFile(cookie), { mode: 0o600 })
  const screen = `${record.width}x${record.height}x24`
  const server = start('xvfb', programs.Xvfb, ['-screen', '0', screen, '-fbdir', join(dir, 'fb'), '-auth', authority, '-nolisten', 'tcp', '-noreset', '-dpi', '96', '-displayfd', '3'])
  const daemon = start('bus', programs['dbus-daemon'], ['--session', '--nofork', '--nopidfile', '--print-address=3', `--address=${env.DBUS_SESSION_BUS_ADDRESS ?? ''}`])
  const [number] = await Promise.all([server.firstLine, daemon.firstLine])

  env.DISPLAY = record.display = `:${number}`
  const path = `/tmp/.X11-unix/X${number}`
  record.socket = { path, inode: inodeOf(path) ?? '' }
  // Some client libraries want the display's number in the file, which is known only now.
  writeFileSync(`${authority}.new`, authorityFile(cookie, number), { mode: 0o600 })
  renameSync(`${authority}.new`, authority)
  writeFileSync(join(dir, 'openbox.xml'), OPENBOX_CONFIG)
  // In any other locale openbox reads the Compose table again at every change of the keymap.
  start('openbox', programs.openbox, ['--sm-disable', '--config-file', join(dir, 'openbox.xml')], { ...env, LC_ALL: 'C' })
  const [address] = await Promise.all([accessibility(record), windowManager(env)])
  env.AT_SPI_BUS_ADDRESS = address
}

/** The session bus starts the accessibility bus when it is asked for. */
async function accessibility(record: SandboxRecord): Promise<string> {
  const bus = await Bus.connect(record.env.DBUS_SESSION_BUS_ADDRESS ?? '')
  try {
    await bus.daemon('UpdateActivationEnvironment', 'a{ss}', [new Map(Object.entries(record.env))], '')
    const address = await accessibilityAddress(bus)
    const [pid] = await bus.daemon('GetConnectionUnixProcessID', 's', ['org.a11y.Bus'], 'u')
    const launcher = identify(pid)
    if (launcher !== undefined) record.parts.push({ name: 'accessibility', ...launcher })
    await enableAccessibility(bus)
    return address
  } finally {
    bus.close()
  }
}

async function windowManager(env: Record<string, string>): Promise<void> {
  const display = await Display.open(env)
  try {
    while (!(await hasWindowManager(display))) await sleep(5)
  } finally {
    display.close()
  }
}

function lay(options: SandboxOptions): SandboxRecord {
  const id = randomBytes(8).toString('hex')
  const dir = mkdtempSync(join(options.dir ?? tmpdir(), 'deskhand-'))
  // A socket's path has at most 107 bytes; the accessibility bus adds "/run/at-spi/bus_NNN".
  if (Buffer.byteLength(dir) > 80) throw new DeskhandError('BAD_CONFIG', `the folder ${dir} is too long a path for sockets; choose a shorter one`)
  for (const folder of ['run', 'home', 'fb', 'log']) mkdirSync(join(dir, folder), { mode: 0o700 })
  writeFileSync(join(dir, OWNER_FILE), id)
  return {
    v: 1,
    id,
    dir,
    width: options.width ?? 1280,
    height: options.height ?? 800,
    createdAt: new Date().toISOString(),
    owner: identify(process.pid),
    parts: [],
    env: environmentOf(id, dir),
  }
}

/** Waits for the work, for the deadline, or for a part that ends where it should stay. */
async function within(ms: number, parts: readonly Part[], work: () => Promise<void>): Promise<void> {
  const done = new AbortController()
  const late = async (): Promise<never> => {
    const end = performance.now() + ms
    for (;;) {
      await sleep(20, undefined, { signal: done.signal })
      for (const part of parts) part.check()
      if (performance.now() > end) throw new DeskhandError('TIMEOUT', `the desktop did not come up within ${ms} ms`, { details: { logs: parts.map((p) => p.log()) } })
    }
  }
  try {
    await Promise.race([work(), late()])
  } finally {
    done.abort()
  }
}
