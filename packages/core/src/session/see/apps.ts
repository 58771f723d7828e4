import { DeskhandError } from '../../errors.ts'
import { WINDOWS, type AppIdentity, type UiNode, type UiTree } from '../../model/index.ts'
import { baseName } from '../../policy/index.ts'
import { clip } from '../../selector/index.ts'

/** An application that shows windows. */
export interface RunningApp {
  app: AppIdentity
  windows: UiNode[]
}

/** The applications of a tree: one per process, as far as the tree shows them. */
export function appsOf(tree: UiTree): RunningApp[] {
  const found = new Map<number | string, RunningApp>()
  for (const root of tree.roots) {
    const windows = WINDOWS.has(root.role) ? [root] : root.children.filter((c) => WINDOWS.has(c.role))
    const known = found.get(identityOf(root.app))
    if (known !== undefined) known.windows.push(...windows)
    else if (windows.length > 0) found.set(identityOf(root.app), { app: root.app, windows })
  }
  return [...found.values()]
}

/** The one application that is meant by a pid, an executable or a name. */
export function appNamed(wanted: string, tree: UiTree): RunningApp {
  const all = appsOf(tree)
  const [one, ...others] = all.filter(({ app }) => namesOf(app).includes(wanted.toLowerCase()))
  if (one === undefined)
    throw new DeskhandError('NOT_FOUND', `no application ${clip(wanted)} shows a window`, { next: 'Use a name or pid from desktop.list.' })
  if (others.length > 0) {
    const candidates = [one, ...others].map(({ app }) => ({ pid: app.pid, name: app.name }))
    throw new DeskhandError('AMBIGUOUS_TARGET', `${candidates.length} applications are called ${clip(wanted)}`, {
      next: 'Name one by its pid.',
      details: { candidates },
    })
  }
  return one
}

/** The application while it shows windows. */
export function stillRunning(app: AppIdentity | undefined, tree: UiTree): RunningApp | undefined {
  return app && appsOf(tree).find((a) => identityOf(a.app) === identityOf(app))
}

const identityOf = (app: AppIdentity): number | string => app.pid ?? app.id

function namesOf({ pid, name, executable }: AppIdentity): string[] {
  const file = executable === undefined ? undefined : baseName(executable)
  return [String(pid), name, executable, file].flatMap((n) => (n === undefined ? [] : [n.toLowerCase()]))
}
