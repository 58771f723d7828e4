import type { Sent } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { WINDOWS, type ActionOf, type AppIdentity, type UiNode, type UiTree } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import type { Job } from './carry-out.ts'
import type { Hands } from './lease.ts'
import type { Call } from './ports.ts'
import type { Outcome } from './record.ts'
import type { Session } from './session.ts'

/** How long the windows of an application may take to close. */
const CLOSE_MS = 3_000

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

/** The applications as a caller may know them. */
export function listApps(s: Session, call: Call): Outcome {
  const applications = appsOf(s.seen(call)).map(({ app, windows }) => ({
    name: app.name,
    id: app.id,
    pid: app.pid,
    executable: app.executable,
    windows: windows.map((w) => ({
      elementId: s.refs.show(w, call.principal),
      title: w.name,
      active: w.states?.active,
      bounds: w.bounds,
      /** Its place in the stack, bottom first. */
      z: w.attributes?.['z'],
      minimized: w.attributes?.['minimized'],
      maximized: w.attributes?.['maximized'],
    })),
  }))
  const lines = applications.flatMap(({ name, pid, executable, windows }) => [
    `${clip(name)}${pid === undefined ? '' : ` pid ${pid}`}${executable === undefined ? '' : ` ${clip(executable)}`}`,
    ...windows.map((w) => `  ${w.elementId} window ${clip(w.title ?? '')}${w.active === true ? ' active' : ''}`),
  ])
  const text = lines.length === 0 ? 'no application shows a window' : lines.join('\n')
  s.shown.add(text)
  return { sent: 'none', effect: 'none', data: { applications }, text }
}

/** Asks every window of an application to close, waits until it is gone, and ends its process where that was asked for and is possible. */
export async function closeApp(s: Session, action: ActionOf<'close'>, job: Job, hands: Hands): Promise<Sent> {
  let units = 0
  for (const { facts } of job.targets) {
    if (facts.key === undefined) continue
    const sent = await hands.step({ do: 'window', key: facts.key, op: 'close' }, {}, job.signal).catch(closedByItself)
    units += sent?.units ?? 0
  }
  const { app } = job.targets[0]?.facts ?? {}
  if (!action.force || (await isGone(s, app, action.timeoutMs ?? CLOSE_MS, job.signal)))
    return { sent: 'all', units, via: 'window manager', held: [] }
  if (app?.pid === undefined || s.ports.end === undefined) {
    throw new DeskhandError('NOT_CAPABLE', 'it did not close, and the processes of this desktop are not ours to end', {
      next: 'Answer what it asks, or let a person end it.',
      details: { sent: 'all' },
    })
  }
  await s.ports.end(app.pid)
  return { sent: 'all', units: units + 1, via: 'process', held: [] }
}

/** What became of it: an application that is still there says what it shows, often a question about unsaved work. */
export async function closedEffect(s: Session, action: ActionOf<'close'>, job: Job): Promise<Pick<Outcome, 'effect' | 'text'>> {
  const { app } = job.targets[0]?.facts ?? {}
  if (await isGone(s, app, action.timeoutMs ?? CLOSE_MS, job.signal)) return { effect: 'confirmed' }
  const left = appsOf(s.seen(job.call)).find((a) => app !== undefined && identityOf(a.app) === identityOf(app))
  const text = `it is still there and shows:\n${s.outlineOf(left?.windows ?? [], job.call)}`
  s.shown.add(text)
  return { effect: 'unverified', text }
}

async function isGone(s: Session, app: AppIdentity | undefined, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const gone = (): boolean => app === undefined || !appsOf(s.tree).some((a) => identityOf(a.app) === identityOf(app))
  const judgement = await s.until(() => ({ holds: gone(), details: '' }), timeoutMs, signal)
  return judgement.holds === true
}

/** An application may close its other windows together with the first. */
function closedByItself(thrown: unknown): undefined {
  if (thrown instanceof DeskhandError && (thrown.code === 'STALE_REF' || thrown.code === 'NOT_FOUND')) return undefined
  throw thrown
}

const identityOf = (app: AppIdentity): number | string => app.pid ?? app.id

function namesOf({ pid, name, executable }: AppIdentity): string[] {
  const file = executable?.slice(executable.lastIndexOf('/') + 1)
  return [String(pid), name, executable, file].flatMap((n) => (n === undefined ? [] : [n.toLowerCase()]))
}
