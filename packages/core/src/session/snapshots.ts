import { DeskhandError } from '../errors.ts'
import { CAPS } from '../driver/driver.ts'
import { walk, type Target, type UiNode, type UiTree, type VisualDOMSnapshot } from '../model/index.ts'
import { diff, outline, type OutlineState } from './outline.ts'
import type { Call } from './ports.ts'
import { element } from './read.ts'
import { find } from './resolve.ts'
import type { Session } from './session.ts'
import { windowOf } from './tree.ts'

const KEEP = 32

export interface SnapshotRequest {
  scope: 'window' | 'app' | 'desktop'
  includeTree?: boolean
  includeTextIndex?: boolean
  maxDepth?: number
  root?: Target
  budget?: number
  since?: string
  all?: boolean
}

/** What was shown: the outline, and the windows beside it. */
interface Shown {
  state: OutlineState
  beside: string
}

/** What was shown when, so that the next look can be a difference. */
export class Snapshots {
  readonly #session: Session
  readonly #kept = new Map<string, Shown>()
  #count = 0

  constructor(session: Session) {
    this.#session = session
  }

  take(call: Call, request: SnapshotRequest): VisualDOMSnapshot & { text: string } {
    const s = this.#session
    const looking = s.looking(call)
    const root = request.root && find(request.root, looking)[0]
    const tree = scoped(looking.seen, s.tree.activeWindow, request, root)
    const options = {
      id: (n: UiNode) => s.refs.show(n, call.principal),
      root,
      maxDepth: request.maxDepth,
      budget: request.budget,
      all: request.all,
    }
    const drawn = outline(tree, options)
    const snapshotId = `s${++this.#count}`
    const beside = this.#beside(looking.seen, tree, request, call)
    const before = request.since === undefined ? undefined : this.#shown(call, request.since)
    this.#keep(call, snapshotId, { state: drawn.state, beside })
    s.refs.prune(s.tree)
    const active = looking.seen.see(s.tree.activeWindow)
    const { kind, name, version, can } = s.info
    const dom: VisualDOMSnapshot = {
      snapshotId,
      timestamp: new Date(s.now()).toISOString(),
      activeApp: active && {
        pid: active.app.pid,
        appId: active.app.id,
        processName: active.app.executable ?? active.app.name,
        title: active.name,
        windowHandle: active.key,
        bounds: active.bounds,
      },
      driver: { kind, name, version, capabilities: CAPS.filter((c) => can[c].ok) },
      completeness: tree.completeness,
    }
    if (request.includeTree)
      dom.tree = { id: 'e0', role: 'desktop', children: tree.roots.map((r) => element(s, r, request.maxDepth ?? Infinity, call)) }
    if (request.includeTextIndex) dom.textIndex = [...texts(tree)]
    s.shown.add(drawn.text + beside)
    const body = before === undefined ? drawn.text : diff(before.state, tree, options).text
    return { ...dom, text: `snapshot ${snapshotId}\n${body}${before?.beside === beside ? '' : beside}` }
  }

  /** The windows that the scope leaves out, by name, so that nobody takes the active one for all there is. */
  #beside(seen: UiTree, shown: UiTree, request: SnapshotRequest, call: Call): string {
    if (request.root !== undefined) return ''
    const others = seen.roots.filter((r) => !shown.roots.includes(r) && r.states?.visible !== false)
    return others.length === 0 ? '' : `\nother windows:\n${this.lines(others, call)}`
  }

  /** One line per node, as an outline shows it. */
  lines(nodes: readonly UiNode[], call: Call): string {
    return outline(
      { roots: nodes, completeness: { complete: true, reasons: [] } },
      { id: (n) => this.#session.refs.show(n, call.principal), all: true, maxDepth: 1 },
    ).text
  }

  #shown(call: Call, id: string): Shown {
    const shown = this.#kept.get(`${call.principal.id} ${id}`)
    if (shown === undefined)
      throw new DeskhandError('STALE_REF', `snapshot ${id} is not kept any more`, { next: 'Take a snapshot without since.' })
    return shown
  }

  #keep(call: Call, id: string, shown: Shown): void {
    this.#kept.set(`${call.principal.id} ${id}`, shown)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEEP && oldest !== undefined) this.#kept.delete(oldest)
  }
}

function scoped(seen: UiTree, activeKey: string | undefined, request: SnapshotRequest, root: UiNode | undefined): UiTree {
  if (request.root !== undefined) return { roots: root === undefined ? [] : [root], completeness: seen.completeness }
  const active = [...walk(seen.roots)].find((n) => n.key === activeKey)
  if (request.scope === 'desktop' || active === undefined) return seen
  if (request.scope === 'app') return { roots: seen.roots.filter((r) => r.app.id === active.app.id), completeness: seen.completeness }
  return { roots: [windowOf(active) ?? active], completeness: seen.completeness }
}

function* texts(tree: UiTree): Generator<NonNullable<VisualDOMSnapshot['textIndex']>[number]> {
  for (const n of walk(tree.roots)) {
    if (n.states?.visible === false || n.states?.password) continue
    for (const text of new Set([n.name, n.value])) if (text) yield { text, bounds: n.bounds, source: 'structure', confidence: 1 }
  }
}
