import type { FlatNode, Point, Rect } from '@deskhand/core/model'
import { type App } from './app.ts'
import { labelBeside } from './box-labels.ts'
import { ownName, valueOf, writtenIn } from './contents.ts'
import { ACTION, COMPONENT, EDITABLE_TEXT, SELECTION, TABLE, TEXT, VALUE, offers } from './names.ts'
import { ROLE, roleOf } from './roles.ts'
import { overlap } from './stale-areas.ts'
import { type StateWords, hasState, toStates } from './states.ts'
import type { Style } from './style.ts'

/** Longer names are cut: they come from applications, and no reader needs them whole. */
const MAX_NAME = 1000
const MAX_TEXT = 100_000
/** An application of which more characters are kept than this gets no more than the beginnings of further texts kept. */
const MAX_WORDS = 16_000_000
const BEGINNING = 80

export interface CellPlace {
  row: number
  column: number
}

/** An accessible as the mirror knows it. What is undefined has not been asked for, or is not there. */
export class MirrorNode implements StateWords {
  readonly key: string
  readonly app: App
  path: string
  parent: MirrorNode | undefined
  children: MirrorNode[] = []
  role = 0
  #name = ''
  #description = ''
  #text: string | undefined
  low = 0
  high = 0
  interfaces: number | undefined
  /** Its application has said what it is. */
  isRead = false
  /** … is being asked what it is. */
  isBeingRead = false
  /** Its value has been asked for. */
  isValued = false
  /** How many children the application claims; -1 when it did not say. */
  claimed = -1
  /** How many of them stand elsewhere in the tree. */
  foreign = 0
  /** Which part of its children was visible when they were last asked for, if it makes them on demand. */
  part = ''
  /** Fields in it in which its entries are edited, by their paths. */
  readonly editors = new Set<string>()
  /** How many of its rows were not asked for, as they are out of view. */
  unloaded = 0
  /** Rows out of view that were looked for and found: they stay loaded. */
  sought: readonly number[] = []
  /** Where it stands in a table that makes its cells on demand. */
  cell: CellPlace | undefined
  /** Of such a table: the cell that the cursor is on. */
  current: MirrorNode | undefined
  bounds: Rect | undefined
  /** Its place as its application tells it, where that is not its place on the screen. */
  area: Rect | undefined
  /** On Wayland, of what is in a menu: its place from the corner of the menu's surface, with the shadow. */
  inSurface: Point | undefined
  /** On Wayland, of a window: what its application counts places from. */
  origin: Point | undefined
  /** Where it stood among its siblings when they were last counted. */
  slot = 0
  /** In GTK 4: a row that its list keeps and does not show, where it was shown last. */
  isUnshown = false
  /** In LibreOffice: a widget of GTK's, and not one of its own. */
  isNative: boolean | undefined
  actions: string[] | undefined
  shortcuts: string[] | undefined
  /** The number of the Value interface. */
  number: number | undefined
  /** What its number can be, where the application says so. */
  range: { valueMin?: number; valueMax?: number; valueStep?: number } | undefined
  /** The address of a page. */
  url: string | undefined
  /** Where a link leads; empty where its application does not tell. */
  destination: string | undefined
  /** What a cell computes its text from. */
  formula: string | undefined
  /** How its text looks, and which text that was asked of. */
  style: Style | undefined
  styledText: string | undefined
  /** The part of its text that is selected. Told as places, so that the text of a private field stays where it is masked. */
  selection: { selectionStart: number; selectionEnd: number } | undefined
  /** The name of the label of a node that has no name of its own. */
  label: string | undefined
  /** The name of what is chosen in a combobox. */
  chosen: string | undefined
  /** What the window manager says of a window: it knows better than the application. */
  active: boolean | undefined
  place: Rect | undefined
  title: string | undefined
  /** Of a window: its X id. */
  handle: string | undefined
  isManaged = false
  /** Of a window that lies partly beyond the screens: what they show of it. */
  onScreens: readonly Rect[] | undefined
  /** False for a window of which the X server knows nothing, though its application says that it shows. */
  isBacked = true
  /** Its place in the stack, bottom first, and how it is shown, where the window manager knows. */
  stacked: { z: number; minimized: boolean; maximized: boolean } | undefined
  /** As it was last told to readers. */
  told: FlatNode | undefined

