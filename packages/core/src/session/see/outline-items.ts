import { INTERACTIVE, walk, WINDOWS, type Rect, type States, type UiNode } from '../../model/index.ts'
import { bareLabel, clip, labelOf, plain, roleOf, says } from '../../selector/index.ts'
import { countInto, ENTRIES, isOffScreen, isOtherColumn, isScrolledOut, type Counts } from './out-of-view.ts'
import type { Item } from './outline-item.ts'
import { foldFew, foldRows, foldToolbar, lineUp, type Folded, fewButtons } from './outline-rows.ts'
import { unreadKind } from './unread.ts'

const TEXTS: ReadonlySet<string> = new Set(['label', 'heading', 'paragraph', 'statusbar', 'tooltip', 'progressbar'])
/** Worth a line though there may be nothing in it that is: a page may say no more than its title. */
const STANDS: ReadonlySet<string> = new Set([...WINDOWS, 'document'])
const FRAMES: ReadonlySet<string> = new Set(['list', 'listbox', 'tree', 'table', 'menu', 'radiogroup', 'form', 'row'])
const STRUCTURE: ReadonlySet<string> = new Set(['group', 'panel', 'scrollpane', 'unknown', 'application', 'tabpanel'])
const FIELDS: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch'])
const PRESS = /^(?:click|press|activate|toggle|open|jump|invoke)$/i
const MAX_LEVELS = 500
const MAX_MERGED = 6
/** So much of a text is shown that has the focus or is the only one. */
const LONG_VALUE = 1000
const WINDOW_BUTTON = /^(?:un)?(?:minimi[sz]e|maximi[sz]e|restore|close|minimi[sz]ed|maximi[sz]ed)(?: window)?$/i
/** What stands before the entries of a list. */
const BULLET = /^[•◦▪▫‣·]$/
/** A label names a field that is no farther away than so many levels. */
const NEAR = 5

/** What of the trees is useful: all that can be operated, the text around it, and what says where it is. `all`: everything visible. */
export function itemsOf(roots: readonly UiNode[], all = false): Item[] {
  return new OutlineBuilder(roots, all).items()
}

class OutlineBuilder {
  readonly #roots: readonly UiNode[]
  readonly #all: boolean
  readonly #hidden = new Set<UiNode>()
  readonly #labels = new Map<UiNode, UiNode>()
  readonly #used = new Set<UiNode>()
  /** What is scrolled out of view, by the visible element that holds it. */
  readonly #away = new Map<UiNode, UiNode[]>()
  readonly #fields = new Map<string, UiNode[]>()
  readonly #menubars = new Set<string>()
  #texts = 0

  constructor(roots: readonly UiNode[], all: boolean) {
    this.#roots = roots
    this.#all = all
  }

