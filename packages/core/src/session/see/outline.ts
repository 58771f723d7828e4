import { WINDOWS, type Completeness, type UiNode, type UiTree } from '../../model/index.ts'
import { clip, roleOf } from '../../selector/index.ts'
import { ENTRIES, told } from './out-of-view.ts'
import { partsOf, type Item } from './outline-item.ts'
import { itemsOf } from './outline-items.ts'
import { lineWith } from './outline-rows.ts'
import { tokens, weight } from './tokens.ts'
import { unreadKind } from './unread.ts'

export interface OutlineOptions {
  /** The short id of a node. Asked only for nodes that are shown. */
  id(node: UiNode): string
  /** Only this node and what is below it. */
  root?: UiNode
  /** How many levels of the outline to show; 1 shows the roots alone. */
  maxDepth?: number
  /** Tokens that the text may cost, as `tokens` counts them; 6000 when not given. */
  budget?: number
  /** Also what cannot be operated. */
  all?: boolean
  /** It is a part of an answer, whose budget the caller did not set. */
  inAnswer?: boolean
}

export interface Outline {
  text: string
  shown: UiNode[]
  /** Useful nodes that got no line of their own, for lack of room. */
  omitted: number
}

const BUDGET = 6000
/** Kept free for the line that says what was left out. */
const FOOTER = 45
/** How many entries a list shows that was asked for by itself. */
const IN_FULL = 100
/** A run of more than `most` elements of one role shows its first `keep`. Each step saves more than the one before. */
const THRIFT: Thrift[] = [
  { most: 15, keep: 10, cells: 60, texts: true },
  { most: 4, keep: 3, cells: 12, texts: true },
  { most: 4, keep: 3, cells: 12, texts: false },
]
interface Thrift {
  most: number
  keep: number
  cells: number
  texts: boolean
}

type Naming = (node: UiNode) => string

/** A line to be: its text is made only when it is shown, because only then its ids are given. */
interface Row {
  depth: number
  item?: Item
  /** What a line without an item counts the parts of. */
  of?: UiNode
  /** How many useful nodes the line stands for beside its own. */
  hides?: number
  text: (id: Naming) => string
}

const NO_WINDOW = 'no window is open yet; start a program with desktop.launch, or wait for its window with ui.wait'

/** What a model reads: one line per useful node, indented below where it is. What is left out is counted, with the way to see it. */
export function outline(tree: UiTree, options: OutlineOptions): Outline {
  const items = blockingFirst(itemsOf(options.root ? [options.root] : tree.roots, options.all), options.maxDepth !== 1)
  const head = incompleteness(tree.completeness)
  const budget = options.budget ?? BUDGET
  const room = budget - tokens(head.join('\n'))
  let rows: Row[] = []
  let fit = false
  for (const thrift of THRIFT) {
    rows = layout(items, 0, options.maxDepth ?? Infinity, thrift)
    fit = cost(rows) <= room - (thrift.texts ? 0 : FOOTER)
    if (fit) break
  }
  const fits = fit ? rows : cut(rows, room - FOOTER)
  const { id } = options
  const lines = fits.map((row) => '  '.repeat(row.depth) + row.text(id))
  const shown = fits.flatMap(nodesOf)
  const omitted = items.reduce((sum, item) => sum + item.size, 0) - shown.length
  const untold = omitted - fits.reduce((sum, row) => sum + (row.hides ?? 0), 0)
  const isShown = new Set(fits)
  const left = rows.filter((row) => !isShown.has(row))
  const { root } = options
  if (untold > 0 && options.inAnswer === true) lines.push(`… ${untold} more; ui.snapshot${root ? ` with root=${id(root)}` : ''} shows them`)
  else if (untold > 0) lines.push(leftOut(left, untold, budget, id))
  if (items.length === 0 && options.root === undefined && tree.roots.length === 0) lines.push(NO_WINDOW)
  else if (items.length === 0) lines.push(options.all ? 'no elements' : 'nothing to operate here; all=true shows the rest')
  return { text: [...head, ...lines].join('\n'), shown, omitted }
}