  constructor(key: string, app: App, path: string) {
    this.key = key
    this.app = app
    this.path = path
  }

  get name(): string {
    return this.#name
  }

  set name(text: string) {
    this.#name = this.#kept(text, this.#name, MAX_NAME)
  }

  get description(): string {
    return this.#description
  }

  set description(text: string) {
    this.#description = this.#kept(text, this.#description, MAX_NAME)
  }

  /** What the Text interface holds, up to MAX_TEXT. */
  get text(): string | undefined {
    return this.#text
  }

  set text(text: string | undefined) {
    const kept = this.#kept(text ?? '', this.#text ?? '', MAX_TEXT)
    this.#text = text === undefined ? undefined : kept
  }

  /** How many characters are kept of it. */
  get words(): number {
    return this.#name.length + this.#description.length + (this.#text?.length ?? 0)
  }

  /** What there is room for. It is a copy, so that what is left out is not kept in memory behind it. */
  #kept(text: string, before: string, most: number): string {
    const { app } = this
    app.words -= before.length
    const isFull = app.words + Math.min(text.length, most) > MAX_WORDS
    if (isFull && text.length > BEGINNING) app.truncated = 'its texts are too long to be kept whole'
    const room = isFull ? BEGINNING : most
    const kept = text.length <= room ? text : Buffer.from(text.slice(0, room)).toString()
    app.words += kept.length
    return kept
  }

  get isShowing(): boolean {
    if (!hasState(this, 'visible') || this.isFolded) return false
    if (this.app.toolkit.tellsShowing) return hasState(this, 'showing')
    return !this.isUnshown && (this.area === undefined || (this.area.w > 0 && this.area.h > 0))
  }

  /** In the list of a closed combobox, or on a page that is not shown, of which Qt says that it shows; of a list or table there, too, but that it is nowhere. */
  get isFolded(): boolean {
    const { parent } = this
    if (!this.app.toolkit.showsFolded || this.isWindow || parent?.parent === undefined) return false
    const isHolder = parent.parent.role === ROLE.COMBO_BOX || hasState(parent, 'manages-descendants')
    return !parent.isShowing || (isHolder && parent.bounds === undefined)
  }

  /** In GTK 4, something that opens in an X window of its own. */
  get isPopover(): boolean {
    return (
      this.app.toolkit.isRelative &&
      (this.role === ROLE.MENU || this.role === ROLE.POPUP_MENU || this.name.startsWith('GtkPopover')) &&
      this.name !== 'GtkPopoverContent' &&
      this.name !== 'GtkPopoverMenuBar'
    )
  }

  /** What is inside a menu or a combobox shows beside it, not in it. */
  get opensElsewhere(): boolean {
    return this.isPopover || this.role === ROLE.MENU || this.role === ROLE.COMBO_BOX || this.role === ROLE.POPUP_MENU
  }

  /** The combobox of an entry whose place in the open list is unknown. */
  get optionOf(): MirrorNode | undefined {
    if (!this.app.toolkit.hidesScrolling || this.parent?.role !== ROLE.MENU) return undefined
    return this.parent.parent?.role === ROLE.COMBO_BOX ? this.parent.parent : undefined
  }

  /** Its place is unknown. */
  get isUnplaced(): boolean {
    return this.optionOf !== undefined
  }

  /** An entry of a menu whose place is told as if it lay on the menu's name. */
  get isMisplaced(): boolean {
    return this.app.toolkit.misplacesEntries && this.parent?.role === ROLE.MENU
  }

  get isInPage(): boolean {
    return this.role === ROLE.DOCUMENT_WEB || this.parent?.isInPage === true
  }

  /** How many pixels of the screen one is in which its place is told. */
  get scale(): number {
    const { scale, toolkit } = this.app
    return scale !== 1 && toolkit.pagesInPixels && this.isInPage ? 1 : scale
  }

  /** On the screen. A node that says so counts by itself: GTK 3 forgets the viewport around what it shows when that is scrolled. */
  get isShown(): boolean {
    if (this.path === this.app.root) return true
    if (this.app.toolkit.tellsShowing) return this.isShowing && topOf(this)?.isShowing === true
    return this.isShowing && (this.parent?.isShown ?? true)
  }

  /** A top-level window of its application. */
  get isWindow(): boolean {
    return this.parent !== undefined && this.parent.parent === undefined && this.parent.path === this.app.root
  }
}

