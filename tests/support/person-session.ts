import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isCompositorUp } from '@deskhand/driver-linux'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { endAll, search } from '../../packages/deskhand/src/desktop/process.ts'
import { SlowStart } from './starting.ts'

const UP_MS = 60_000
/** How the folders of such sessions begin; the mark of their processes follows, by which a later run ends what is left. */
const SESSION = 'dh-session-'

/** A person's session of a desktop without a screen: a bus of its own, and what else the desktop runs. Nothing says that Deskhand brought it up. */
export class PersonSession {
  /** What the session tells its programs. */
  readonly env: Record<string, string>
  readonly dir: string
  readonly #mark: ReturnType<typeof markOf>

  constructor(desktop: string) {
    const id = randomBytes(6).toString('hex')
    this.#mark = markOf(id)
    this.dir = mkdtempSync(join(tmpdir(), `${SESSION}${id}-`))
    const [variable = '', value = ''] = this.#mark.variable.split('=')
    this.env = {
      PATH: process.env['PATH'] ?? '',
      [variable]: value,
      HOME: join(this.dir, 'home'),
      XDG_RUNTIME_DIR: join(this.dir, 'run'),
      XDG_SESSION_TYPE: 'wayland',
      XDG_CURRENT_DESKTOP: desktop,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(this.dir, 'run', 'bus')}`,
      LANG: 'C.UTF-8',
      LIBGL_ALWAYS_SOFTWARE: '1',
      GSK_RENDERER: 'cairo',
      GSETTINGS_BACKEND: 'memory',
      GTK_USE_PORTAL: '0',
      GDK_BACKEND: 'wayland',
      QT_QPA_PLATFORM: 'wayland',
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
    }
    for (const name of ['home', 'run']) mkdirSync(join(this.dir, name), { mode: 0o700 })
  }

  run(command: string, args: string[], more: Record<string, string> = {}): ChildProcess {
    const log = openSync(join(this.dir, 'log'), 'a')
    try {
      return spawn(command, args, { env: { ...this.env, ...more }, cwd: this.dir, stdio: ['ignore', log, log] })
    } finally {
      closeSync(log)
    }
  }

  /** What its programs have said so far. */
  log(): string {
    return existsSync(join(this.dir, 'log')) ? readFileSync(join(this.dir, 'log'), 'utf8') : ''
  }

  /** A message bus in the session's folder, at this name. */
  async bus(name = 'bus', more: Record<string, string> = {}): Promise<string> {
    const path = join(this.dir, 'run', name)
    this.run('dbus-daemon', ['--session', '--nofork', '--nopidfile', `--address=unix:path=${path}`], more)
    await this.appears(path)
    return `unix:path=${path}`
  }

  async appears(path: string): Promise<void> {
    for (const end = performance.now() + UP_MS; !existsSync(path); await sleep(5))
      if (performance.now() > end) throw new SlowStart(`${path} did not appear`)
  }

  /** Returns when the compositor shows a screen. */
  async shows(compositor: ChildProcess, display: string): Promise<void> {
    this.env['WAYLAND_DISPLAY'] = display
    for (const end = performance.now() + UP_MS; performance.now() < end; await sleep(20)) {
      if (compositor.exitCode !== null) throw new SlowStart(`the compositor ended with ${compositor.exitCode}`)
      if (await isCompositorUp(this.env)) return
    }
    throw new SlowStart('the compositor did not come up')
  }

  async down(): Promise<void> {
    await endAll(search(this.#mark), 2000)
    rmSync(this.dir, { recursive: true, force: true })
  }
}
