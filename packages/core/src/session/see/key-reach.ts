import { chordKey, isCommand, PRESSED, TEXT_CONTROLS, USUAL_CHORDS, WINDOWS, walk, type Stroke, type UiNode } from '../../model/index.ts'
import { isWeb } from '../../policy/index.ts'
import { windowOf } from './live-tree.ts'
import { chosenEntries, rowsIn } from './open-menus.ts'
import { tabsBeside, turnsTabs } from './tabs.ts'
import { isWayOut, meansChord } from './usual-chords.ts'

/** An element that an event reaches, and how. */
export interface Found {
  node: UiNode
  why: string
  as?: 'click' | 'type'
  /** Counts also where the key is sent to it: Swing tells late which tab has the focus. */
  mayBeOwn?: true
}

/** Toolkits that say which button is the default one, or that there is none: GTK 3, Qt, the simulated desktop. Of others every button may be it. */
const TELLS_DEFAULT = /^(?:gtk|Qt|avis)/
/** Who says which chord presses what: the simulated desktop. GTK 3 says it of menus and buttons, not of actions nor of labels. */
const TELLS_SHORTCUTS = /^avis/

/** Keys and what they meet. */
export interface Keying {
  strokes: readonly Stroke[]
  /** Keys of the same call that were sent before these. */
  sent: readonly Stroke[]
  /** Entries of open menus, which get the keys instead of the focus. */
  entries: readonly UiNode[]
}

/** What keys press from where the focus is. */
export function byKeys({ strokes, sent, entries }: Keying, from: UiNode): Found[] {
  const window = windowOf(from)
  if (window === undefined || strokes.length === 0) return []
  const rows = rowsIn(from)
  let moved = !sent.every(isPress)
  return strokes.flatMap((stroke): Found[] => {
    if (isCommand(stroke) || /^F\d+$/.test(stroke.key)) return shortcuts(stroke, window)
    // What a key before this one has chosen by then is not known yet.
    const chosen = isPress(stroke) ? [entries, rows].flatMap((of) => (moved ? of : chosenEntries(of))) : []
    const inList = chosen.map((node) => ({ node, why: 'the key presses it in an open menu or a list' }))
    moved ||= !isPress(stroke)
    if (stroke.key === 'Enter') return [...inList, ...behindEnter(from, window)]
    if (stroke.key.startsWith('Arrow')) return [...neighbours(from), ...tabsBeside(from)]
    if (stroke.key === 'Home' || stroke.key === 'End') return tabsBeside(from)
    if (stroke.key === 'Escape') return behindEscape(window)
    if ([...stroke.key].length > 1 || takesText(from)) return inList
    return [...inList, ...mnemonics(stroke, window, entries)]
  })
}

const isPress = ({ key }: Stroke): boolean => key === 'Enter' || key === ' '

/**
 * What a chord presses from anywhere in its window; entries of menus that are closed, too. Where the toolkit does not say, a chord that has no
 * usual meaning may press any of them, and one that has presses what is called that.
 */
function shortcuts(stroke: Stroke, window: UiNode): Found[] {
  const chord = chordKey([...stroke.held, stroke.key])
  const all = [...walk([window])].filter(canBePressed)
  const pressable = all.filter((n) => PRESSED.has(n.role))
  const turned = turnsTabs(chord) ? tabsBeside(window) : []
  const told = pressable.filter((n) => n.shortcuts?.some((s) => chordKey(s) === chord) === true)
  if (told.length > 0) return [...turned, ...told.map((node) => ({ node, why: 'the chord presses it' }))]
  if (TELLS_SHORTCUTS.test(window.app.toolkit ?? '')) return turned
  const untold = pressable.filter((n) => n.shortcuts === undefined && (!USUAL_CHORDS.has(chord) || meansChord(n.name, chord)))
  // Pages give such letters to anything.
  const lettered =
    isWeb(window.app) && stroke.held.includes('Alt') ? all.filter((n) => n.shortcuts?.includes(stroke.key.toLowerCase())) : []
  const may = [...lettered, ...untold].map((node) => ({ node, why: 'the chord may press it: the application does not say' }))
  return [...turned, ...may]
}

