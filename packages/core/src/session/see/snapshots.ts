import { CAPS } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import {
  COMPLETE,
  walk,
  WINDOWS,
  type ActionOf,
  type AppIdentity,
  type Completeness,
  type ElementNode,
  type Principal,
  type UiNode,
  type UiTree,
  type VisualDOMSnapshot,
} from '../../model/index.ts'
import type { ScreenText } from '../../policy/index.ts'
import { clip } from '../../selector/index.ts'
import { label } from '../words.ts'
import { stillRunning } from './apps.ts'
import { CallerIds, isThere } from './caller-ids.ts'
import { changesSince, toldOf, topOf, type ChangeOptions, type Changes, type Told } from './changes.ts'
import type { DriverState } from './driver-state.ts'
import { windowOf, type LiveTree } from './live-tree.ts'
import { outline } from './outline.ts'
import type { Refs } from './refs.ts'
import type { See } from './see.ts'
import { skeleton } from './skeleton.ts'
import { tellApart } from './tell-apart.ts'
import { isTool } from './tools.ts'
import { unreadKind } from './unread.ts'

const KEEP = 32
/** How many principals can take turns without being told everything anew. */
const MOST_KNOWING = 16
const DIFFERENCE = 250
const NOTHING: Known = { told: new Map(), open: new Set() }

export type SnapshotRequest = Pick<ActionOf<'snapshot'>, 'scope'> & Partial<ActionOf<'snapshot'>>

interface SnapshotNeeds {
  tree: LiveTree
  see: See
  refs: Refs
  driver: DriverState
  /** What agents were shown: text that comes back in a call is tainted. */
  shown: ScreenText
  now(): number
}

/** What was shown: the outline, and the windows beside it. */
interface Shown {
  told: Told
  beside: string
}

/** What a caller knows of: what it was told last of each window, by a look or by an answer, and which windows were open then. */
interface Known {
  told: Told
  open: ReadonlySet<string>
}

/** What an answer says of changes. */
export interface ChangeRequest {
  budget: number
  /** The key of what the call was about; it is told first. */
  target?: string
  /** Whether the caller entered what the target holds now. */
  entered?: boolean
  /** What the answer says beside the changes. */
  own?: string
  warning(opened: UiNode): string
}

/** Takes snapshots, and keeps what was shown in each, so that the next look can be a difference. */
export class Snapshots {
  readonly #on: SnapshotNeeds
  readonly #kept = new Map<string, Shown>()
  readonly #known = new Map<string, Known>()
  #count = 0

  constructor(needs: SnapshotNeeds) {
    this.#on = needs
  }

