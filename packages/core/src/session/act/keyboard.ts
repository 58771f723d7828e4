import type { Guard, Sent, Step } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import {
  chordsOf,
  keyProblem,
  parseChord,
  strokesOfEvents,
  strokesOfText,
  type FlatNode,
  type KeyEvent,
  type Stroke,
} from '../../model/index.ts'
import { endOfKeys, endOfText, holdsText } from './focus-moves.ts'
import { focusBy } from './pointer.ts'
import { noInterface } from './semantic.ts'
import type { Resolved } from '../see/targets.ts'
import { isUnreached, keyOf, unreached, type ActContext, type Unreached } from './act-context.ts'

type Mode = 'insert' | 'replace' | 'append'

/** `submits`: the last character is a key behind the text, also in a field of several lines. */
export async function type(on: ActContext, mode: Mode, submits: boolean): Promise<Sent | Unreached> {
  const text = on.text ?? ''
  const key = on.targets[0]?.facts.key
  const isPlace = on.targets[0]?.facts.region !== undefined
  const { by, focus } = on.route ?? { by: 'keys' }
  const isNamed = by === 'interface' || focus !== undefined
  if (isNamed && on.fresh[0]?.states?.editable === false && on.fresh[0].role !== 'slider')
    throw new DeskhandError('NOT_ACTIONABLE', 'this element cannot be edited', {
      next: 'Where it is made of parts or opens a choice, ui.set brings it to a value; a date as 2026-05-31.',
    })
  const focused = focus && (await focusBy(on, focus, 'focus'))
  if (focused !== undefined && (isUnreached(focused) || focused.sent !== 'all')) return focused
  if (by === 'interface') return setWhole(on, mode, text, submits)
  on.driver.need('step:text')
  if (key === undefined)
    throw new DeskhandError('NOT_ACTIONABLE', 'no window is active, so the text would reach no application', {
      next: 'Name the element to type into, or activate a window first (ui.window with op "activate"; desktop.list names them).',
    })
  const guard: Guard = { focus: key }
  if (mode !== 'insert') {
    // On a list the same chords select all entries and delete them.
    if (!isPlace && !holdsText(on.targets[0]))
      throw new DeskhandError('NOT_ACTIONABLE', `this element holds no text that mode "${mode}" could change`, {
        next: 'Leave mode out, so that only the text itself is typed.',
      })
    // Toolkits without a tree take ctrl+a for the beginning of the line.
    const select = mode === 'append' ? 'ctrl+End' : isPlace ? ['Home', 'shift+End'] : 'ctrl+a'
    const prepared = await on.lease.step({ do: 'keys', events: chordEvents(select) }, guard, on.signal)
    if (prepared.sent !== 'all') return prepared
    // A key that gives no character would leave what is selected.
    if (mode === 'replace' && /^(?:[\n\r\t]|$)/.test(text)) {
      const cleared = await on.lease.step({ do: 'keys', events: chordEvents('Delete') }, guard, on.signal)
      if (cleared.sent !== 'all' || text === '') return cleared
    }
  }
  const chars = [...text]
  return inTurn(on, chars.length, {
    end: (from, target) => endOfText(chars, from, target),
    send: (from, to, target) =>
      on.lease.step({ do: 'text', text: chars.slice(from, to).join('') }, { focus: target?.facts.key }, on.signal),
    rest: (from) => strokesOfText(chars.slice(from).join('')),
  })
}