  items(): Item[] {
    for (const root of this.#roots) this.#survey(root, { isVisible: true }, 0)
    const items: Item[] = []
    for (const root of this.#roots) this.#build(root, '', 0, { items, unseen: new Map() })
    return items
  }

  /** Finds out what is hidden and which label belongs to what, before anything is written. */
  #survey(node: UiNode, { isVisible, view }: { isVisible: boolean; view?: Rect }, level: number): void {
    const visible = isOffScreen(node) || (node.states?.visible ?? isVisible)
    if (!visible && isVisible && level > 0 && node.parent && this.#isAway(node, view)) this.#put(this.#away, node.parent, node)
    if (!visible) this.#hidden.add(node)
    const role = roleOf(node)
    if (visible && (role === 'textbox' || role === 'searchbox' || role === 'document')) this.#texts++
    if (visible && FIELDS.has(role) && node.name) this.#put(this.#fields, bareLabel(node.name), node)
    if (level >= MAX_LEVELS) return
    for (const child of node.children) this.#survey(child, { isVisible: visible, view: node.bounds ?? view }, level + 1)
    for (const child of node.children) {
      const label = this.#hidden.has(child) ? undefined : labelOf(child, (n) => !this.#hidden.has(n))
      if (!label) continue
      this.#labels.set(child, label)
      this.#used.add(label)
    }
  }

  /** Adds the node's item, or what it holds where it is not worth one. */
  #build(node: UiNode, above: string, level: number, into: Gathered, isAway = false): void {
    const isRoot = level === 0
    const role = roleOf(node)
    const name = plain(node.name ?? '')
    const kind = this.#hidden.has(node) && !isAway && !(isRoot && this.#all) ? undefined : this.#kind(node, name, isRoot)
    const text = name || plain(node.value ?? '')
    const isSaid =
      kind === 'text' &&
      !this.#all &&
      (this.#used.has(node) || BULLET.test(text) || (text !== '' && (above.includes(text) || this.#namesField(node, text))))
    const isShown = kind !== undefined && !isSaid
    const gathered: Gathered = isShown ? { items: [], unseen: new Map() } : into
    const away = this.#away.get(node) ?? []
    for (const one of this.#all ? [] : away) countInto(gathered.unseen, one)
    const shown = level < MAX_LEVELS ? this.#withoutDecoration(node) : []
    for (const child of shown)
      this.#build(child, isShown && name ? name : above, level + 1, gathered, isAway || (this.#all && away.includes(child)))
    const { items: children, unseen } = gathered
    if (!isShown || (kind === 'context' && children.length + unseen.size === 0 && !this.#all && !STANDS.has(role))) return
    const [only] = children
    // Browsers tell of a paragraph and of the text in it, which says the same.
    if (kind === 'text' && !name && !isRoot && !this.#all && only?.kind === 'text' && children.length === 1 && only.node.name === text)
      return void into.items.push(only)
    const isMerged = kind === 'control' && !name && !this.#labels.has(node) && isTextOnly(children)
    const bar = this.#all ? undefined : (foldToolbar(node, children, isRoot) ?? foldFew(node, children))
    const few = this.#all || isRoot || bar !== undefined ? children : fewButtons(node, children)
    const folded = this.#folded(node, isMerged ? [] : few, bar)
    const isRepeated = kind === 'context' && name === above
    // A row is what its cells say.
    const label = this.#labels.get(node)?.name
    const names =
      folded.cells.length > 0 && bar === undefined
        ? []
        : name && !isRepeated
          ? // Toolkits name a combobox after what its field holds, once it holds something.
            [label !== undefined && role === 'combobox' && node.children.some((c) => c.value === node.name) ? plain(label) : name]
          : isMerged
            ? children.map((c) => plain(c.node.name ?? ''))
            : []
    const isLong = node.states?.focused === true || this.#texts === 1
    const line =
      lineOf(node, names, { label, isHidden: isRoot && this.#hidden.has(node), isLong }) +
      (isAway ? ' out of view' : '') +
      (folded.empty > 0 && folded.cells.length === 0 ? ` (${folded.empty} empty cell${folded.empty > 1 ? 's' : ''} not shown)` : '') +
      moreInside(children.length - (bar ?? few).length)
    const size = [...folded.cells, ...folded.children].reduce((sum, c) => sum + c.size, 1)
    into.items.push({
      node,
      kind,
      line,
      children: folded.children,
      size,
      ...(folded.cells.length > 0 && { cells: folded.cells }),
      ...(unseen.size > 0 && { unseen }),
    })
  }

  #folded(node: UiNode, children: Item[], bar: Item[] | undefined): Folded {
    if (bar !== undefined) return { cells: bar, children: [], empty: 0 }
    if (this.#all) return { cells: [], children, empty: 0 }
    const { children: rows, ...rest } = foldRows(node, children)
    return { ...rest, children: lineUp(rows) }
  }

  /** Scrolled out of view: an entry of a list, or anything that lies beside what holds it. */
  #isAway(node: UiNode, view: Rect | undefined): boolean {
    const parent = node.parent && roleOf(node.parent)
    if (parent !== undefined && ENTRIES.has(roleOf(node)) && FRAMES.has(parent) && parent !== 'menu') return !isOtherColumn(node)
    return isScrolledOut(node, view)
  }

  /** Whether a text says no more than the name of a field near it. */
  #namesField(node: UiNode, name: string): boolean {
    const fields = this.#fields.get(bareLabel(name)) ?? []
    if (fields.length === 0) return false
    const around = new Set(ancestors(node, NEAR))
    return fields.some((field) => [...ancestors(field, NEAR)].some((n) => around.has(n)))
  }

  /** Its children but for the buttons that a window has anyway, and for those of a menu bar that is there a second time. */
  #withoutDecoration(node: UiNode): readonly UiNode[] {
    const { app, children } = node
    if (this.#all) return children
    if (roleOf(node) === 'menubar') {
      const names = JSON.stringify([app.id, children.map((c) => c.name)])
      const isCopy = children.length > 1 && this.#menubars.has(names)
      this.#menubars.add(names)
      return isCopy ? [] : children
    }
    const others = children.filter((c) => roleOf(c) !== 'button' || !WINDOW_BUTTON.test(plain(c.name ?? '')))
    return children.length - others.length >= 2 ? others : children
  }

  #put<K>(lists: Map<K, UiNode[]>, key: K, node: UiNode): void {
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [node])
    else list.push(node)
  }

  #kind(node: UiNode, name: string, isRoot: boolean): Item['kind'] | undefined {
    const { states, actions } = node
    const role = roleOf(node)
    const unread = unreadKind(node)
    if (unread !== undefined && !isReadInPixels(node)) return 'control'
    if (WINDOWS.has(role) || unread !== undefined) return 'context'
    if (INTERACTIVE.has(role) || states?.editable || (role === 'menu' && name) || actions?.some((a) => PRESS.test(a))) return 'control'
    if (TEXTS.has(role) && (name || node.value)) return 'text'
    // Displays of calculators and the like: what they show is their name.
    if (STRUCTURE.has(role) && name && node.children.length === 0 && states?.focusable === true) return 'text'
    if (FRAMES.has(role) || (name && (node.children.length > 0 || STANDS.has(role)) && role !== 'application')) return 'context'
    return (isRoot && (this.#all || role !== 'application')) || (this.#all && (name || !STRUCTURE.has(role))) ? 'context' : undefined
  }
}

/** What the parts of a node came to. */
interface Gathered {
  items: Item[]
  unseen: Counts
}

function* ancestors(node: UiNode, levels: number): Generator<UiNode> {
  let at = node.parent
  for (let level = 0; at !== undefined && level < levels; level++, at = at.parent) yield at
}

const isTextOnly = (items: Item[]): boolean =>
  items.length > 0 && items.length <= MAX_MERGED && items.every((i) => i.kind === 'text' && i.node.name && i.children.length === 0)

/** The line of one element by itself. */
export function lineFor(node: UiNode): string {
  const label = labelOf(node, (n) => n.states?.visible !== false)
  const name = plain(node.name ?? '')
  return lineOf(node, name ? [name] : [], { label: label?.name, isHidden: node.states?.visible === false })
}

/** Role, name, value and states. Every text from the screen is quoted, so that it cannot pose as anything else. */
const moreInside = (count: number): string => (count > 0 ? ` (${count} more inside)` : '')

function lineOf(node: UiNode, names: string[], about: { label?: string; isHidden?: boolean; isLong?: boolean }): string {
  const { label } = about
  const unread = unreadOf(node)
  if (unread !== undefined) return unread
  const role = roleOf(node)
  const name = names[0] ?? ''
  let line: string = isSeen(node) ? `seen ${role}` : unreadKind(node) === 'area' ? `area${placeOf(node)}` : role
  for (const one of names) line += ` ${clip(one, names.length > 1 ? 60 : undefined)}`
  if (label && !says(name, label)) line += ` label ${clip(plain(label))}`
  const hint =
    name || label ? '' : plain(String(node.description ?? node.attributes?.['placeholder-text'] ?? node.attributes?.['placeholder'] ?? ''))
  if (hint) line += ` described ${clip(hint)}`
  // What has neither name nor text beside it is known by its place.
  else if (!name && !label && FIELDS.has(role) && node.bounds) line += ` at ${Math.round(node.bounds.x)},${Math.round(node.bounds.y)}`
  if (WINDOWS.has(role) && (!node.parent || node.parent.role === 'application')) line += ` app ${clip(node.app.name)}`
  const made =
    !isReadInPixels(node) || node.attributes?.['unread'] === undefined
      ? ''
      : `: no tree, its parts are read from pixels and may be misread${node.attributes['changing'] === true ? '; it changes all the time, so they are those of a moment ago' : ''}`
  return (
    line +
    valueOf(node, name, about.isLong ? LONG_VALUE : undefined) +
    styleOf(node) +
    (isOffScreen(node) ? ' off screen' : about.isHidden ? ' hidden' : '') +
    (node.states ? flagsOf(isInParts(node) ? 'group' : role, node.states) : '') +
    doubtOf(node) +
    made
  )
}

/** Whether what it does not tell was made out in pixels. */
const isReadInPixels = ({ children }: UiNode): boolean => children.some(isSeen)

/** What is made out in pixels alone. */
const isSeen = ({ attributes }: UiNode): boolean => attributes?.['source'] === 'ocr'

/** Less certain than this is said. */
const CERTAIN = 0.75

function doubtOf({ attributes }: UiNode): string {
  const confidence = Number(attributes?.['confidence'])
  return attributes?.['source'] === 'ocr' && confidence < CERTAIN ? ` ${Math.round(100 * confidence)}% sure` : ''
}

/** What is on the screen and in no tree: where it is, whose it is, and how it can be operated all the same. */
function unreadOf(node: UiNode): string | undefined {
  const unread = unreadKind(node)
  if (unread === undefined || isReadInPixels(node)) return undefined
  const name = node.name ? ` ${clip(plain(node.name))}` : ''
  const flags = node.states ? flagsOf('window', node.states) : ''
  const what = unread === 'window' ? roleOf(node) : unread
  return `unread ${what}${name} app ${clip(node.app.name)}${placeOf(node)}${flags}: no tree, so take a picture; keys and click_xy reach it`
}

/** A date of a page cannot be edited as a whole: each of its numbers can. */
const isInParts = (node: UiNode): boolean =>
  roleOf(node) === 'textbox' && node.children.length > 0 && [...walk([node])].some((part) => roleOf(part) === 'spinbutton')

const placeOf = ({ bounds }: UiNode): string => (bounds === undefined ? '' : ` at ${bounds.x},${bounds.y} ${bounds.w}x${bounds.h}`)

function flagsOf(role: string, states: States): string {
  let words = ''
  if (states.enabled === false) words += ' disabled'
  if (states.active) words += ' active'
  if (states.modal) words += ' modal'
  if (states.focused) words += ' focused'
  if (states.default) words += ' default'
  if (states.checked !== undefined) words += states.checked === 'mixed' ? ' mixed' : states.checked ? ' checked' : ' unchecked'
  if (states.pressed) words += ' pressed'
  if (states.selected) words += ' selected'
  if (states.expanded !== undefined) words += states.expanded ? ' expanded' : ' collapsed'
  if (states.editable === false && role === 'textbox') words += ' readonly'
  if (states.required) words += ' required'
  if (states.busy) words += ' busy'
  return words
}

function valueOf(node: UiNode, name: string, most?: number): string {
  if (node.states?.password) return node.value ? ' password ••••' : node.value === '' ? ' password empty' : ' password'
  if (node.value === undefined || (name && node.value.length < 1000 && plain(node.value) === name)) return ''
  if (node.value === '') return node.states?.editable || roleOf(node) === 'textbox' ? ' empty' : ''
  const { valueMin: min, valueMax: max } = node.attributes ?? {}
  const range = min === undefined || max === undefined ? '' : ` of ${String(min)} to ${String(max)}`
  const formula = node.attributes?.['formula']
  const computed = typeof formula === 'string' ? ` computed by ${clip(plain(formula))}` : ''
  // A terminal tells of every line down to its lower edge.
  const text = roleOf(node) === 'terminal' ? node.value.trimEnd() : node.value
  return ` value ${clip(text, most)}${range}${computed}${selectionOf(node, node.value)}`
}

function styleOf({ attributes }: UiNode): string {
  const { level, bold } = attributes ?? {}
  // A heading is bold by nature.
  return typeof level === 'number' ? ` level ${level}` : bold === true ? ' bold' : ''
}

/** The part of a text that the next key would replace. */
function selectionOf({ attributes }: UiNode, value: string): string {
  const { selectionStart: start, selectionEnd: end } = attributes ?? {}
  if (typeof start !== 'number' || typeof end !== 'number' || start >= end) return ''
  return start === 0 && end >= value.length ? ' all selected' : ` with ${clip(value.slice(start, end), 60)} selected`
}
