import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { Bus, Display, accessibilityAddress, authorityFile, enableAccessibility, hasWindowManager } from '@deskhand/driver-linux'
import { sessionRules, writeRules } from './bus.ts'
import { displaySocket } from './display.ts'
import { markOf } from './environment.ts'
import { OPENBOX_CONFIG } from './openbox.ts'
import { exitCode, exitFile, said } from './part.ts'
import { identify, isAlive } from '@deskhand/core/platform'
import { endAll, isMarked } from './process.ts'
import { accessibilityLauncher } from './programs.ts'
import { vncSocket } from './record.ts'
import { compositor } from './sway.ts'
import { inodeOf } from './sockets.ts'
import type { Starting } from './starting.ts'

export const STARTUP_MS = 30_000

/** Display server, session bus, accessibility bus and window manager: what is there before anything else. */
export async function raise(on: Starting): Promise<void> {
  if (on.record.server !== 'wayland') return raiseX11(on)
  const server = compositor(on)
  if (on.record.isolated) await server
  await Promise.all([server, sessionBus(on)])
  await accessibility(on)
}

async function raiseX11(on: Starting): Promise<void> {
  const { dir, env } = on.record
  const cookie = randomBytes(16)
  const authority = join(dir, 'Xauthority')
  writeFileSync(authority, authorityFile(cookie), { mode: 0o600 })
  const server = xServer(on, authority).then((number) => {
    env['DISPLAY'] = on.record.display = `:${number}`
    const path = displaySocket(number)
    on.record.socket = { path, inode: inodeOf(path) ?? '' }
    // Some client libraries want the display's number in the file, which is known only now.
    writeFileSync(`${authority}.new`, authorityFile(cookie, number), { mode: 0o600 })
    renameSync(`${authority}.new`, authority)
    on.save()
  })
  // What an isolated bus starts sees only the display that was there before it.
  if (on.record.isolated) await server
  await Promise.all([server, sessionBus(on)])
  await Promise.all([accessibility(on), windowManager(on)])
}

/** Its abstract socket stays: it asks for the cookie too, and without it a second server would take over the number of the first. */
function xServer(on: Starting, authority: string): Promise<string> {
  const { dir, width, height } = on.record
  const screen = ['-screen', '0', `${width}x${height}x24`, '-fbdir', join(dir, 'fb'), '-dpi', '96']
  return on.start('xvfb', [on.program('Xvfb'), ...screen, '-auth', authority, '-nolisten', 'tcp', '-noreset', '-displayfd', '3'], {
    announces: true,
  }).firstLine
}

async function sessionBus(on: Starting): Promise<void> {
  const { record } = on
  if (record.isolated) writeRules(record, accessibilityLauncher())
  else closePortal(record.env['XDG_RUNTIME_DIR'] ?? '')
  const rules = record.isolated ? `--config-file=${sessionRules(record)}` : '--session'
  const address = `--address=${record.env['DBUS_SESSION_BUS_ADDRESS'] ?? ''}`
  const command = [...on.prefix('shared'), on.program('dbus-daemon'), rules, '--nofork', '--nopidfile', '--print-address=3', address]
  await on.start('bus', command, { announces: true }).firstLine
}

/** Applications show dialogs of their own then; where a portal is installed, they would wait for a person who answers its prompts. */
function closePortal(run: string): void {
  const name = 'org.freedesktop.portal.Desktop'
  const services = join(run, 'dbus-1', 'services')
  mkdirSync(services, { recursive: true, mode: 0o700 })
  writeFileSync(join(services, `${name}.service`), `[D-BUS Service]\nName=${name}\nExec=/bin/false\n`)
}

