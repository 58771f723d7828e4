import { COMPLETE, INTERACTIVE, type UiNode } from '../../model/index.ts'
import { roleOf } from '../../selector/index.ts'
import type { NodeIds } from './caller-ids.ts'
import { bare, faceOf, hidesSome, switchless, UNSAID } from './faces.ts'
import { partsOf, type Item } from './outline-item.ts'
import { itemsOf, lineFor } from './outline-items.ts'
import { outline } from './outline.ts'
import { isTableRow, lineWith, standsForOthers } from './outline-rows.ts'
import { tokens } from './tokens.ts'
import { isTool } from './tools.ts'
import { isUnreadNow } from './same-parts.ts'
import { hasLostMark, NOT_MARKED } from './unsaved.ts'

/** What was worth a line, by the node's key; small enough to keep for every snapshot. */
export type Lines = ReadonlyMap<string, Line>

interface Line {
  id?: string
  line: string
  /** The key of the dialog or page inside its window that it belongs to. */
  dialog?: string
  /** The key of the table that it stands in, where only the rows in view of that are known. */
  table?: string
}

/** What a caller was told: the lines of each window, by the key of its root. */
export type Told = ReadonlyMap<string, Lines>

export interface ChangeOptions {
  /** Tokens that the text may cost. */
  budget: number
  /** Also what cannot be operated. */
  all?: boolean
  /** Whether a window was open already, though nothing was told of it. */
  wasOpen?(root: UiNode): boolean
  /** A warning to go with what opened. */
  warning?(opened: UiNode): string
  /** The key of what is told before everything else that changed. */
  first?: string
  /** Whether the caller knows already what became of a node. */
  isSaid?(node: UiNode): boolean
}

export interface Changes {
  /** Windows, dialogs, menus and pages that were not there, the outermost. */
  opened: UiNode[]
  counts: { added: number; changed: number; gone: number }
  /** Empty where nothing changed. */
  text: string
  told: Told
}

type Switched = Pick<Item, 'node' | 'line'>

/** A part of the text. `lines` gets what it may cost. */
interface Piece {
  rank: number
  /** How many changes it tells. */
  size: number
  lines(room: number): string
}

const RANK = { modal: 0, opened: 1, closed: 2, target: 3, control: 4, text: 5, gone: 6 } as const
/** Kept free for the line that says what was left out. */
const FOOTER = 16
const LEAST = 24
/** Of so many controls that are switched on or off at once a few are named. */
const MANY = 5

/** What is new, different or gone since a caller was told. What lies over the rest comes first, then what can be operated. */
export function changesSince(before: Told, roots: readonly UiNode[], nodes: NodeIds, options: ChangeOptions): Changes {
  const found = new Found(before, nodes, options)
  for (const root of roots) found.look(root)
  found.closed()
  found.behind()
  const { ids, opened, counts } = found
  const told = (): Told => toldOf(roots, ids, options.all, found.before, found.unchanged)
  const whole = found.text(options.budget)
  if (whole.untold === 0) return { opened, counts, text: whole.text, told: told() }
  ids.clear()
  const { text, untold } = found.text(options.budget - FOOTER)
  return { opened, counts, text: `${text}\n… ${untold} more changes; ui.snapshot shows them`.trimStart(), told: told() }
}

/** What a look tells of these windows. An entry that did not change, or counts as `unchanged`, is the one that `previous` holds. */
export function toldOf(
  roots: readonly UiNode[],
  ids: ReadonlyMap<string, string>,
  all = false,
  previous?: Told,
  unchanged?: ReadonlySet<string>,
): Told {
  return new Map(
    roots.map((root) => {
      const old = previous?.get(topOf(root).key)
      const items = itemsOf([root], all)
      // What a modal dialog inside a page hides is still known once the dialog is gone.
      const lines = new Map<string, Line>(items.some((item) => item.children.some(holdsModal)) ? old : [])
      const visit = (item: Item, above?: string, around?: string): void => {
        const { node, line } = item
        const was = old?.get(node.key)
        const id = ids.get(node.key) ?? was?.id
        const dialog = node !== root && CLOSES.has(roleOf(node)) ? node.key : above
        const table = isPartlyKnown(node) ? node.key : around
        const isSame = was !== undefined && was.line === line && was.id === id && was.dialog === dialog && was.table === table
        lines.set(node.key, was !== undefined && (isSame || unchanged?.has(node.key)) ? was : { id, line, dialog, table })
        for (const part of partsOf(item)) visit(part, dialog, table)
      }
      for (const item of items) visit(item)
      const unread = [...(old ?? [])].filter(([key]) => isUnreadNow(key, lines))
      for (const [key, line] of unread) lines.set(key, line)
      return [topOf(root).key, lines] as const
    }),
  )
}