/**
 * A window that its application keeps hidden for later, that has no size, or whose whole content stands elsewhere in the tree is no
 * window to other applications; a minimised one is.
 */
export function isOpenWindow(window: MirrorNode): boolean {
  if (window.isManaged) return true
  if (!window.isBacked || !window.isShowing || (window.children.length === 0 && window.foreign > 0)) return false
  return window.bounds !== undefined || window.app.toolkit.isRelative
}

/** The window that a node is in, as a node of its application. */
export function topOf(node: MirrorNode | undefined): MirrorNode | undefined {
  for (let n = node; n !== undefined; n = n.parent) if (n.isWindow) return n
  return undefined
}

/** A node and everything in it. */
export function* below(node: MirrorNode): Generator<MirrorNode> {
  yield node
  for (const child of node.children) yield* below(child)
}

/** Whether it says that it has the focus only because it is chosen: a tab whose list has none, a row while something else was told to have it. */
export function isIdleClaim(node: MirrorNode): boolean {
  const tabs = tabsOf(node)
  if (tabs !== undefined) return !hasState(tabs, 'focused')
  const { focus, toolkit } = node.app
  if (!toolkit.claimsFocus || focus === undefined || !ROWS.has(roleOf(node.role))) return false
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (n === focus) return false
  return true
}
const ROWS: ReadonlySet<string> = new Set(['listitem', 'option', 'treeitem', 'row', 'cell'])

/** The list that knows whether its tab has the focus. */
export const tabsOf = (node: MirrorNode): MirrorNode | undefined =>
  node.app.toolkit.claimsFocus && node.role === ROLE.PAGE_TAB ? node.parent : undefined

export function flatten(node: MirrorNode, index: number): FlatNode {
  // Qt calls any framed widget a frame, and GTK 3 a colour scale a colour chooser.
  const isInner = !node.isWindow && (node.role === ROLE.FRAME || node.role === ROLE.COLOR_CHOOSER)
  // … and a window that is nothing else a filler.
  const isPlain = node.isWindow && (node.role === ROLE.FILLER || node.role === ROLE.PANEL)
  const role = isInner ? 'group' : isPlain ? 'window' : roleOf(node.role)
  const isPassword = node.role === ROLE.PASSWORD_TEXT
  const states = toStates(node, role, { isPassword, isCheckable: isToggled(node) })
  states.visible = isVisible(node)
  // A page of Qt's that is not shown keeps saying that it has the focus.
  if (!states.visible && states.focused === true) states.focused = false
  if (blocksWindow(node)) states.modal = true
  // Qt says in no other way which tab is chosen.
  if (tabsOf(node) !== undefined) states.selected = hasState(node, 'focused')
  if (states.focused === true && (node.isFolded || isIdleClaim(node))) states.focused = false
  // It can have the focus there.
  const isOff = isOffScreen(node)
  if (isOff) states.visible = false
  if (node.active !== undefined && states.active !== undefined) states.active = node.active
  const flat: FlatNode = {
    key: node.key,
    index,
    app: node.app.identity.id,
    role,
    states,
    platformIds: { atspiPath: `${node.app.name}${node.path}`, ...(node.handle !== undefined && { windowHandle: node.handle }) },
  }
  if (!node.isWindow && node.parent !== undefined) flat.parent = node.parent.key
  // GTK 3 calls a message box "Information", also when its title bar says something else.
  const name = (node.isWindow ? node.title : undefined) || ownName(node) || node.label || labelBeside(node) || writtenIn(node)
  if (name !== undefined && name !== '') flat.name = name
  const value = isPassword ? undefined : valueOf(node)
  if (value !== undefined) flat.value = value
  if (node.description !== '' && node.description !== node.name) flat.description = node.description
  const bounds = isAway(node) ? undefined : (node.place ?? node.bounds)
  if (bounds !== undefined) flat.bounds = bounds
  if (node.actions !== undefined && node.actions.length > 0) flat.actions = node.actions
  if (node.shortcuts !== undefined && node.shortcuts.length > 0) flat.shortcuts = node.shortcuts
  const attributes = {
    ...node.stacked,
    ...node.cell,
    ...node.range,
    ...node.style,
    ...(isPassword ? {} : node.selection),
    ...(node.formula !== undefined && { formula: node.formula }),
    ...(node.url !== undefined && { url: node.url }),
    ...(node.destination && { href: node.destination }),
    ...(node.unloaded > 0 && { rowsNotLoaded: node.unloaded }),
    ...(isOff && { offScreen: true }),
  }
  if (Object.keys(attributes).length > 0) flat.attributes = attributes
  const patterns = patternsOf(node.interfaces)
  if (patterns !== undefined) flat.patterns = patterns
  return flat
}

