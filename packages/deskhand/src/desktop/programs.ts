import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'

/** What a sandbox desktop runs, and the Debian package of each. */
const NEEDED = { Xvfb: 'xvfb', 'dbus-daemon': 'dbus', openbox: 'openbox' } as const
const ACCESSIBILITY = ['/usr/libexec/at-spi-bus-launcher', '/usr/lib/at-spi2-core/at-spi-bus-launcher', '/usr/lib/at-spi-bus-launcher']

export type Programs = Record<keyof typeof NEEDED, string>

/** Where the programs are; what is missing is named together with the line that installs it. */
export function findPrograms(path = process.env.PATH ?? '', accessibility: readonly string[] = ACCESSIBILITY): Programs {
  const folders = path.split(delimiter)
  const find = (name: string): string | undefined => folders.map((f) => join(f, name)).find(isExecutable)
  const found = { Xvfb: find('Xvfb'), 'dbus-daemon': find('dbus-daemon'), openbox: find('openbox') }
  const { Xvfb, openbox } = found
  const daemon = found['dbus-daemon']
  const hasAccessibility = accessibility.some(isExecutable)
  if (Xvfb !== undefined && daemon !== undefined && openbox !== undefined && hasAccessibility) return { Xvfb, 'dbus-daemon': daemon, openbox }
  const packages = [Xvfb ? '' : NEEDED.Xvfb, openbox ? '' : NEEDED.openbox, daemon ? '' : NEEDED['dbus-daemon'], hasAccessibility ? '' : 'at-spi2-core'].filter((p) => p !== '')
  throw missing(packages)
}

export function missing(packages: readonly string[]): DeskhandError {
  return new DeskhandError('MISSING_PACKAGE', `a sandbox desktop needs ${packages.join(', ')}, which this system lacks`, {
    next: `Run: apt-get install -y --no-install-recommends ${packages.join(' ')}`,
    details: { packages },
  })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
