import type { AppIdentity, DesktopKind } from '../model/index.ts'
import { fold } from './fold.ts'
import { isOfWindows } from './path-glob.ts'
import { APP_CLASSES } from './risk-table.ts'

/**
 * What an application is called, lower case. `sure` comes from the executable behind its pid and may let things through; `claimed`
 * adds what the application says of itself and may only hold things back. A simulated one has no process: its name is all there is. What an
 * added driver tells of is known by that driver's name.
 */
export interface AppNames {
  sure: readonly string[]
  claimed: readonly string[]
  /** The program of the executable, as application classes list it. */
  program?: string
}

export function appNames(app: AppIdentity | undefined, desktop: DesktopKind): AppNames {
  if (!app) return NAMELESS
  const byDesktop = known.get(app) ?? new Map<DesktopKind, AppNames>()
  const names = byDesktop.get(desktop) ?? namesOf(app, desktop)
  known.set(app, byDesktop.set(desktop, names))
  return names
}

const NAMELESS: AppNames = { sure: [], claimed: [] }
/** Every rule asks for the names of the same few applications. */
const known = new WeakMap<AppIdentity, Map<DesktopKind, AppNames>>()

function namesOf(app: AppIdentity, desktop: DesktopKind): AppNames {
  const own = [app.name.toLowerCase(), app.id.toLowerCase()]
  const executable = app.executable === undefined ? [] : [baseName(app.executable)]
  const sure = app.added ? [`driver:${app.added.driver}`] : executable.length === 0 && desktop === 'virtual' ? own : executable
  const listed = app.executable === undefined ? undefined : program(app.executable)
  const replaced = listed === undefined ? [] : [listed]
  const ran = app.runs === undefined ? [] : [baseName(app.runs), baseName(app.runs).replace(/\.\w+$/, '')]
  const bundled = app.bundle === undefined ? [] : [app.bundle.toLowerCase().split(' ').at(-1) ?? '']
  const claimed = [...sure, ...replaced, ...ran, ...bundled, ...own]
  return { sure, claimed: [...new Set([...claimed, ...claimed.map(fold)])], program: listed }
}

/** Whether an application shows pages that have addresses. */
export function isWeb({ executable, toolkit }: AppIdentity): boolean {
  return (executable !== undefined && BROWSERS.has(program(executable))) || (toolkit !== undefined && /chrom|gecko|webkit/i.test(toolkit))
}

const BROWSERS: ReadonlySet<string> = new Set(APP_CLASSES.browser)

/** The program behind a path or a launch name, as application classes list it: no folder, no `.exe`, no mark of a replaced file. */
export function program(path: string): string {
  return baseName(path)
    .replace(/ \(deleted\)$/, '')
    .replace(/\.(exe|bin)$/, '')
}

/** A file's name, lower case. A backslash parts folders in paths of Windows alone: elsewhere it may stand in a name, which must not pass for another. */
export const baseName = (path: string): string => (path.split(isOfWindows(path) ? /[/\\]/ : '/').at(-1) ?? path).toLowerCase()