function layout(items: Item[], depth: number, maxDepth: number, thrift: Thrift, parent?: Item): Row[] {
  const rows: Row[] = []
  for (const run of runs(thrift.texts ? items : items.filter((item) => item.kind !== 'text'))) {
    const role = run[0] ? roleOf(run[0].node) : 'unknown'
    const most = depth === 0 ? Infinity : isAskedFor(parent, depth) ? IN_FULL : role === 'cell' ? thrift.cells : thrift.most
    const keep = run.length <= most ? run.length : most === thrift.most ? thrift.keep : most
    const kept = run.filter((item, i) => i < keep || isCurrent(item))
    for (const item of kept) rows.push(...layoutItem(item, depth, maxDepth, thrift))
    const way = isAskedFor(parent, depth) ? '' : wayIn(run[0]?.node.parent)
    const hides = run.reduce((sum, item) => sum + item.size, 0) - kept.reduce((sum, item) => sum + item.size, 0)
    if (hides > 0)
      rows.push({
        depth,
        hides,
        of: parent?.node,
        text: (id) => `… ${run.length - kept.length} more; ${way && `snapshot with root=${id(way)} or `}query role=${role}`,
      })
  }
  const unloaded = parent?.node.attributes?.['rowsNotLoaded']
  if (unloaded !== undefined)
    rows.push({ depth, text: () => `… ${String(unloaded)} more rows are not loaded; query one by its name, or scroll` })
  const { unseen } = parent ?? {}
  if (unseen) rows.push({ depth, text: () => told(unseen) })
  return rows
}

function layoutItem(item: Item, depth: number, maxDepth: number, thrift: Thrift): Row[] {
  const inside = item.size - 1
  if (depth + 1 >= maxDepth && inside > 0)
    return [{ depth, item: { ...item, cells: undefined }, hides: inside, text: (id) => `${id(item.node)} ${item.line} (${inside} inside)` }]
  // What a dialog says is why it is there.
  const spared = DIALOGS.has(roleOf(item.node)) ? { ...thrift, texts: true } : thrift
  return [{ depth, item, text: (id) => lineWith(item, id) }, ...layout(item.children, depth + 1, maxDepth, spared, item)]
}

const nodesOf = ({ item }: Row): UiNode[] => (item ? [item.node, ...(item.cells ?? []).map((cell) => cell.node)] : [])

const DIALOGS: ReadonlySet<string> = new Set(['dialog', 'alert'])

/** Whether the caller asked for an outline of the parent alone. */
const isAskedFor = (parent: Item | undefined, depth: number): boolean =>
  depth === 1 && parent?.node.parent !== undefined && !WINDOWS.has(roleOf(parent.node))

/** Where a run can be seen by itself, unless that is a whole window. */
const wayIn = (parent: UiNode | undefined): UiNode | '' => (parent && !WINDOWS.has(roleOf(parent)) ? parent : '')

/** Neighbours of one role. */
function runs(items: Item[]): Item[][] {
  const all: Item[][] = []
  for (const item of items) {
    const run = all.at(-1)
    if (run?.[0] && roleOf(run[0].node) === roleOf(item.node)) run.push(item)
    else all.push([item])
  }
  return all
}

const isCurrent = (item: Item): boolean => Boolean(item.node.states?.focused || item.node.states?.selected) || partsOf(item).some(isCurrent)

const SAMPLE_ID: Naming = () => 'e1234'

const cost = (rows: Row[]): number => rows.reduce((sum, row) => sum + weight(`\n ${row.text(SAMPLE_ID)}`), 0)

/**
 * The rows from the start for which there is room, one at least; in any case the tabs of a dialog and what can be pressed in it, the last first,
 * as one of them is the way on. The entries of a dialog's lists, what cannot be operated now and headers of columns, and the menus and toolbars
 * that every window has come after what it is there for.
 */
function cut(rows: Row[], room: number): Row[] {
  const kept = new Set<Row>()
  for (const row of [...rows.filter(isWayOn).toReversed(), ...rows.filter(isTab)]) if (cost([...kept, row]) < room / 2) kept.add(row)
  const first = kept.size
  let used = cost([...kept])
  for (const row of rows.toSorted((a, b) => lateness(a) - lateness(b))) {
    if (kept.has(row)) continue
    used += cost([row])
    if (used > room && kept.size > first) break
    kept.add(row)
  }
  return rows.filter((row) => kept.has(row))
}

