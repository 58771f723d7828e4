import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { installLine } from './packages.ts'
import type { DisplayName } from './record.ts'

/** What sandbox desktops run, and the Debian package of each. */
const PACKAGES = {
  Xvfb: 'xvfb',
  openbox: 'openbox',
  sway: 'sway',
  unshare: 'util-linux',
  'dbus-daemon': 'dbus',
  prlimit: 'util-linux',
  x11vnc: 'x11vnc',
  bwrap: 'bubblewrap',
} as const
const ACCESSIBILITY = [
  '/usr/libexec/at-spi-bus-launcher',
  '/usr/lib/at-spi2-core/at-spi-bus-launcher',
  '/usr/lib/at-spi-bus-launcher',
] as const
const ALWAYS = ['dbus-daemon', 'prlimit'] as const
const SERVERS = { x11: ['Xvfb', 'openbox'], wayland: ['sway', 'unshare'] } as const

export type Program = keyof typeof PACKAGES

/** Where programs are looked for. */
export interface Places {
  path?: string
  accessibility?: readonly string[]
}

export interface Extras {
  vnc?: boolean
  isolate?: boolean
  display?: DisplayName
}

/** Where the programs are; what is missing is named together with the line that installs it. */
export function findPrograms(extras: Extras = {}, places: Places = {}): (program: Program) => string {
  const packages = missingPrograms(extras, places)
  if (packages.length > 0) throw missing(packages)
  return (program) => find(program, places) ?? program
}

/** The Debian packages without which a desktop like this does not come up. */
export function missingPrograms(extras: Extras = {}, places: Places = {}): string[] {
  const wanted: Program[] = [
    ...SERVERS[extras.display ?? 'x11'],
    ...ALWAYS,
    ...(extras.vnc ? ['x11vnc' as const] : []),
    ...(extras.isolate ? ['bwrap' as const] : []),
  ]
  const packages: string[] = wanted.filter((p) => find(p, places) === undefined).map((p) => PACKAGES[p])
  return (places.accessibility ?? ACCESSIBILITY).some(isExecutable) ? packages : [...packages, 'at-spi2-core']
}

/** What starts the accessibility bus. */
export const accessibilityLauncher = (): string => ACCESSIBILITY.find(isExecutable) ?? ACCESSIBILITY[0]

function missing(packages: readonly string[]): DeskhandError {
  return new DeskhandError('MISSING_PACKAGE', `a sandbox desktop needs ${packages.join(', ')}, which this system lacks`, {
    next: `Run: ${installLine(packages)} (deskhand desktop install does it for you where it may)`,
    details: { packages },
  })
}

/** Where a program lies that is called by its name or by a path. */
export function findCommand(command: string, path: string): string | undefined {
  const places = command.includes('/') ? [command] : path.split(delimiter).map((folder) => join(folder, command))
  return places.find(isExecutable)
}

const find = (program: Program, { path = process.env['PATH'] ?? '' }: Places): string | undefined => findCommand(program, path)

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
