import {
  chordKey,
  isCommand,
  isModifier,
  isPartOf,
  isValueControl,
  PRESSED,
  strokesOf,
  TEXT_CONTROLS,
  TRAITS,
  USUAL_CHORDS,
  WINDOWS,
  walk,
  type Action,
  type Principal,
  type Stroke,
  type UiNode,
} from '../../model/index.ts'
import { windowOf } from './live-tree.ts'
import type { Resolved, Targets } from './targets.ts'

/** How many elements a key may reach before it is said that what it reaches is not known. */
const MOST = 64
const LEVELS = 3
/** Toolkits that say which button is the default one: GTK 3, Qt, the simulated desktop. Of others every button near a field may be it. */
const TELLS_DEFAULT = /^(?:gtk|Qt|avis)/
/** Toolkits that say which chord presses what: GTK 3, the simulated desktop. */
const TELLS_SHORTCUTS = /^(?:gtk|avis)/

/** Keys in the middle of a call. */
export interface KeysUnderway {
  /** Keys that earlier calls of a script left down. */
  held?: readonly string[]
  /** The focus has moved since the first of the action's keys. */
  later?: boolean
}

interface Found {
  node: UiNode
  why: string
  as?: 'click' | 'type'
}

/** Elements that the events of an action can press although the action does not name them: each is judged as pressed. */
export class Reach {
  readonly #targets: Targets

  constructor(targets: Targets) {
    this.#targets = targets
  }