/** The session bus starts the accessibility bus when it is asked for; what is left of an earlier one goes first. */
export async function accessibility(on: Starting): Promise<void> {
  const { env, parts } = on.record
  await endAll(() => parts.filter((p) => p.name.startsWith('accessibility')).filter(isAlive), 500)
  const session = await Bus.connect(env['DBUS_SESSION_BUS_ADDRESS'] ?? '')
  try {
    // An isolated bus keeps the environment it was started with and refuses changes to it.
    if (!on.record.isolated) await session.daemon('UpdateActivationEnvironment', 'a{ss}', [new Map(Object.entries(env))], '')
    const address = await accessibilityAddress(session)
    // Without the daemon's own id, so that the address holds for the daemon that replaces it, too.
    env['AT_SPI_BUS_ADDRESS'] = address.replace(/,guid=\w+$/, '')
    const [launcher, daemon] = await Promise.all([pidOf(session, 'org.a11y.Bus'), daemonOf(address), enableAccessibility(session)])
    for (const [name, pid] of [
      ['accessibility', launcher],
      ['accessibility-bus', daemon],
    ] as const) {
      const process = pid === undefined ? undefined : identify(pid)
      // A bus can be an impostor that names any process; what is noted as a part is ended one day.
      if (process !== undefined && isMarked(process.pid, markOf(on.record.id))) on.note(name, process)
    }
  } finally {
    session.close()
  }
}

export async function windowManager(on: Starting): Promise<void> {
  const config = join(on.record.dir, 'openbox.xml')
  writeFileSync(config, OPENBOX_CONFIG)
  // In any other locale openbox reads the Compose table again at every change of the keymap. Its home is not that of the applications: they
  // could leave it menus there, and it is never locked up.
  on.start('openbox', [on.program('openbox'), '--sm-disable', '--config-file', config], {
    env: { LC_ALL: 'C', HOME: on.record.dir },
  })
  const display = await Display.open(on.record.env)
  try {
    while (!(await hasWindowManager(display))) await on.pause(5)
  } finally {
    display.close()
  }
}

/** View only, on a socket that only the owner of its folder reaches; `-noremote`, as any X client could otherwise undo that. */
export async function vncServer(on: Starting): Promise<void> {
  const socket = vncSocket(on.record)
  rmSync(socket, { force: true })
  const { DISPLAY = '', XAUTHORITY = '' } = on.record.env
  const closed = ['-rfbport', '0', '-rfbportv6', '0', '-unixsock', socket, '-viewonly', '-noremote', '-nopw', '-norc', '-nolookup']
  on.start('vnc', [on.program('x11vnc'), '-display', DISPLAY, '-auth', XAUTHORITY, ...closed, '-forever', '-shared', '-quiet'])
  while (!existsSync(socket)) await on.pause(10)
}

/** Runs one startup line. One that does not stay has ended well when this returns. */
export async function startup(on: Starting, at: number): Promise<void> {
  const wanted = on.record.startup[at]
  if (wanted === undefined) return
  const name = `startup-${at}` as const
  const { dir } = on.record
  rmSync(exitFile(dir, name), { force: true })
  // The outer shell stays outside and writes the exit code to a file, for a broker that supervises the desktop later.
  const shell = on.start(name, ['/bin/sh', '-c', '"$@"; echo $? >"$0"', exitFile(dir, name), ...on.prefix(), '/bin/sh', '-c', wanted.line])
  on.release(name)
  if (wanted.stays) return
  const end = performance.now() + STARTUP_MS
  while (exitCode(dir, name) === undefined) {
    if (performance.now() > end)
      throw new DeskhandError('TIMEOUT', `startup[${at}] still runs after ${STARTUP_MS / 1000} s: ${wanted.line}`, {
        next: 'End the line with & when it starts something that stays.',
      })
    if (!isAlive(shell.process) && exitCode(dir, name) === undefined)
      throw new DeskhandError('NO_DESKTOP', `startup[${at}] was ended from outside: ${wanted.line}`)
    await on.pause(10)
  }
  const code = exitCode(dir, name)
  if (code !== 0)
    throw new DeskhandError('BAD_CONFIG', `startup[${at}] ended with ${code}: ${wanted.line}${said(dir, name)}`, {
      next: 'Correct the line, or end it with & when it may fail.',
    })
}

async function pidOf(bus: Bus, name: string): Promise<number> {
  const [pid] = await bus.daemon('GetConnectionUnixProcessID', 's', [name], 'u')
  return pid
}

/** Old daemons do not tell. */
async function daemonOf(address: string): Promise<number | undefined> {
  const bus = await Bus.connect(address)
  try {
    return await pidOf(bus, 'org.freedesktop.DBus').catch(() => undefined)
  } finally {
    bus.close()
  }
}
