import { toRole, type FlatNode, type Point, type Rect } from '@deskhand/core/model'
import type { TextState } from '../input/editing.ts'
import type { Attributes } from './ui-file.ts'

/** Which widget an element behaves as. */
export type Kind =
  | 'window'
  | 'container'
  | 'static'
  | 'button'
  | 'check'
  | 'radio'
  | 'text'
  | 'select'
  | 'list'
  | 'option'
  | 'menubar'
  | 'menu'
  | 'menuitem'
  | 'range'
  | 'tabs'
  | 'tab'
  | 'tree'
  | 'treeitem'
  | 'table'
  | 'row'
  | 'cell'

/** An element that lives on the simulated desktop. */
export interface Element {
  readonly key: string
  readonly id: string
  /** As the file wrote it. */
  readonly type: string
  readonly kind: Kind
  readonly role: string
  readonly app: string
  parent: Element | undefined
  children: Element[]
  index: number
  label: string | undefined
  /** A number for ranges and counters; anything else that the file gave and no widget owns. */
  value: unknown
  enabled: boolean
  visible: boolean
  bounds: [number, number, number, number] | undefined
  attributes: Attributes
  checked: boolean
  selected: boolean
  expanded: boolean
  text: TextState | undefined
  frame: WindowFrame | undefined
  /** Where it lies on the desktop, and the part of it that can be seen; `shown` is false when there is none. */
  rect: Rect
  clip: Rect
  shown: boolean
  /** How much of its left is its caption's, so that the fields below each other line up. */
  caption: number
  /** Where an open menu or drop-down list lies. */
  popup: Rect | undefined
  scroll: Point
  extent: { w: number; h: number }
  /** The caret moved since a text area was last scrolled to it. */
  followCaret: boolean
  /** The node as it was last told. */
  node: FlatNode | undefined
}

/** What only windows have. */
interface WindowFrame {
  open: boolean
  mode: 'normal' | 'minimized' | 'maximized'
  /** The window that covers the screen for elements that have none of their own has no frame. */
  decorated: boolean
  /** Where it was moved to; before that, the file's bounds or the layout decide. */
  rect: Rect | undefined
  lastFocus: Element | undefined
}

const KINDS: Record<string, Kind> = {
  window: 'window',
  dialog: 'window',
  alert: 'window',
  button: 'button',
  togglebutton: 'button',
  link: 'button',
  checkbox: 'check',
  switch: 'check',
  radio: 'radio',
  textbox: 'text',
  searchbox: 'text',
  terminal: 'text',
  combobox: 'select',
  list: 'list',
  listbox: 'list',
  listitem: 'option',
  option: 'option',
  menubar: 'menubar',
  menu: 'menu',
  menuitem: 'menuitem',
  menuitemcheckbox: 'menuitem',
  menuitemradio: 'menuitem',
  slider: 'range',
  spinbutton: 'range',
  progressbar: 'range',
  scrollbar: 'range',
  tablist: 'tabs',
  tab: 'tab',
  tree: 'tree',
  treeitem: 'treeitem',
  table: 'table',
  row: 'row',
  cell: 'cell',
  columnheader: 'cell',
  rowheader: 'cell',
  radiogroup: 'container',
  toolbar: 'container',
  statusbar: 'container',
  group: 'container',
  panel: 'container',
  scrollpane: 'container',
  document: 'container',
  canvas: 'container',
  form: 'container',
  application: 'container',
  tabpanel: 'container',
  calendar: 'container',
}

/** What takes the focus, as a tab stop or as the current one among its siblings. */
export const FOCUSABLE: ReadonlySet<Kind> = new Set<Kind>([
  'button',
  'check',
  'radio',
  'text',
  'select',
  'option',
  'range',
  'tab',
  'treeitem',
  'row',
])

/** The role and the behaviour for an `element_type`; an unknown type is shown and can be clicked, no more. */
export function kindOf(type: string): { role: string; kind: Kind } {
  const role = toRole(type) ?? 'unknown'
  return { role, kind: KINDS[role] ?? 'static' }
}

const plain = (type: string): string => type.toLowerCase().replaceAll(/[\s_-]/g, '')

export const isPassword = (el: Element): boolean =>
  el.kind === 'text' && (plain(el.type).includes('password') || el.attributes['password'] === true)
export const isMultiline = (el: Element): boolean =>
  el.kind === 'text' && (plain(el.type).includes('area') || el.role === 'terminal' || el.attributes['multiline'] === true)
/** S2's displays are written by the desktop only. */
const DISPLAYS = new Set(['code_output_display', 'ai_permissions_display', 'sim_hw_status_display'])

export const isReadOnly = (el: Element): boolean => el.attributes.read_only ?? DISPLAYS.has(el.id)

export function windowOf(el: Element): Element {
  let at = el
  while (at.parent) at = at.parent
  return at
}

/** On an open window, whether or not it can be seen. */
export const isLive = (el: Element): boolean => windowOf(el).frame?.open === true

/** A disabled element disables everything in it. */
export function isEnabled(el: Element): boolean {
  for (let at: Element | undefined = el; at; at = at.parent) if (!at.enabled) return false
  return true
}

export function isInside(el: Element, ancestor: Element): boolean {
  for (let at: Element | undefined = el; at; at = at.parent) if (at === ancestor) return true
  return false
}

/** In the order of the tree. Without recursion, which takes a generator for each of a hundred thousand elements. */
export function* descendants(el: Element): Generator<Element> {
  const open = el.children.toReversed()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    for (const child of next.children.toReversed()) open.push(child)
  }
}

/** The nearest ancestor that passes, the element itself included. */
export function closest(el: Element, test: (e: Element) => boolean): Element | undefined {
  for (let at: Element | undefined = el; at; at = at.parent) if (test(at)) return at
  return undefined
}