/** A dialog that a window shows over or in the place of everything else and that has the keyboard, as Chromium does with what a page asks. */
export const blocksWindow = (node: MirrorNode): boolean =>
  (node.role === ROLE.DIALOG || node.role === ROLE.ALERT) && node.parent?.isWindow === true && hasState(node, 'active')

/** A cell of GTK 3's that shows a check mark. */
const isToggled = ({ app, role, actions }: MirrorNode): boolean =>
  roleOf(role) === 'cell' && !app.toolkit.remakesRows && actions?.some((name) => /^toggle/i.test(name)) === true

/** In a minimised window, of which GTK 3 says that it shows. */
const isAway = (node: MirrorNode): boolean => topOf(node)?.stacked?.minimized === true

/** Beyond the edge of the screens; what opens in a window of its own is where that is. */
function isOffScreen(node: MirrorNode): boolean {
  const { bounds } = node
  const parts = topOf(node)?.onScreens
  if (parts === undefined || bounds === undefined || node.isWindow || parts.some((p) => overlap(p, bounds))) return false
  for (let n = node.parent; n !== undefined; n = n.parent) if (n.opensElsewhere) return false
  return true
}

/** GTK 3 says of the cells of a table that they show, and of those that do not that they are nowhere. */
function isLost({ app, bounds, parent, interfaces }: MirrorNode): boolean {
  if (bounds !== undefined || parent === undefined || app.toolkit.isRelative) return false
  return offers(parent.interfaces, TABLE) && offers(interfaces, COMPONENT)
}

/** An entry of an open list counts as visible, wherever the list is scrolled to. */
function isVisible(node: MirrorNode): boolean {
  if (isAway(node) || isLost(node)) return false
  if (node.optionOf !== undefined) return hasState(node, 'visible') && node.parent?.isShowing === true
  return node.app.toolkit.tellsShowing ? node.isShowing : node.isShown
}

function patternsOf(bits: number | undefined): Record<string, boolean> | undefined {
  const patterns: Record<string, boolean> = {}
  if (offers(bits, ACTION)) patterns.invoke = true
  if (offers(bits, EDITABLE_TEXT)) patterns.value = true
  if (offers(bits, VALUE)) patterns.range = true
  if (offers(bits, SELECTION)) patterns.selection = true
  if (offers(bits, TABLE)) patterns.grid = true
  if (offers(bits, TEXT)) patterns.text = true
  return Object.keys(patterns).length > 0 ? patterns : undefined
}
