import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Bus } from '@deskhand/driver-linux'
import { describe } from 'vitest'
import { BIN } from './cli.ts'
import { PersonSession } from './person-session.ts'
import { SlowStart, starting } from './starting.ts'

const SHELL = '/usr/bin/gnome-shell'
const UP_MS = 60_000

/** Tests on GNOME Shell; where it is not installed they are skipped, but in CI they fail. */
export const describeGnome = describe.skipIf(process.env.CI !== 'true' && !existsSync(SHELL))

/** A person's session of GNOME without a screen: buses of its own, PipeWire and the shell. `isExtended`: the operator had installed our extension. */
export async function gnomeSession(options: { isExtended?: boolean; scale?: number } = {}): Promise<PersonSession> {
  const session = new PersonSession('GNOME')
  const { env, dir } = session
  try {
    env['GSETTINGS_BACKEND'] = 'keyfile'
    const settings = join(env['HOME'] ?? '', '.config', 'glib-2.0', 'settings')
    mkdirSync(settings, { recursive: true })
    const { scale = 1 } = options
    const experimental = scale === 1 ? '' : "\n[org/gnome/mutter]\nexperimental-features=['scale-monitor-framebuffer']\n"
    writeFileSync(join(settings, 'keyfile'), `[org/gnome/shell]\nwelcome-dialog-last-shown-version='99'\n${experimental}`)
    env['DBUS_SYSTEM_BUS_ADDRESS'] = await session.bus('system')
    await session.bus('bus')
    if (options.isExtended) await promisify(execFile)(process.execPath, [BIN, 'consent', 'gnome'], { env })
    session.run('pipewire', [])
    await session.appears(join(dir, 'run', 'pipewire-0'))
    session.run('wireplumber', [])
    const size = `${1280 * scale}x${800 * scale}`
    const shell = session.run(SHELL, ['--headless', '--wayland', '--no-x11', '--virtual-monitor', size, '--wayland-display', 'wayland-0'])
    await starting(session.shows(shell, 'wayland-0').then(() => leaveOverview(session)))
    return session
  } catch (error) {
    await session.down()
    throw error
  }
}

/** The shell starts with its overview open, which a person would leave by choosing a window. */
async function leaveOverview(session: PersonSession): Promise<void> {
  const set = ['org.freedesktop.DBus.Properties.Set', 'org.gnome.Shell', 'OverviewActive', '<false>']
  const call = ['call', '--session', '--dest', 'org.gnome.Shell', '--object-path', '/org/gnome/Shell', '--method', ...set]
  for (const end = performance.now() + UP_MS; performance.now() < end; await sleep(100)) {
    if (!session.log().includes('GNOME Shell started')) continue
    await promisify(execFile)('gdbus', call, { env: session.env })
    return
  }
  throw new SlowStart('GNOME Shell did not start')
}

/** A person's hand on the mouse, told by the shell's own interface: moves there from the corner, and clicks. */
export async function personClicks(session: PersonSession, at: { x: number; y: number }): Promise<void> {
  const [name, root] = ['org.gnome.Mutter.RemoteDesktop', '/org/gnome/Mutter/RemoteDesktop']
  const bus = await Bus.connect(session.env['DBUS_SESSION_BUS_ADDRESS'] ?? '')
  try {
    const [path] = await bus.call(name, root, name, 'CreateSession', '', [], 'o')
    await bus.call(name, path, `${name}.Session`, 'Start', '', [], '')
    const move = (x: number, y: number) => bus.call(name, path, `${name}.Session`, 'NotifyPointerMotionRelative', 'dd', [x, y], '')
    // The shell loses the first event of a new device.
    for (let i = 0; i < 2; i++) await move(-5000, -5000)
    await move(at.x, at.y)
    const button = (isDown: boolean) => bus.call(name, path, `${name}.Session`, 'NotifyPointerButton', 'ib', [0x110, isDown], '')
    await button(true)
    // What ends every sharing ends this hand's, too.
    await button(false).catch(() => {})
  } finally {
    bus.close()
  }
}
