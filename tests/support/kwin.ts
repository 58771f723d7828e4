import { execFile } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { BIN } from './cli.ts'
import { PersonSession } from './person-session.ts'
import { starting } from './starting.ts'

const KWIN = '/usr/bin/kwin_wayland'

/** Tests on KWin; where it is not installed they are skipped, but in CI they fail. */
export const describeKwin = describe.skipIf(process.env.CI !== 'true' && !existsSync(KWIN))

/** A person's session of KDE without a screen: a bus of its own, and KWin, which asks for permissions as it does with a screen. */
export async function kwinSession(options: { isTrusting?: boolean; scale?: number } = {}): Promise<PersonSession> {
  const session = new PersonSession('KDE')
  try {
    await session.bus()
    // Its file has a capability that a container may not hand out; a copy has none.
    const program = join(session.dir, 'kwin_wayland')
    copyFileSync(KWIN, program)
    if (options.isTrusting) await promisify(execFile)(process.execPath, [BIN, 'consent', 'kwin'], { env: session.env })
    const { scale = 1 } = options
    const screen = ['--virtual', '--width', String(1280 * scale), '--height', String(800 * scale), '--scale', String(scale)]
    const kwin = session.run(program, [...screen, '--no-lockscreen', '--no-global-shortcuts', '--socket', 'wayland-0'], {
      KWIN_COMPOSE: 'O2',
      // Qt's own accessibility of KWin's decorations is none of the desktop's.
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '0',
      QT_QPA_PLATFORM: '',
    })
    await starting(session.shows(kwin, 'wayland-0'))
    return session
  } catch (error) {
    await session.down()
    throw error
  }
}
