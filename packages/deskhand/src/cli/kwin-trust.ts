import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'

/** What a program has to be named with before KWin lets it send input or take pictures. */
const INTERFACES = {
  'X-KDE-Wayland-Interfaces': 'org_kde_kwin_fake_input,org_kde_kwin_keystate',
  'X-KDE-DBUS-Restricted-Interfaces': 'org.kde.KWin.ScreenShot2',
}

/** KWin knows programs by their executable, which is Node's: every script of this Node is let in by this, and Deskhand asks for consent besides. */
export function trustInKwin({ remove = false }: { remove?: boolean }): void {
  const file = join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'applications', 'deskhand-kwin.desktop')
  if (remove) {
    rmSync(file, { force: true })
    process.stdout.write(`removed ${file}; KWin lets this Node in no more\n`)
    return
  }
  const program = realpathSync(process.execPath)
  if (/[\s"\\]/.test(program))
    throw new DeskhandError('BAD_CONFIG', `KWin cannot be told of a program with a space in its path: ${program}`, {
      next: 'Install Node at a path without spaces.',
    })
  const entry = { Type: 'Application', Name: 'Deskhand', NoDisplay: 'true', Exec: program, ...INTERFACES }
  const lines = Object.entries(entry).map(([key, value]) => `${key}=${value}`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `[Desktop Entry]\n${lines.join('\n')}\n`)
  process.stdout.write(
    `wrote ${file}: KWin lets every program of ${program} send input and take pictures now. Agents still need: deskhand consent give\n`,
  )
}