/** Takes down how windows differ from what was told of them. */
class Found {
  readonly ids = new Map<string, string>()
  readonly pieces: Piece[] = []
  readonly opened: UiNode[] = []
  readonly counts = { added: 0, changed: 0, gone: 0 }
  readonly #named = new Set<UiNode>()
  /** Controls that can be operated no more, or again, and are the same else. */
  readonly #switched = { disabled: new Array<Switched>(), enabled: new Array<Switched>() }
  /** What differs from what was told for the time of a dialog, and is not told. */
  readonly unchanged = new Set<string>()
  /** What was told, under the keys of now. */
  readonly before: Map<string, Lines>
  readonly #nodes: NodeIds
  readonly #options: ChangeOptions

  constructor(before: Told, nodes: NodeIds, options: ChangeOptions) {
    this.before = new Map(before)
    this.#nodes = nodes
    this.#options = options
  }

  look(root: UiNode): void {
    const was = this.before.get(topOf(root).key)
    const items = itemsOf([root], this.#options.all)
    if (was === undefined) return void (items.length > 0 && this.#open(root, items))
    const now = new Set<string>()
    const renewed = this.#renewed(items, was)
    this.before.set(topOf(root).key, renewed)
    this.#visit(items, renewed, now)
    // What a modal dialog has just hidden is out of reach, and comes back with its end.
    if (!items.some((item) => item.children.some(holdsModal))) this.#gone(root, was, now)
  }

  /** What was told, with the tools whose nodes were made anew under their new keys. */
  #renewed(items: readonly Item[], was: Lines): Lines {
    const fresh = [...everyItem(items)].filter(({ node }) => !was.has(node.key) && isTool(node))
    if (fresh.length === 0) return was
    const byId = new Map([...was.values()].map((line) => [line.id, line]))
    const renewed = new Map(was)
    for (const { node } of fresh) {
      const id = this.#nodes.knownId?.(node)
      const line = id === undefined ? undefined : byId.get(id)
      if (line !== undefined) renewed.set(node.key, line)
    }
    return renewed
  }

  /** What fits into so many tokens, and how many changes do not. */
  text(budget: number): { text: string; untold: number } {
    const lines: string[] = []
    let [room, untold] = [budget, 0]
    for (const piece of this.pieces.toSorted((a, b) => a.rank - b.rank)) {
      const text = room < LEAST ? '' : piece.lines(room)
      const cost = tokens(text) + (lines.length > 0 ? 1 : 0)
      const fits = text !== '' && (cost <= room || lines.length === 0)
      if (fits) lines.push(text)
      else untold += piece.size
      this.#show(fits)
      room -= fits ? Math.min(cost, room) : 0
    }
    return { text: lines.join('\n'), untold }
  }

  /** Controls behind a dialog that opens are disabled with it and come back with its end; elsewhere they are told in one line. */
  behind(): void {
    for (const [state, items] of Object.entries(this.#switched)) {
      const isHeld = state === 'disabled' && this.opened.length > 0 && items.length >= MANY
      if (isHeld) for (const { node } of items) this.unchanged.add(node.key)
      else if (items.length > 0) this.#tellTogether(state, items)
    }
  }

  #tellTogether(state: string, items: readonly Switched[]): void {
    const isMany = items.length >= MANY
    this.counts.changed += items.length
    const lines = (): string => {
      const named = items.slice(0, isMany ? 3 : MANY).map(({ node, line }) => `${this.#id(node)} ${switchless(bare(line))}`)
      return `now ${state}: ${named.join(', ')}${isMany ? `, and ${items.length - named.length} more` : ''}`
    }
    this.pieces.push({ rank: isMany ? RANK.text : RANK.control, size: items.length, lines })
  }

  /** Windows that were told of and are not there any more. */
  closed(): void {
    for (const [key, lines] of this.before) {
      const own = lines.get(key) ?? lines.values().next().value
      if (own === undefined || this.#nodes.isThere(key)) continue
      this.#close(own.id, own.line)
    }
  }

  #close(id: string | undefined, line: string): void {
    this.counts.gone++
    this.pieces.push({ rank: RANK.closed, size: 1, lines: () => `closed ${id === undefined ? '' : `${id} `}${bare(line)}` })
  }

  #visit(items: readonly Item[], was: Lines, now: Set<string>, parent?: Item): void {
    let added: Item[] = []
    const flush = (): void => {
      if (added.length > 0) this.#add(added, parent)
      added = []
    }
    for (const item of items) {
      const old = was.get(item.node.key)
      now.add(item.node.key)
      const isNew = old === undefined && !partsOf(item).some((part) => isKnown(part, was))
      if (isNew || (old !== undefined && isAnotherPage(item, old.line))) {
        for (const { node } of everyItem([item])) now.add(node.key)
        // An empty cell has a line for as long as it has the focus.
        if (isNew && isEmptyCell(item)) continue
        if (isNew && !opens(item.node)) added.push(item)
        else this.#open(item.node, [item])
        continue
      }
      flush()
      if (isTableRow(item)) this.#row(item, was, now)
      else {
        if (old !== undefined && faceOf(old.line) !== faceOf(item.line)) this.#change(item, old.line)
        this.#visit(item.cells ?? [], was, now, standsForOthers(item) ? parent : item)
      }
      this.#visit(item.children, was, now, item)
    }
    flush()
  }

