import { createHmac, randomBytes } from 'node:crypto'
import { within, type Observe } from '../../driver/driver.ts'
import {
  copiesText,
  pastesText,
  strokesOf,
  strokesWith,
  type Action,
  type Stroke,
  type TargetFacts,
  type TextSource,
} from '../../model/index.ts'
import { takesText, UNKNOWN_SOURCE } from '../../policy/index.ts'
import { copiesByName, editsText, pastesByName } from '../see/menu-words.ts'

const LOOK_MS = 500
/** A longer text is compared with no rule, and counts as not known. */
const LONGEST = 200_000
/** Copies that may have left what was there before them. */
const MOST = 16
const KEY = randomBytes(32)

/** What an input may have put on the clipboard. */
interface Filling {
  from: readonly TextSource[]
  isPrivate: boolean
  /** A digest of what was there before it; undefined where that was not read. */
  before?: string
}

/**
 * Where what is on the clipboard may come from. A copy leaves what is there where nothing is selected, or where the application does not
 * take it: it counts as done, and what was there before as gone, once something else is on the clipboard than before it.
 */
export class Clipboard {
  readonly #observe: Pick<Observe, 'readClipboard'>
  /** A person fills it unseen. */
  #fillings: readonly Filling[] = [{ from: [UNKNOWN_SOURCE], isPrivate: false }]
  /** What was seen there, until something else may have been put there. */
  #seen?: string

  constructor(observe: Pick<Observe, 'readClipboard'>) {
    this.#observe = observe
  }

  get sources(): readonly TextSource[] {
    return this.#fillings.flatMap((f) => f.from)
  }

  /** Whether it may hold what was copied out of a private field. */
  get isPrivate(): boolean {
    return this.#fillings.some((f) => f.isPrivate)
  }

  /** What is there now, and with that whether the last copy was done. What cannot be read stays what it may be. */
  async look(signal: AbortSignal): Promise<string | undefined> {
    this.#seen = undefined
    const text = await this.#observe.readClipboard(within(LOOK_MS, signal)).catch(() => undefined)
    if (text === undefined) return undefined
    this.#seen = createHmac('sha256', KEY).update(text).digest('base64')
    const last = this.#fillings.at(-1)
    if (last?.before !== undefined && last.before !== this.#seen) this.#fillings = [last]
    return text.length <= LONGEST ? text : undefined
  }

  /** Input is about to be sent that puts something there. */
  filled(from: readonly TextSource[], isPrivate: boolean): void {
    const earlier = this.#fillings.length < MOST ? this.#fillings : [{ from: [UNKNOWN_SOURCE], isPrivate: this.isPrivate }]
    this.#fillings = [...earlier, { from, isPrivate, before: this.#seen }]
    this.#seen = undefined
  }
}

/** Whether an action copies what is selected: by keys, or by a control that is called so. */
export const copies = (action: Action, targets: readonly TargetFacts[], held: readonly string[] = []): boolean =>
  strokesWith(strokesOf(action), held).some(copiesText) || (PRESSES.has(action.do) && targets.some(copiesByName))

/** Whether an action enters what is on the clipboard, or what is selected elsewhere. */
export const pastes = (action: Action, targets: readonly TargetFacts[], held: readonly string[] = []): boolean =>
  strokesWith(strokesOf(action), held).some(pastesText) ||
  (PRESSES.has(action.do) && targets.some(pastesByName)) ||
  (isMiddle(action) && targets.some(takesText))

/** Whether a person who is asked about an action has to know what is on the clipboard: an entry of a menu that changes a text may paste it. */
export const mayPaste = (action: Action, targets: readonly TargetFacts[], held?: readonly string[]): boolean =>
  pastes(action, targets, held) || targets.some(editsText)

/** The middle button pastes what is selected somewhere, which nothing tells. */
function isMiddle(action: Action): boolean {
  if (action.do === 'pointer') return action.events.some((e) => e.type === 'down' && e.button === 'middle')
  return (action.do === 'click' || action.do === 'click_xy') && action.button === 'middle'
}

/** Whether it may be what is selected somewhere that an action pastes, which nothing tells: with the middle button, and at Shift+Insert in terminals. */
export function pastesSelection(action: Action, targets: readonly TargetFacts[], held: readonly string[] = []): boolean {
  if (isMiddle(action)) return true
  const isKey = strokesWith(strokesOf(action), held).some(isShiftInsert)
  return isKey && (targets.length === 0 || targets.some((t) => t.states?.editable !== true || t.role === 'terminal'))
}

/** Whether it is that for sure, and not what is on the clipboard. */
export function pastesNothingElse(action: Action, targets: readonly TargetFacts[], held: readonly string[] = []): boolean {
  if (isMiddle(action)) return true
  const pasting = strokesWith(strokesOf(action), held).filter(pastesText)
  return pasting.length > 0 && pasting.every(isShiftInsert) && targets.length > 0 && targets.every((t) => t.role === 'terminal')
}

const isShiftInsert = ({ key, held }: Stroke): boolean => key === 'Insert' && held.includes('Shift')

const PRESSES: ReadonlySet<Action['do']> = new Set<Action['do']>(['click', 'click_xy', 'pointer', 'drag', 'key', 'keys', 'type'])
