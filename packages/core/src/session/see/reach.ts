import {
  INTERACTIVE,
  isCommand,
  isPartOf,
  isValueControl,
  PRESSED,
  strokesOf,
  strokesWith,
  TRAITS,
  WINDOWS,
  walk,
  type Action,
  type Principal,
  type Stroke,
  type UiNode,
} from '../../model/index.ts'
import { isWeb } from '../../policy/index.ts'
import { byKeys, canBePressed, takesText, type Found } from './key-reach.ts'
import { windowOf, type LiveTree } from './live-tree.ts'
import { editsText } from './menu-words.ts'
import { openEntries } from './open-menus.ts'
import { tabsBeside } from './tabs.ts'
import type { Resolved, Targets } from './targets.ts'

/** How many elements a key may reach before it is said that what it reaches is not known. */
const MOST = 64

/** Keys in the middle of a call. */
export interface KeysUnderway {
  /** Keys that earlier calls of a script left down. */
  held?: readonly string[]
  /** Those of the action's keys that are still to be sent. */
  rest?: readonly Stroke[]
}

/** Elements that the events of an action can press although the action does not name them: each is judged as pressed. */
export class Reach {
  readonly #targets: Targets
  readonly #tree: LiveTree
  /** The field of each application that took text last: entries of menus act on it. */
  readonly #fields = new Map<string, string>()
  /** The combobox that was operated last: the list that it opens may be told as a menu of its own. */
  #opened?: string

  constructor(targets: Targets, tree: LiveTree) {
    this.#targets = targets
    this.#tree = tree
  }