  /** A row of a table in which more than one cell is different is told as it stands in an outline, once. */
  #row(item: Item, was: Lines, now: Set<string>): void {
    const parts = [item, ...(item.cells ?? [])]
    for (const { node } of parts) now.add(node.key)
    const isOther = ({ node, line }: Item): boolean => faceOf(was.get(node.key)?.line ?? '') !== faceOf(line)
    const changed = parts.filter(isOther)
    const [only] = changed
    const old = only && was.get(only.node.key)
    if (only === undefined || (changed.length === 1 && old !== undefined)) return only && this.#change(only, old?.line ?? '')
    const { first } = this.#options
    this.counts.changed += changed.length
    const rank = parts.some(({ node }) => node.key === first) ? RANK.target : RANK.control
    const lines = (): string => `now ${lineWith(item, (node) => this.#id(node))}`
    this.pieces.push({ rank, size: changed.length, lines })
  }

  #open(node: UiNode, items: readonly Item[]): void {
    const { wasOpen, warning } = this.#options
    const size = items.reduce((sum, item) => sum + item.size, 0)
    const isNew = wasOpen?.(node) !== true
    const after = (isNew ? warning?.(node) : undefined) ?? ''
    if (isNew) this.opened.push(node)
    this.counts.added += size
    const lines = (room: number): string => `${isNew ? 'opened' : 'in view'}:\n${this.#outline([node], room - tokens(after) - 3)}${after}`
    this.pieces.push({ rank: node.states?.modal === true ? RANK.modal : RANK.opened, size, lines })
  }

  /** Neighbours that are new. */
  #add(items: readonly Item[], parent: Item | undefined): void {
    const size = items.reduce((sum, item) => sum + item.size, 0)
    this.counts.added += size
    const nodes = items.flatMap((item) => [item.node, ...(standsForOthers(item) ? (item.cells ?? []).map((cell) => cell.node) : [])])
    const rank = items.some(holdsControl) ? RANK.control : RANK.text
    const where = (): string => (parent === undefined ? '' : ` in ${this.#id(parent.node)} ${roleOf(parent.node)}`)
    const what = parent !== undefined && (isPartlyKnown(parent.node) || this.#hidSome(parent)) ? 'in view' : 'new'
    this.pieces.push({ rank, size, lines: (room) => `${what}${where()}:\n${this.#outline(nodes, room - 8)}` })
  }

  /** Whether the line of a bar said that there is more in it. */
  #hidSome({ node, line }: Item): boolean {
    const told = this.before.get(topOf(node).key)?.get(node.key)?.line ?? line
    return hidesSome(told)
  }

  #change(item: Item, told: string): void {
    const [was, now] = [bare(told), bare(item.line)]
    const isSwitched = switchless(was) === switchless(now)
    if (!isSwitched || item.node.key === this.#options.first) return this.#tell(item, told)
    this.#switched[now.length > was.length ? 'disabled' : 'enabled'].push(item)
  }

  #tell(item: Pick<Item, 'node' | 'line' | 'kind'>, told = ''): void {
    const { key } = item.node
    this.counts.changed++
    if (this.#options.isSaid?.(item.node) === true) return
    const rank = key === this.#options.first ? RANK.target : item.kind === 'control' ? RANK.control : RANK.text
    const saved = hasLostMark(item.node, told) ? ` (${NOT_MARKED})` : ''
    this.pieces.push({ rank: saved === '' ? rank : RANK.target, size: 1, lines: () => `now ${this.#id(item.node)} ${item.line}${saved}` })
  }

  #gone(root: UiNode, was: Lines, now: ReadonlySet<string>): void {
    const isPart = root.parent !== undefined
    const all = [...was].filter(([key]) => !now.has(key) && !(isPart && this.#nodes.isThere(key)))
    for (const [key, { id, line, dialog }] of all) if (dialog === key) this.#close(id, line)
    const lost = all
      .filter(([key, { id, line, dialog, table }]) => {
        // Rows that are scrolled out of view are not gone.
        const isAway = table !== undefined && table !== key && now.has(table)
        const isIdle = isAway || UNSAID.test(line) || isUnreadNow(key, now)
        return (dialog === undefined || now.has(dialog)) && !isIdle && !this.#isStill(key, id, line)
      })
      .map(([, told]) => told)
    this.counts.gone += lost.length
    const named = lost.filter((one) => one.id !== undefined && INTERACTIVE.has(one.line.split(' ', 1)[0] ?? ''))
    const told = (named.length > 0 ? named : lost).slice(0, 3).map(({ id, line }) => `${id === undefined ? '' : `${id} `}${bare(line)}`)
    const more = lost.length > told.length ? `, and ${lost.length - told.length} more` : ''
    if (lost.length > 0) this.pieces.push({ rank: RANK.gone, size: lost.length, lines: () => `gone: ${told.join(', ')}${more}` })
  }

  /**
   * Whether it is there all the same: an entry of a list that went elsewhere in it, what is on another tab's page, a tool for which its bar has no
   * room among those that can be pressed, or a cell that is empty now, which has no line.
   */
  #isStill(key: string, id: string | undefined, told: string): boolean {
    const node = id === undefined ? undefined : this.#nodes.known?.(id)
    if (node === undefined) return false
    if (node.key !== key || isOnOtherPage(node)) return true
    const line = lineFor(node)
    if (faceOf(line) === faceOf(told)) return true
    const isDisabled = isTool(node) && switchless(faceOf(line)) === faceOf(told)
    if (isDisabled) this.#switched.disabled.push({ node, line })
    else if (roleOf(node) === 'cell') this.#tell({ node, line, kind: 'text' })
    return isDisabled || roleOf(node) === 'cell'
  }

  #outline(roots: readonly UiNode[], budget: number): string {
    const [only] = roots
    const root = roots.length === 1 ? only : undefined
    return outline(
      { roots, completeness: COMPLETE },
      { id: (node) => this.#id(node), root, budget, all: this.#options.all, inAnswer: true },
    ).text
  }

  /** The nodes named since the last time are shown, or they are not. */
  #show(isShown: boolean): void {
    for (const node of isShown ? this.#named : []) {
      this.ids.set(node.key, this.#nodes.id(node))
      this.#nodes.show?.(node)
    }
    this.#named.clear()
  }

  #id(node: UiNode): string {
    this.#named.add(node)
    return this.#nodes.id(node)
  }
}

