import { isReserved } from './environment.ts'
import type { Startup } from './record.ts'
import { type Program, programsOf } from './shell.ts'

const LONGEST_SIDE = 16_384
export const SCREENS = `must be between 200x200 and ${LONGEST_SIDE}x${LONGEST_SIDE}`
export const isScreen = ({ width, height }: { width: number; height: number }): boolean =>
  Math.min(width, height) >= 200 && Math.max(width, height) <= LONGEST_SIDE

/** What a list of startup lines comes to: those that run, and what the others, which are parts of every desktop, ask for. */
export interface Sorted {
  startup: Startup[]
  vnc: boolean
  /** The screen that an Xvfb line asks for. */
  screen?: { width: number; height: number }
  warnings: string[]
}

/** A line that cannot be told apart from the desktop's own parts. `at` is its place in the list. */
export class StartupProblem extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Parts of a desktop in the lines of a file are never run as they stand there: the desktop has safe ones of its own. */
export function sortStartup(lines: readonly string[]): Sorted {
  const sorted: Sorted = { startup: [], vnc: false, warnings: [] }
  for (const [at, line] of lines.entries()) {
    const found = programsOf(line).map((p) => ({ ...p, part: partOf(p) }))
    if (found.length === 0) continue
    const own = found.filter((p) => p.part === undefined && !AROUND.has(p.program))
    const parts = found.filter((p) => p.part !== undefined)
    const wrapper = parts.find((p) => p.part === 'wrapper')
    if (wrapper !== undefined)
      throw new StartupProblem(at, `${wrapper.program} brings a desktop of its own; write only the program that it runs`)
    if (parts.length > 0 && own.length > 0)
      throw new StartupProblem(at, `${parts[0]?.program} is started by Deskhand itself; put the other commands on a line of their own`)
    const settings = found.every((p) => p.part !== undefined || SETTERS.has(p.program))
    const reserved = found.flatMap((p) => [...p.sets, ...(SETTERS.has(p.program) ? namesIn(p.args) : [])]).find(isReserved)
    if (reserved !== undefined && !settings && parts.length === 0)
      throw new StartupProblem(at, `${reserved} is what makes it this desktop; leave it out`)
    for (const { program, args, part } of found) if (part !== undefined) replace(sorted, at, program, args, part)
    if (parts.length > 0) continue
    if (settings) sorted.warnings.push(`startup[${at}]: ${settingNote(reserved)}`)
    else sorted.startup.push(staying(line))
  }
  return sorted
}

/** What stands around the start of a part: waiting for it and telling of it. */
const AROUND: ReadonlySet<string> = new Set(['export', 'unset', 'eval', 'sleep', 'wait', 'true', ':', 'set', 'echo'])
const SETTERS: ReadonlySet<string> = new Set(['export', 'unset'])
const namesIn = (args: readonly string[]): string[] => args.flatMap((arg) => /^\w+/.exec(arg)?.[0] ?? [])

const settingNote = (reserved: string | undefined): string =>
  reserved === undefined
    ? 'a variable that a line sets is known to that line alone; write it under environment'
    : `${reserved} is not taken over: the desktop sets it itself`

type Kind = 'server' | 'bus' | 'accessibility' | 'manager' | 'vnc' | 'web' | 'lock' | 'wrapper'

const named = (kind: Kind, names: string): [string, Kind][] => names.split(' ').map((name) => [name, kind])

const PARTS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...named('server', 'Xvfb X Xorg Xephyr Xnest Xwayland Xvnc Xtigervnc Xvnc4 Xdummy weston sway'),
  ...named('bus', 'dbus-daemon dbus-launch dbus-broker dbus-broker-launch'),
  ...named('accessibility', 'at-spi-bus-launcher at-spi2-registryd'),
  ...named(
    'manager',
    'openbox openbox-session fluxbox blackbox icewm icewm-session jwm twm fvwm fvwm2 fvwm3 matchbox-window-manager metacity mutter muffin marco xfwm4 kwin kwin_x11 i3 awesome bspwm dwm wmaker evilwm ratpoison spectrwm xmonad',
  ),
  ...named('vnc', 'x11vnc x0vncserver x0tigervncserver vncserver tigervncserver'),
  ...named('web', 'websockify novnc_proxy novnc'),
  ...named('wrapper', 'xvfb-run xinit startx dbus-run-session'),
])

/** The part of a desktop that a command starts, or stands in the way of. */
function partOf({ program, args }: Program): Kind | undefined {
  if (program === 'rm' && args.some((arg) => /^\/tmp\/\.X/.test(arg))) return 'lock'
  if (SERVICES.has(program) && args.some((arg) => /^dbus(\.service|\.socket)?$/.test(arg))) return 'bus'
  return program === 'dbus' ? 'bus' : PARTS.get(program)
}

const SERVICES: ReadonlySet<string> = new Set(['service', 'systemctl', 'invoke-rc.d', 'rc-service'])

function replace(sorted: Sorted, at: number, program: string, args: readonly string[], kind: Kind): void {
  const say = (what: string): void => void sorted.warnings.push(`startup[${at}]: ${program} is not run as written: ${what}`)
  switch (kind) {
    case 'server': {
      const size = /^(\d+)x(\d+)(?:x\d+)?$/.exec(args[args.indexOf('-screen') + 2] ?? '')
      if (program === 'Xvfb' && args.includes('-screen') && size !== null) {
        sorted.screen = { width: Number(size[1]), height: Number(size[2]) }
        if (!isScreen(sorted.screen)) throw new StartupProblem(at, `the screen ${SCREENS}`)
      }
      return say('every desktop has its own Xvfb, on a free display, with a cookie and without TCP')
    }
    case 'bus':
      return say(
        args.includes('--system') || program === 'dbus' || SERVICES.has(program)
          ? 'a desktop never runs a system bus'
          : 'every desktop has its own session bus, on a socket in its own folder',
      )
    case 'accessibility':
      return say("the desktop's session bus starts it")
    case 'manager':
      return say('every desktop has its own openbox')
    case 'vnc':
      sorted.vnc = true
      return say('the desktop gets a view-only one on a socket in its own folder, without any port')
    case 'web':
      return say('nothing here opens a port; the live view is Deskhand’s own')
    case 'lock':
      return say('every desktop has a display that is free, and clears its own away')
    case 'wrapper':
      return
    default:
      return kind satisfies never
  }
}

/** A line that ends in `&` starts something that stays. */
function staying(line: string): Startup {
  const stays = /(?<!&)&\s*$/.exec(line)
  return stays === null ? { line: line.trim(), stays: false } : { line: line.slice(0, stays.index).trim(), stays: true }
}