/** A letter presses an entry of an open menu; where the toolkit does not say which letter, one that is in its name. */
function mnemonics({ key }: Stroke, window: UiNode, entries: readonly UiNode[]): Found[] {
  const letter = key.toLowerCase()
  const shown = [...walk([window])].filter((n) => canBePressed(n) && n.states?.visible !== false)
  const told = [...shown, ...entries].filter((n) => n.shortcuts?.includes(letter) === true)
  const named = told.length === 0 ? entries.filter((n) => n.name?.toLowerCase().includes(letter)) : []
  return [...told, ...named].map((node) => ({ node, why: 'the letter presses it' }))
}

/**
 * Enter presses the default button of what is around the focus, from a field of one line and from most other controls. Where the toolkit
 * does not say which that is, or the focus is not known, it may press any button there. Pages also send what stands in a field of several
 * lines, by the button beside it.
 */
function behindEnter(from: UiNode, window: UiNode): Found[] {
  if (from.role.startsWith('menu') || (from.states?.multiline === true && !isWeb(from.app))) return []
  const isWindow = WINDOWS.has(from.role)
  const near = (wanted: (n: UiNode) => boolean): UiNode[] => {
    for (let n: UiNode | undefined = isWindow ? from : from.parent; n !== undefined; n = n.parent) {
      const found = shownIn(n, wanted)
      if (found.length > 0 || n === window) return found
    }
    return []
  }
  const told = near((n) => n.states?.default === true)
  const found = told.map((node) => ({ node, why: 'Enter presses it, as the default button' }))
  const isTold = found.length > 0 || TELLS_DEFAULT.test(from.app.toolkit ?? '')
  if (!(isWindow || passesOn(from)) || (isTold && !isWeb(from.app))) return found
  // A page's own script may press what stands beside the field, which is not the form's default button.
  const buttons = isWeb(from.app) ? near(isButton) : shownIn(window, isButton)
  return [...found, ...buttons.map((node) => ({ node, why: 'Enter may press it: the application does not say' }))]
}

/** Enter on these is not for themselves: in a page on few, in other toolkits on all that is not pressed or chosen by it, in Java on everything. */
function passesOn(from: UiNode): boolean {
  const { role, states, app } = from
  if (role === 'terminal') return false
  if (states?.editable === true || JAVA.test(app.toolkit ?? '')) return true
  return isWeb(app) ? PASSES_IN_PAGES.test(role) : !TAKES_ENTER.test(role)
}
const PASSES_IN_PAGES = /^(?:textbox|searchbox|spinbutton|document|checkbox|radio|switch|slider)$/
const TAKES_ENTER = /^(?:button|togglebutton|link|combobox|menu.*|list|listbox|listitem|option|tree|treeitem|table|row|cell|columnheader)$/
const JAVA = /^J/

/** Escape presses the way out of a dialog; a message box of Qt presses the button that it takes for that, whatever it is called. */
function behindEscape(window: UiNode): Found[] {
  if (window.role === 'window' && window.states?.modal !== true) return []
  const buttons = shownIn(window, isButton)
  const named = buttons.filter((n) => isWayOut(n.name))
  const pressed = named.length > 0 || window.role !== 'alert' || !QT.test(window.app.toolkit ?? '') ? named : buttons
  return pressed.map((node) => ({ node, why: 'Escape presses it, as the way out of the dialog' }))
}
const QT = /^Qt/

const shownIn = (node: UiNode, wanted: (n: UiNode) => boolean): UiNode[] =>
  [...walk(node.children)].filter((n) => wanted(n) && canBePressed(n) && n.states?.visible !== false)

const isButton = ({ role }: UiNode): boolean => role === 'button'

/** The other radio buttons of a group: arrow keys choose among them. GTK 4 calls them check boxes. */
function neighbours(from: UiNode): Found[] {
  if (from.role !== 'radio' && (from.role !== 'checkbox' || from.app.toolkit !== 'GTK')) return []
  const group = (from.parent?.children ?? []).filter((n) => n.role === from.role && canBePressed(n))
  return group.map((node) => ({ node, why: 'an arrow key chooses it' }))
}

export const canBePressed = (node: UiNode): boolean => node.states?.enabled !== false

export const takesText = ({ role, states }: UiNode): boolean => states?.editable === true || TEXT_CONTROLS.has(role)