/** Sets what the element holds by its own interface; a key at the end of the text goes where the focus was given. */
async function setWhole(on: ActContext, mode: Mode, text: string, submits: boolean): Promise<Sent | Unreached> {
  const [field] = on.fresh
  const key = keyOf(on)
  const isKeyed = on.route?.focus !== undefined && (submits || field?.states?.multiline !== true)
  const tail = isKeyed ? (/[\n\r\t]$/.exec(text)?.[0] ?? '') : ''
  const body = text.slice(0, text.length - tail.length)
  const number = mode === 'replace' && isNumeric(field) && body.trim() !== '' ? Number(body) : Number.NaN
  const step: Step = Number.isFinite(number)
    ? { do: 'setValue', key, value: number, delivery: 'semantic' }
    : { do: 'setText', key, text: body, mode, delivery: 'semantic' }
  if (!on.driver.can(`step:${step.do}`) || entersKeys(body, field)) return noInterface(on)
  // A number field that did not take the value takes keys.
  const set = await on.lease.step(step, {}, on.signal).catch(unreached('by', field?.role === 'spinbutton'))
  if (isUnreached(set) || set.sent !== 'all' || tail === '') return set
  const sent = await on.lease.step({ do: 'text', text: tail }, { focus: key }, on.signal)
  return { ...sent, units: set.units + sent.units, sent: sent.sent === 'none' ? 'partial' : sent.sent, via: set.via }
}

/** Controls that hold a number and not a text. */
const isNumeric = (field: FlatNode | undefined): boolean => field?.role === 'slider' || field?.role === 'spinbutton'

/** Whether a text is more than the field can hold: in a field of one line a line break is the Enter key, and a tab leaves it. */
export const entersKeys = (text: string, field: FlatNode | undefined): boolean => /[\n\r\t]/.test(text) && field?.states?.multiline !== true

/** Input that is sent in pieces, between which the focus may move. */
interface Pieces {
  /** Where the piece from `from` on has to end for this target. */
  end(from: number, target: Resolved | undefined): number
  send(from: number, to: number, target: Resolved | undefined): Promise<Sent>
  /** The strokes from there on. */
  rest(from: number): Stroke[]
}

/** Each piece goes to what was judged for it. */
async function inTurn(on: ActContext, length: number, pieces: Pieces): Promise<Sent> {
  let { targets } = on
  let end = pieces.end(0, targets[0])
  let sent = await pieces.send(0, end, targets[0])
  while (sent.sent === 'all' && end < length) {
    targets = await on.again.focus(targets, pieces.rest(end))
    const from = end
    end = pieces.end(from, targets[0])
    const next = await pieces.send(from, end, targets[0])
    sent = { ...next, units: sent.units + next.units, sent: next.sent === 'none' ? 'partial' : next.sent }
  }
  return sent
}

export async function keys(on: ActContext, events: KeyEvent[], targeted: boolean): Promise<Sent | Unreached> {
  on.driver.need('step:keys')
  const focused = on.route?.focus && (await focusBy(on, on.route.focus, 'focus'))
  if (focused !== undefined && (isUnreached(focused) || focused.sent !== 'all')) return focused
  // The application itself must say that what was judged has the focus, where it ever says so.
  const guard = (from: number, target: Resolved | undefined): Guard => {
    const { key, window } = target?.facts ?? {}
    if (key === undefined) return {}
    const isTold = (targeted && from === 0) || target?.node?.states?.focused === true
    return { window: window?.key, focus: isTold ? key : undefined }
  }
  return inTurn(on, events.length, {
    end: (from, target) => endOfKeys(events, from, target),
    send: (from, to, target) => on.lease.step({ do: 'keys', events: events.slice(from, to) }, guard(from, target), on.signal),
    rest: (from) => strokesOfEvents(events).slice(strokesOfEvents(events.slice(0, from)).length),
  })
}

/** The events of one chord, or of several in order: pressed left to right, released right to left. */
export function chordEvents(chords: string | readonly string[], holdMs = 0): KeyEvent[] {
  return chordsOf(chords).flatMap((chord): KeyEvent[] => {
    const parts = typeof chord === 'string' ? parseChord(chord) : undefined
    if (parts === undefined) {
      throw new DeskhandError('BAD_ARGS', `keys: ${keyProblem(String(chord))}`, { next: 'Send the call again with a key that exists.' })
    }
    const hold: KeyEvent[] = holdMs > 0 ? [{ type: 'pause', ms: holdMs }] : []
    return [
      ...parts.map((key): KeyEvent => ({ type: 'down', key })),
      ...hold,
      ...parts.toReversed().map((key): KeyEvent => ({ type: 'up', key })),
    ]
  })
}
