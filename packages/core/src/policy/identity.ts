import type { AppIdentity, DesktopKind } from '../model/index.ts'
import { fold } from './fold.ts'
import { APP_CLASSES } from './risk-table.ts'

/**
 * What an application is called, lower case. `sure` comes from the executable behind its pid and may let things through; `claimed`
 * adds what the application says of itself and may only hold things back. A simulated one has no process: its name is all there is.
 */
export interface AppNames {
  sure: readonly string[]
  claimed: readonly string[]
}

export function appNames(app: AppIdentity | undefined, desktop: DesktopKind): AppNames {
  if (!app) return { sure: [], claimed: [] }
  const own = [app.name.toLowerCase(), app.id.toLowerCase()]
  const executable = app.executable === undefined ? [] : [baseName(app.executable)]
  const sure = executable.length === 0 && desktop === 'virtual' ? own : executable
  const replaced = app.executable === undefined ? [] : [program(app.executable)]
  const ran = app.runs === undefined ? [] : [baseName(app.runs), baseName(app.runs).replace(/\.\w+$/, '')]
  const bundled = app.bundle === undefined ? [] : [app.bundle.toLowerCase().split(' ').at(-1) ?? '']
  const claimed = [...sure, ...replaced, ...ran, ...bundled, ...own]
  return { sure, claimed: [...new Set([...claimed, ...claimed.map(fold)])] }
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

const baseName = (path: string): string => (path.split(/[/\\]/).at(-1) ?? path).toLowerCase()
