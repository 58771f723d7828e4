import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isCompositorUp } from '@deskhand/driver-linux'
import { describe } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { endAll, search } from '../../packages/deskhand/src/desktop/process.ts'
import { BIN } from './cli.ts'
import { SlowStart, starting } from './starting.ts'

const KWIN = '/usr/bin/kwin_wayland'
const UP_MS = 30_000
/** How the folders of such sessions begin; the mark of their processes follows, by which a later run ends what is left. */
const SESSION = 'dh-session-'

/** Tests on KWin; where it is not installed they are skipped, but in CI they fail. */
export const describeKwin = describe.skipIf(process.env.CI !== 'true' && !existsSync(KWIN))

export interface KwinSession {
  /** What a session of KDE tells its programs. Nothing says that Deskhand brought it up. */
  env: Record<string, string>
  down(): Promise<void>
}

/** A person's session of KDE without a screen: a bus of its own, and KWin, which asks for permissions as it does with a screen. */
export async function kwinSession(options: { isTrusting?: boolean } = {}): Promise<KwinSession> {
  const id = randomBytes(6).toString('hex')
  const mark = markOf(id)
  const dir = mkdtempSync(join(tmpdir(), `${SESSION}${id}-`))
  const [variable = '', value = ''] = mark.variable.split('=')
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    [variable]: value,
    HOME: join(dir, 'home'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
    XDG_SESSION_TYPE: 'wayland',
    XDG_CURRENT_DESKTOP: 'KDE',
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(dir, 'run', 'bus')}`,
    LANG: 'C.UTF-8',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GSK_RENDERER: 'cairo',
    GSETTINGS_BACKEND: 'memory',
    GTK_USE_PORTAL: '0',
    GDK_BACKEND: 'wayland',
    QT_QPA_PLATFORM: 'wayland',
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
  }
  for (const name of ['home', 'run']) mkdirSync(join(dir, name), { mode: 0o700 })
  const run = (command: string, args: string[], more: Record<string, string> = {}): ChildProcess => {
    const child = spawn(command, args, { env: { ...env, ...more }, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.pipe(createWriteStream(join(dir, 'log'), { flags: 'a' }))
    return child
  }
  const down = async (): Promise<void> => {
    await endAll(search(mark), 2000)
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    run('dbus-daemon', ['--session', '--nofork', '--nopidfile', `--address=${env['DBUS_SESSION_BUS_ADDRESS']}`])
    while (!existsSync(join(dir, 'run', 'bus'))) await sleep(5)
    // Its file has a capability that a container may not hand out; a copy has none.
    const program = join(dir, 'kwin_wayland')
    copyFileSync(KWIN, program)
    if (options.isTrusting) await promisify(execFile)(process.execPath, [BIN, 'consent', 'kwin'], { env })
    const screen = ['--virtual', '--width', '1280', '--height', '800']
    const kwin = run(program, [...screen, '--no-lockscreen', '--no-global-shortcuts', '--socket', 'wayland-0'], {
      KWIN_COMPOSE: 'O2',
      // Qt's own accessibility of KWin's decorations is none of the desktop's.
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '0',
      QT_QPA_PLATFORM: '',
    })
    env['WAYLAND_DISPLAY'] = 'wayland-0'
    await starting(isUp(env, kwin))
    return { env, down }
  } catch (error) {
    await down()
    throw error
  }
}

async function isUp(env: Record<string, string>, kwin: ChildProcess): Promise<void> {
  for (const end = performance.now() + UP_MS; performance.now() < end; await sleep(20)) {
    if (kwin.exitCode !== null) throw new SlowStart(`KWin ended with ${kwin.exitCode}`)
    if (await isCompositorUp(env)) return
  }
  throw new SlowStart('KWin did not come up')
}