  /** What follows a key that moves the focus is judged when it has moved. */
  beyond(action: Action, own: readonly Resolved[], who: Principal, { held = [], later = false }: KeysUnderway): Resolved[] {
    const [first] = own
    const from = first?.node
    if (from === undefined) return []
    const strokes = strokesOf(action).map((s) =>
      held.length === 0 ? s : { ...s, held: [...new Set([...held.filter(isModifier), ...s.held])] },
    )
    const move = strokes.findIndex((s) => s.key === 'Tab' && !isCommand(s))
    const sent = move === -1 ? strokes : later ? strokes.slice(move + 1) : strokes.slice(0, move)
    const operates = TRAITS[action.do].operable && action.do !== 'hover' && action.do !== 'focus'
    const isLeft = action.do !== 'type' && strokes.length > 0 && sent.length === 0
    const found = [
      ...(action.do === 'click' || action.do === 'click_xy' ? labelled(from) : byKeys(sent, from)),
      ...(operates && !isLeft ? own.flatMap((t) => (t.node ? valueAround(t.node) : [])) : []),
    ]
    const named = new Set(own.map((t) => t.facts.key))
    const others = [...new Map(found.filter((f) => !named.has(f.node.key)).map((f) => [f.node.key, f])).values()]
    const reached = others
      .slice(0, MOST)
      .map(({ node, why, as = 'click' }) => this.#targets.of(node, who, { source: 'structure', confidence: 1, why: [why], reached: as }))
    if (others.length > MOST) reached.push(this.#targets.nothing('unknown', undefined, `one of ${others.length} elements is reached`))
    return reached
  }
}

function byKeys(strokes: readonly Stroke[], from: UiNode): Found[] {
  const window = windowOf(from)
  if (window === undefined || strokes.length === 0) return []
  return strokes.flatMap((stroke): Found[] => {
    if (isCommand(stroke) || /^F\d+$/.test(stroke.key)) return shortcuts(stroke, window)
    if (stroke.key === 'Enter') return behindEnter(from, window)
    if (stroke.key.startsWith('Arrow')) return neighbours(from)
    return [...stroke.key].length === 1 && !takesText(from) ? mnemonics(stroke, from, window) : []
  })
}

/**
 * What a chord presses from anywhere in its window; entries of menus that are closed, too. Where the toolkit does not say, a chord that has no
 * usual meaning may press any of them.
 */
function shortcuts(stroke: Stroke, window: UiNode): Found[] {
  const chord = chordKey([...stroke.held, stroke.key])
  const pressable = [...walk([window])].filter((n) => PRESSED.has(n.role) && canBePressed(n))
  const told = pressable.filter((n) => n.shortcuts?.some((s) => chordKey(s) === chord) === true)
  if (told.length > 0) return told.map((node) => ({ node, why: 'the chord presses it' }))
  if (USUAL_CHORDS.has(chord) || TELLS_SHORTCUTS.test(window.app.toolkit ?? '')) return []
  const untold = pressable.filter((n) => n.shortcuts === undefined)
  return untold.map((node) => ({ node, why: 'the chord may press it: the application does not say' }))
}

/** A letter presses an entry of an open menu; where the toolkit does not say which letter, one that is in its name. */
function mnemonics({ key }: Stroke, from: UiNode, window: UiNode): Found[] {
  const letter = key.toLowerCase()
  const shown = [...walk([window])].filter((n) => canBePressed(n) && n.states?.visible !== false)
  const told = shown.filter((n) => n.shortcuts?.includes(letter) === true)
  const menu = from.role.startsWith('menu')
  const named = menu && told.length === 0 ? shown.filter((n) => n.role.startsWith('menu') && n.name?.toLowerCase().includes(letter)) : []
  return [...told, ...named].map((node) => ({ node, why: 'the letter presses it' }))
}

/**
 * Enter presses the default button of what is around the focus, from a field of one line and from most other controls. Where the toolkit
 * does not say which that is, or the focus is not known, it may press any button there.
 */
function behindEnter(from: UiNode, window: UiNode): Found[] {
  if (from.states?.multiline === true || from.role.startsWith('menu')) return []
  const isWindow = WINDOWS.has(from.role)
  const near = (wanted: (n: UiNode) => boolean): UiNode[] => {
    for (let n: UiNode | undefined = isWindow ? from : from.parent; n !== undefined; n = n.parent) {
      const found = [...walk(n.children)].filter((inner) => wanted(inner) && canBePressed(inner) && inner.states?.visible !== false)
      if (found.length > 0 || n === window) return found
    }
    return []
  }
  const told = near((n) => n.states?.default === true)
  if (told.length > 0) return told.map((node) => ({ node, why: 'Enter presses it, as the default button' }))
  if (TELLS_DEFAULT.test(from.app.toolkit ?? '') || (!takesText(from) && !isWindow)) return []
  return near((n) => n.role === 'button').map((node) => ({ node, why: 'Enter may press it: the application does not say' }))
}

/** The other radio buttons of a group: arrow keys choose among them. GTK 4 calls them check boxes. */
function neighbours(from: UiNode): Found[] {
  if (from.role !== 'radio' && (from.role !== 'checkbox' || from.app.toolkit !== 'GTK')) return []
  const group = (from.parent?.children ?? []).filter((n) => n.role === from.role && canBePressed(n))
  return group.map((node) => ({ node, why: 'an arrow key chooses it' }))
}

/** What is done to a part of a spin button or a drop-down list changes the value of the whole. */
function valueAround(from: UiNode): Found[] {
  let at = from.parent
  for (let level = 0; at !== undefined && level < LEVELS; level++, at = at.parent)
    if (isValueControl(at.role)) return isPartOf(from.role, at.role) ? [{ node: at, why: 'its value may change', as: 'type' }] : []
  return []
}

/** A press on a label can press the control that it names. */
function labelled(from: UiNode): Found[] {
  const window = from.role === 'label' && from.name !== undefined ? windowOf(from) : undefined
  if (window === undefined) return []
  const named = [...walk([window])].filter((n) => n.name === from.name && PRESSED.has(n.role) && canBePressed(n))
  return named.map((node) => ({ node, why: 'a press on its label presses it' }))
}

const canBePressed = (node: UiNode): boolean => node.states?.enabled !== false

const takesText = ({ role, states }: UiNode): boolean => states?.editable === true || TEXT_CONTROLS.has(role)