  /** `root` is the element that the request names, where it names one. */
  take(who: Principal, request: SnapshotRequest, root?: UiNode): VisualDOMSnapshot & { text: string } {
    const { tree: live, refs, driver, shown, now } = this.#on
    const seen = this.#on.see(who)
    const tree = scoped(seen, live.activeWindow, request, root)
    const { maxDepth, budget, all } = request
    const ids = new Map<string, string>()
    const id = (n: UiNode): string => {
      const given = refs.show(n, who)
      ids.set(n.key, given)
      return given
    }
    const draw = () => (request.skeleton ? skeleton(tree, { id, budget }) : outline(tree, { id, root, maxDepth, budget, all }).text)
    const drawn = request.since === undefined ? draw() : undefined
    const snapshotId = `s${++this.#count}`
    refs.give(snapshotId, who)
    const beside = this.#beside(seen, tree, request, who)
    const before = request.since === undefined ? undefined : this.#shown(who, request.since)
    const since = before && this.#since(before.told, tree, { budget: budget ?? DIFFERENCE, all }, who)
    const told = since?.told ?? toldOf(tree.roots, ids, all, this.#knownTo(who).told)
    this.#keep(who, snapshotId, { told, beside })
    if (!all) this.#learn(who, root === undefined || root.parent === undefined ? told : this.#joined(who, told))
    refs.prune()
    const active = seen.see(live.activeWindow)
    const { kind, name, version } = driver.info
    const dom: VisualDOMSnapshot = {
      snapshotId,
      timestamp: new Date(now()).toISOString(),
      activeApp: active && {
        pid: active.app.pid,
        appId: active.app.id,
        processName: active.app.executable ?? active.app.name,
        title: active.name,
        windowHandle: active.platformIds?.windowHandle ?? active.platformIds?.virtualId,
        bounds: active.bounds,
      },
      driver: { kind, name, version, capabilities: CAPS.filter((c) => driver.can(c)) },
      completeness: isCut(tree.roots, maxDepth) ? cut(tree.completeness, maxDepth) : tree.completeness,
    }
    if (request.includeTree)
      dom.tree = { id: 'e0', role: 'desktop', children: tree.roots.map((r) => this.element(r, maxDepth ?? Infinity, who)) }
    if (request.includeTextIndex) dom.textIndex = [...texts(tree)]
    const body = drawn ?? since?.text ?? ''
    shown.add(body + beside)
    return { ...dom, text: `snapshot ${snapshotId}\n${body}${before?.beside === beside ? '' : beside}` }
  }

  /** The active window of a real desktop, where it has no tree. */
  bareWindow(who: Principal): UiNode | undefined {
    const { tree, driver, see } = this.#on
    const window = driver.info.kind === 'virtual' ? undefined : see(who).see(tree.activeWindow)
    return window !== undefined && isBare(window) ? window : undefined
  }

  /** Whether the caller was told anything of this desktop yet. */
  hasTold(who: Principal): boolean {
    return this.#known.has(who.id)
  }

  /** Takes down how the windows in view are, for a caller that was told nothing yet. */
  note(who: Principal): void {
    const roots = this.#inView(who)
    // Tools are known again by their ids, where their bar is made anew.
    const tools = [...walk(roots)].filter(isTool)
    this.#learn(who, toldOf(roots, new Map(tools.map((n) => [n.key, this.#on.refs.id(n)]))))
  }

  /** What is different from what the caller was told last; from then on it is told. */
  changes(who: Principal, { budget, target, entered, own = '', warning }: ChangeRequest): Changes {
    const { refs, shown } = this.#on
    const seen = this.#on.see(who)
    const known = this.#knownTo(who)
    const about = target === undefined ? undefined : seen.see(target)
    const isSaid = saidIn(own, (n) => refs.id(n))
    const news = seen.roots.filter((root) => !known.open.has(root.key) && isShown(root))
    const roots = distinct([...news, ...(about === undefined ? [] : [topOf(about)]), ...this.#inView(who)])
    const changes = changesSince(known.told, roots, new CallerIds(refs, seen, who), {
      budget,
      wasOpen: (root) => known.open.has(root.key),
      warning,
      first: target,
      isSaid: (node) => (entered === true && node.key === target) || isSaid(node),
    })
    this.#learn(who, changes.told)
    shown.add(changes.text)
    return changes
  }

  /** One line per node, as an outline shows it. */
  lines(nodes: readonly UiNode[], who: Principal): string {
    const { refs } = this.#on
    return outline({ roots: nodes, completeness: COMPLETE }, { id: (n) => refs.show(n, who), all: true, maxDepth: 1 }).text
  }

  /** A node by its id and in words, where the caller may know of it. */
  nameOf(key: string, who: Principal): string | undefined {
    const node = this.#on.see(who).see(key)
    return node && `${this.#on.refs.show(node, who)} ${label(node)}`
  }

  /** The windows of an application that the caller sees, one line each. */
  windowsOf(app: AppIdentity | undefined, who: Principal): string {
    return this.lines(stillRunning(app, this.#on.see(who))?.windows ?? [], who)
  }

  /** What a query found: one line each, in its order, those in a table with their row. */
  found(nodes: readonly UiNode[], who: Principal): string {
    const where = tellApart(nodes)
    return nodes.map((node) => this.lines([node], who) + where(node)).join('\n')
  }

  /** A node as an agent sees it, with what is below it down to a depth. */
  element(node: UiNode, depth: number, who: Principal): ElementNode {
    const { key: _key, parent: _parent, index: _index, app: _app, children, ...face } = node
    const shown: ElementNode = { id: this.#on.refs.show(node, who), ...face }
    if (depth > 1 && children.length > 0) shown.children = children.map((c) => this.element(c, depth - 1, who))
    return shown
  }

  /** The windows that the scope leaves out, by name, so that an agent does not take the active one for all there is. */
  #beside(seen: UiTree, shown: UiTree, request: SnapshotRequest, who: Principal): string {
    if (request.root !== undefined) return ''
    const tops = new Set(shown.roots.map(topOf))
    const others = seen.roots.filter((r) => !tops.has(r) && r.states?.visible !== false)
    return others.length === 0 ? '' : `\nother windows:\n${this.lines(others, who)}`
  }

  /** What changed since a look; of a window that it did not show, since the last look at that window. */
  #since(before: Told, tree: UiTree, options: Pick<ChangeOptions, 'budget' | 'all'>, who: Principal): { text: string; told: Told } {
    const seen = this.#on.see(who)
    const known = new Map([...this.#knownTo(who).told, ...before])
    const { counts, text, told } = changesSince(known, tree.roots, new CallerIds(this.#on.refs, seen, who), options)
    const { added, changed, gone } = counts
    const later = distinct(tree.roots.map(topOf)).filter(({ key }) => !before.has(key) && known.has(key))
    const open = later.length === 0 ? '' : `told since then:\n${this.lines(later, who)}\n`
    return { text: open + (text === '' ? 'nothing changed' : `${added} added, ${changed} changed, ${gone} gone\n${text}`), told }
  }

  /** The roots that a caller looks at when it looks at the active window. */
  #inView(who: Principal): readonly UiNode[] {
    const { roots } = scoped(this.#on.see(who), this.#on.tree.activeWindow, { scope: 'window' }, undefined)
    return distinct(roots.map(topOf))
  }

  /** A look at a part adds to what was told of its window. Of one that nothing was told of, the rest stays untold. */
  #joined(who: Principal, part: Told): Told {
    const known = this.#knownTo(who).told
    return new Map(
      [...part].flatMap(([key, lines]) => (known.has(key) ? [[key, new Map([...(known.get(key) ?? []), ...lines])] as const] : [])),
    )
  }

  #knownTo(who: Principal): Known {
    return this.#known.get(who.id) ?? NOTHING
  }

  /** The principal that was told last is the last one. */
  #learn(who: Principal, told: Told): void {
    const seen = this.#on.see(who)
    const kept = [...this.#knownTo(who).told, ...told].filter(([key]) => isThere(seen.see(key)))
    this.#known.delete(who.id)
    this.#known.set(who.id, { told: new Map(kept), open: new Set(seen.roots.filter(isShown).map((root) => root.key)) })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_KNOWING && oldest !== undefined) this.#known.delete(oldest)
  }

  #shown(who: Principal, id: string): Shown {
    const shown = this.#kept.get(`${who.id} ${id}`)
    if (shown === undefined)
      throw new DeskhandError('STALE_REF', `snapshot ${id} is not kept any more`, { next: 'Take a snapshot without since.' })
    return shown
  }

  #keep(who: Principal, id: string, shown: Shown): void {
    this.#kept.set(`${who.id} ${id}`, shown)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEEP && oldest !== undefined) this.#kept.delete(oldest)
  }
}

function scoped(seen: UiTree, activeKey: string | undefined, request: SnapshotRequest, root: UiNode | undefined): UiTree {
  if (request.root !== undefined) return { roots: root === undefined ? [] : [root], completeness: seen.completeness }
  const active = [...walk(seen.roots)].find((n) => n.key === activeKey)
  if (request.scope === 'desktop' || active === undefined) return seen
  if (request.scope === 'app') return { roots: seen.roots.filter((r) => r.app.id === active.app.id), completeness: seen.completeness }
  const window = windowOf(active) ?? active
  const popups = seen.roots.filter((r) => r !== window && isPopupOf(r, active))
  return { roots: [...popups, window], completeness: seen.completeness }
}

/** Whether a window tells nothing of what is in it. */
export const isBare = ({ role, children, attributes }: UiNode): boolean =>
  WINDOWS.has(role) && (children.length === 0 || attributes?.['unread'] !== undefined)

const isShown = ({ states, attributes }: UiNode): boolean => states?.visible !== false && attributes?.['minimized'] !== true

const distinct = (nodes: readonly UiNode[]): UiNode[] => [...new Map(nodes.map((node) => [node.key, node])).values()]

/** An open menu, list or popup without a tree of the active window's application: no window manager knows it, and it lies over the window. */
const isPopupOf = (root: UiNode, active: UiNode): boolean =>
  root.app.id === active.app.id && root.states?.visible !== false && isPopup(root)

const isPopup = (node: UiNode): boolean => unreadKind(node) === 'popup' || (node.attributes?.['z'] === undefined && POPUPS.has(node.role))

const POPUPS: ReadonlySet<string> = new Set(['window', 'menu', 'tooltip'])

/** Whether anything lies deeper than so many levels. */
const isCut = (nodes: readonly UiNode[], levels = Infinity): boolean =>
  levels !== Infinity && nodes.some((n) => n.children.length > 0 && (levels <= 1 || isCut(n.children, levels - 1)))

const cut = ({ reasons }: Completeness, levels = Infinity): Completeness => ({
  complete: false,
  reasons: [...reasons, { kind: 'truncated', detail: `only ${levels} levels were asked for` }],
})

/**
 * Whether a text says what became of a node: of it by its id, or of the control around it with what it holds, as a date says of its parts.
 * Texts from the screen are quoted.
 */
function saidIn(own: string, id: (node: UiNode) => string): (node: UiNode) => boolean {
  const words = own.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  const isTold = (node: UiNode): boolean => new RegExp(String.raw`^\s*${id(node)} .*: `, 'm').test(words)
  const isInTold = ({ parent }: UiNode): boolean => parent !== undefined && (isTold(parent) || isInTold(parent))
  const isPart = (node: UiNode): boolean =>
    !!node.value && (node.role === 'spinbutton' ? isInTold(node) : own.includes(clip(node.value)) && !!node.parent && isTold(node.parent))
  return (node) => own !== '' && (isTold(node) || isPart(node))
}

const sourceOf = ({ attributes }: UiNode): { source: 'structure' | 'ocr'; confidence: number } =>
  attributes?.['source'] === 'ocr'
    ? { source: 'ocr', confidence: Number(attributes['confidence']) }
    : { source: 'structure', confidence: 1 }

function* texts(tree: UiTree): Generator<NonNullable<VisualDOMSnapshot['textIndex']>[number]> {
  for (const n of walk(tree.roots)) {
    if (n.states?.visible === false || n.states?.password) continue
    for (const text of new Set([n.name, n.value])) if (text) yield { text, bounds: n.bounds, ...sourceOf(n) }
  }
}