const lateness = (row: Row): number => (isBar(row) ? 3 : isAside(row) ? 2 : isEntryInDialog(row) ? 1 : 0)

const isEntryInDialog = ({ item }: Row): boolean => item !== undefined && ENTRIES.has(roleOf(item.node)) && isInDialog(item.node)

const isAside = ({ item }: Row): boolean =>
  item !== undefined &&
  (roleOf(item.node) === 'columnheader' || [item, ...(item.cells ?? [])].every(({ node }) => node.states?.enabled === false))

/** A menu that is closed, or a part of a toolbar, in a window that has other things. */
function isBar({ item, of, depth }: Row): boolean {
  if (depth === 0) return false
  if (item !== undefined && roleOf(item.node) === 'menu' && item.children.length === 0) return true
  for (let at = item?.node ?? of; at !== undefined; at = at.parent) if (BARS.has(roleOf(at))) return true
  return false
}

const BARS: ReadonlySet<string> = new Set(['menubar', 'toolbar'])

/** What can be pressed in a dialog, but for the entries of its lists. */
const isWayOn = (row: Row): boolean =>
  row.item !== undefined && BUTTONS.has(roleOf(row.item.node)) && !isAside(row) && isInDialog(row.item.node)

const BUTTONS: ReadonlySet<string> = new Set(['button', 'togglebutton'])

/** The tabs of a dialog that are not shown. */
const isTab = ({ item }: Row): boolean =>
  item !== undefined && roleOf(item.node) === 'tab' && item.children.length === 0 && isInDialog(item.node)

function isInDialog(node: UiNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (DIALOGS.has(roleOf(at))) return true
  return false
}

/** How many got no line, and the parts in which most of them are. */
function leftOut(rows: Row[], count: number, budget: number, id: Naming): string {
  const parts = rows.flatMap((row) => (row.item && row.item.size > 3 ? [row.item] : []))
  const inner = new Set(parts.flatMap((part) => part.children))
  const largest = parts
    .filter((part) => !inner.has(part))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 2)
  const ways = largest.map(({ node, size }) => `root=${id(node)} (${roleOf(node)}, ${size - 1} inside)`)
  return `… ${count} more left out by budget=${budget}; snapshot with ${[...ways, 'a larger budget'].join(', ')}, or query`
}

/** What lies over the rest and blocks it comes before it: unread popups, modal dialogs, also those inside a page, then the active window. */
function blockingFirst(items: Item[], lookInside: boolean): Item[] {
  const modal: Item[] = []
  const rest = lookInside ? items.map((item) => withoutModal(item, modal)) : items
  const rank = ({ node }: Item): number => (unreadKind(node) === 'popup' ? 0 : node.states?.modal ? 1 : node.states?.active ? 2 : 3)
  return [...modal, ...rest].toSorted((a, b) => rank(a) - rank(b))
}

/** An item without the modal dialogs inside it, which are put into `found`. */
function withoutModal(item: Item, found: Item[]): Item {
  const children: Item[] = []
  for (const child of item.children) {
    const isModal = child.node.states?.modal === true && DIALOGS.has(roleOf(child.node))
    if (isModal) found.push({ ...child, line: `${child.line} in ${roleOf(item.node)} ${clip(item.node.name ?? '')}` })
    else children.push(withoutModal(child, found))
  }
  if (children.length === item.children.length && children.every((c, i) => c === item.children[i])) return item
  return { ...item, children, size: children.reduce((sum, c) => sum + c.size, 1) }
}

function incompleteness({ complete, reasons }: Completeness): string[] {
  if (complete) return []
  const told = reasons.slice(0, 3).map((r) => `${r.kind}${r.app ? ` ${clip(r.app, 40)}` : ''} ${clip(r.detail)}`)
  const more = reasons.length > 3 ? `, and ${reasons.length - 3} more` : ''
  return [`incomplete, so what is missing here may exist: ${told.join(', ') || 'no reason given'}${more}`]
}
