import type { AppIdentity, DesktopKind } from '../model/index.ts'

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
  return { sure, claimed: [...new Set([...sure, ...replaced, ...own])] }
}

/** The program behind a path or a launch name, as application classes list it: no folder, no `.exe`, no mark of a replaced file. */
export function program(path: string): string {
  return baseName(path)
    .replace(/ \(deleted\)$/, '')
    .replace(/\.(exe|bin)$/, '')
}

const baseName = (path: string): string => (path.split(/[/\\]/).at(-1) ?? path).toLowerCase()