/** What opens, rather than being added to what is there. Bars and notices inside a window come and go. */
const opens = (node: UiNode): boolean => OPENS.has(roleOf(node)) || node.states?.modal === true

const OPENS: ReadonlySet<string> = new Set(['window', 'dialog', 'document'])
/** What is told to have closed, rather than everything in it to be gone. */
const CLOSES: ReadonlySet<string> = new Set(['dialog', 'document'])

/** A page that shows something else under another title. */
const isAnotherPage = ({ node, line }: Item, old: string): boolean => roleOf(node) === 'document' && bare(line) !== bare(old)

const isEmptyCell = ({ node, children, cells }: Item): boolean =>
  roleOf(node) === 'cell' && !node.value && node.states?.focused === true && children.length + (cells?.length ?? 0) === 0

/** A table of which only the rows in view are loaded. */
const isPartlyKnown = ({ attributes }: UiNode): boolean => attributes?.['rowsNotLoaded'] !== undefined

/** On the page of a tab that another one was chosen instead of. */
const isOnOtherPage = ({ parent }: UiNode): boolean =>
  parent !== undefined && ((roleOf(parent) === 'tab' && parent.states?.selected !== true) || isOnOtherPage(parent))

const isKnown = (item: Item, was: Lines): boolean => was.has(item.node.key) || partsOf(item).some((part) => isKnown(part, was))

const holdsControl = (item: Item): boolean => item.kind === 'control' || partsOf(item).some(holdsControl)

const holdsModal = ({ node, children }: Item): boolean => node.states?.modal === true || children.some(holdsModal)

function* everyItem(items: readonly Item[]): Generator<Item> {
  for (const item of items) {
    yield item
    yield* everyItem(partsOf(item))
  }
}

export const topOf = (node: UiNode): UiNode => (node.parent === undefined ? node : topOf(node.parent))