  /** What follows a key that moves the focus is judged when it has moved. */
  beyond(action: Action, own: readonly Resolved[], who: Principal, { held = [], rest }: KeysUnderway): Resolved[] {
    const [first] = own
    const from = first?.node ?? this.#menuWindow()
    if (from === undefined) return []
    const strokes = strokesWith(rest ?? keysOf(action, from), held)
    const move = strokes.findIndex((s) => s.key === 'Tab' && !isCommand(s))
    const sent = move === -1 ? strokes : strokes.slice(0, move)
    const before = rest === undefined ? [] : strokesOf(action).slice(0, -rest.length)
    const operates = TRAITS[action.do].operable && action.do !== 'hover' && action.do !== 'focus'
    const isLeft = action.do !== 'type' && strokes.length > 0 && sent.length === 0
    this.#remember(own)
    const isClick = action.do === 'click' || action.do === 'click_xy'
    const isPress = isClick && action.button !== 'middle'
    const turned = turnsWheel(action) ? own.flatMap((t) => (t.node === undefined ? [] : tabsBeside(t.node))) : []
    const pressed = isClick ? labelled(from) : [...turned, ...byKeys({ strokes: sent, sent: before, entries: this.#entries(from) }, from)]
    const operated = operates && !isLeft ? [...own.flatMap((t) => t.node ?? []), ...pressed.map((f) => f.node)] : []
    const found: Found[] = [
      ...pressed,
      ...this.#edited(operated),
      ...this.#chosenIn(operated),
      ...operated.flatMap((node) => valueAround(node, isPress)),
    ]
    if (found.length === 0) return []
    const named = new Set(own.map((t) => t.facts.key))
    const others = [...new Map(found.filter((f) => f.mayBeOwn === true || !named.has(f.node.key)).map((f) => [f.node.key, f])).values()]
    const reached = others
      .slice(0, MOST)
      .map(({ node, why, as = 'click' }) => this.#targets.of(node, who, { source: 'structure', confidence: 1, why: [why], reached: as }))
    if (others.length > MOST) reached.push(this.#targets.nothing('unknown', undefined, `one of ${others.length} elements is reached`))
    return reached
  }

  /** Where no window has the keyboard, as after a drag, an open menu gets the keys all the same: it grabs them. */
  #menuWindow(): UiNode | undefined {
    const [entry] = openEntries(this.#tree)
    return entry && windowOf(entry)
  }

  /** The entries of open menus that get keys instead of this. */
  #entries(from: UiNode): readonly UiNode[] {
    if (!WINDOWS.has(from.role) && !from.role.startsWith('menu')) return []
    return openEntries(this.#tree, from.app.id)
  }

  #remember(own: readonly Resolved[]): void {
    const focus = this.#tree.focus === undefined ? undefined : this.#tree.node(this.#tree.focus)
    for (const node of [focus, ...own.map((t) => t.node)])
      if (node !== undefined && takesText(node)) this.#fields.set(node.app.id, node.key)
    const [target] = own
    const node = target?.node
    const box = node?.role === 'combobox' ? node : node?.parent?.role === 'combobox' ? node.parent : undefined
    if (box !== undefined) this.#opened = box.key
    else if (target?.facts.source !== 'focus' && node !== undefined && !/^(?:menu|option|window)/.test(node.role)) this.#opened = undefined
  }

  /** The combobox whose list an entry may be of that belongs to no menu with a name. */
  #chosenIn(pressed: readonly UiNode[]): Found[] {
    const box = this.#tree.node(this.#opened ?? '')
    const isLoose = (n: UiNode): boolean => n.role.startsWith('menuitem') && n.app.id === box?.app.id && !n.parent?.name
    return box !== undefined && pressed.some(isLoose) ? [{ node: box, why: 'its value may change', as: 'type' }] : []
  }

  /** The text that entries of menus such as Paste change. A menu of GTK 4 tells of no entries. */
  #edited(pressed: readonly UiNode[]): Found[] {
    return pressed
      .filter((n) => editsText(n) || isUntoldMenu(n))
      .flatMap(({ app }): Found[] => {
        const node = this.#tree.node(this.#fields.get(app.id) ?? '')
        return node === undefined ? [] : [{ node, why: 'an entry of the menu changes its text', as: 'type' }]
      })
  }
}

const turnsWheel = (action: Action): boolean =>
  action.do === 'scroll' || (action.do === 'pointer' && action.events.some((event) => event.type === 'wheel'))

/** A field of several lines keeps the line breaks of a text that is for it. */
function keysOf(action: Action, from: UiNode): readonly Stroke[] {
  const isKept = action.do === 'type' && action.target !== undefined && from.states?.multiline === true
  return strokesOf(isKept ? { ...action, text: action.text?.replaceAll(/[\r\n]/g, '') } : action)
}

/**
 * What is done to a part of a spin button or a drop-down list changes the value of the whole; so may a press on a picture or a button in a
 * field, which often clears it, and so does anything but a press that is done to a paragraph in a field of a page. A field that takes no text
 * itself is set by its parts: the numbers and the calendar of a date.
 */
function valueAround(from: UiNode, isPress: boolean): Found[] {
  let at = from.parent
  const around = fieldAround(from)
  if (around?.states?.editable === false) return [{ node: around, why: 'its value may change', as: 'type' }]
  const field = isPress ? (IN_FIELDS.has(from.role) ? at : undefined) : INTERACTIVE.has(from.role) ? undefined : around
  if (field !== undefined && FIELDS.has(field.role)) return [{ node: field, why: 'its value may change', as: 'type' }]
  for (; at !== undefined && !WINDOWS.has(at.role); at = at.parent)
    if (isValueControl(at.role)) return isPartOf(from.role, at.role) ? [{ node: at, why: 'its value may change', as: 'type' }] : []
  return []
}

/** A press on a label can press the control that it names; in a page also one that has another name, and stands beside it. */
function labelled(from: UiNode): Found[] {
  const window = from.role === 'label' ? windowOf(from) : undefined
  if (window === undefined) return []
  let label = from
  while (label.parent?.role === 'label') label = label.parent
  const beside = isWeb(from.app) ? (label.parent?.children ?? []).filter((n) => Math.abs(n.index - label.index) === 1) : []
  const named = from.name === undefined ? [] : [...walk([window])].filter((n) => n.name === from.name)
  const found = [...named, ...walk(label.children), ...beside].filter((n) => PRESSED.has(n.role) && canBePressed(n))
  return found.map((node) => ({ node, why: 'a press on its label presses it' }))
}

/** A window without a title in which nothing is told is a menu. */
const isUntoldMenu = ({ role, name, children }: UiNode): boolean => WINDOWS.has(role) && !name && children.length === 0

function fieldAround({ parent }: UiNode): UiNode | undefined {
  let at = parent
  while (at !== undefined && !FIELDS.has(at.role)) at = at.parent
  return at
}

const FIELDS: ReadonlySet<string> = new Set(['textbox', 'searchbox'])
const IN_FIELDS: ReadonlySet<string> = new Set(['image', 'button', 'togglebutton'])
