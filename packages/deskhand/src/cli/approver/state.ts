import type { Approval, Scope } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import type { Key } from '../terminal/terminal.ts'
import { choicesOf, LETTERS, newCodes, type Choice } from './choices.ts'

/** What the person sees and is doing. */
export interface State {
  waiting: readonly Approval[]
  /** The id of the question in view. */
  selected?: string
  /** The codes of the answers to the question in view. */
  codes: readonly string[]
  /** Until then no key counts. */
  quietUntil: number
  /** The first letter of a code. */
  begun?: string
  /** A whole code was typed: it counts unless more is typed right behind it. */
  typed?: { choice: Choice; at: number }
  /** The answer that the arrow keys are on, and since when. */
  chosen?: { index: number; at: number }
  /** First row of the details in view. */
  scroll: number
  /** The reason being typed for a denial. */
  reason?: string
  /** The answer being typed to a script's question. */
  answer?: string
  message?: string
}

export type Command = { do: 'quit' } | { do: 'answer'; approval: Approval; allow: boolean; scope: Scope; reason?: string; text?: string }

interface Pressed {
  state: State
  command?: Command
}

export const START: State = { waiting: [], codes: [], quietUntil: 0, scroll: 0 }

/** No key counts for so long after a question came into view or moved, the terminal got the focus, or a key that did not count. */
export const QUIET_MS = 500
/** A code is typed by a hand when nothing follows it for so long. */
export const SETTLE_MS = 300
const LONGEST_REASON = 500
const PAGE = 6

export const inView = (state: State): Approval | undefined => state.waiting.find((a) => a.id === state.selected)

/** Takes in what waits now. The question in view stays there for as long as it waits, whatever comes and goes around it. */
export function update(state: State, waiting: readonly Approval[], now: number): State {
  const [was, is] = [state.waiting, waiting].map((list) => list.findIndex((a) => a.id === state.selected))
  if (is !== undefined && is >= 0) return is === was ? { ...state, waiting } : quiet({ ...state, waiting }, now)
  const gone = state.selected !== undefined && (state.reason ?? state.answer) !== undefined
  const next = waiting[Math.min(Math.max(was ?? 0, 0), waiting.length - 1)]
  const message = gone ? 'That question is void or answered; what you typed was not sent.' : state.message
  return show({ ...START, waiting, message }, next, now)
}

/** The terminal got the focus: what was typed elsewhere a moment ago may still arrive. */
export const focused = (state: State, now: number): State => quiet(state, now)

/** What a key does. Only a code, or the arrow keys and Enter after a pause, answer, and only the question that was there to be read. */
export function press(state: State, key: Key, now: number): Pressed {
  if (key.ctrl && (key.name === 'c' || key.name === 'd')) return { state, command: { do: 'quit' } }
  // Where nothing is asked, no key can answer.
  if (now < state.quietUntil && state.selected !== undefined)
    return { state: { ...quiet(state, now), message: 'Keys do not count yet: read the question first.' } }
  if (state.typed !== undefined) return { state: { ...quiet(state, now), message: 'More was typed than a code: nothing was answered.' } }
  if (state.reason !== undefined) return typing(state, state.reason, key)
  if (state.answer !== undefined) return replying(state, state.answer, key)
  if (key.ctrl) return { state }
  const approval = inView(state)
  switch (key.name) {
    case 'q':
      return { state, command: { do: 'quit' } }
    case 'up':
    case 'k':
      return { state: move(state, -1, now) }
    case 'down':
    case 'j':
      return { state: move(state, 1, now) }
    case 'space':
    case 'pagedown':
      return { state: { ...state, scroll: state.scroll + PAGE } }
    case 'b':
    case 'pageup':
      return { state: { ...state, scroll: Math.max(0, state.scroll - PAGE) } }
    case 'left':
    case 'right':
      return { state: approval === undefined ? state : choose(state, approval, key.name === 'left' ? -1 : 1, now) }
    case 'return':
    case 'enter':
      return approval === undefined ? { state } : entered(state, approval, now)
    default:
      return approval === undefined || key.name !== key.text || !LETTERS.includes(key.text) || key.text === ''
        ? { state }
        : { state: letter(state, approval, key.text, now) }
  }
}

/** What a code comes to once nothing followed it. */
export function settle(state: State, now: number): Pressed {
  const { typed, ...rest } = state
  const approval = inView(state)
  if (typed === undefined || approval === undefined || now < typed.at + SETTLE_MS) return { state }
  return take(rest, approval, typed.choice)
}

function quiet(state: State, now: number): State {
  const { begun: _, typed: __, chosen: ___, ...rest } = state
  return { ...rest, quietUntil: Math.max(state.quietUntil, now + QUIET_MS) }
}

/** Brings a question into view, with codes of its own. */
function show(state: State, approval: Approval | undefined, now: number): State {
  const codes = approval === undefined ? [] : newCodes(choicesOf(approval).length)
  return { ...quiet(state, now), selected: approval?.id, codes, scroll: 0 }
}

function letter(state: State, approval: Approval, text: string, now: number): State {
  const { begun, ...rest } = state
  if (begun === undefined) return { ...rest, begun: text, chosen: undefined, message: undefined }
  const choice = choicesOf(approval)[state.codes.indexOf(begun + text)]
  if (choice === undefined) return { ...quiet(rest, now), message: `${begun}${text} is no code of this question.` }
  return { ...rest, typed: { choice, at: now } }
}

function choose(state: State, approval: Approval, by: number, now: number): State {
  const count = choicesOf(approval).length
  const index = state.chosen === undefined ? (by > 0 ? 0 : count - 1) : Math.min(Math.max(state.chosen.index + by, 0), count - 1)
  return { ...state, begun: undefined, chosen: { index, at: now }, message: undefined }
}

function entered(state: State, approval: Approval, now: number): Pressed {
  const choice = choicesOf(approval)[state.chosen?.index ?? -1]
  if (choice === undefined || state.chosen === undefined)
    return { state: { ...quiet(state, now), message: 'Choose an answer first, with the arrow keys or its two letters.' } }
  if (now < state.chosen.at + QUIET_MS)
    return { state: { ...state, chosen: { ...state.chosen, at: now }, message: 'Wait a moment, then press Enter.' } }
  return take({ ...state, chosen: undefined }, approval, choice)
}

function take(state: State, approval: Approval, choice: Choice): Pressed {
  const clean = { ...state, begun: undefined, message: undefined }
  switch (choice.do) {
    case 'allow':
      return { state: clean, command: { do: 'answer', approval, allow: true, scope: choice.scope } }
    case 'button':
      return { state: clean, command: { do: 'answer', approval, allow: true, scope: 'once', text: choice.text } }
    case 'close':
      return { state: clean, command: { do: 'answer', approval, allow: false, scope: 'once' } }
    case 'deny':
      return { state: { ...clean, reason: '' } }
    case 'answer':
      return { state: { ...clean, answer: approval.question?.default ?? '' } }
    default:
      return choice satisfies never
  }
}

function replying(state: State, answer: string, key: Key): Pressed {
  const { answer: _, ...back } = state
  const approval = inView(state)
  const { text, end } = edit(answer, key)
  if (end === undefined) return { state: { ...state, answer: text } }
  if (end === 'back' || approval === undefined) return { state: back }
  return { state: back, command: { do: 'answer', approval, allow: true, scope: 'once', text: answer } }
}

function typing(state: State, reason: string, key: Key): Pressed {
  const { reason: _, ...back } = state
  const approval = inView(state)
  const { text, end } = edit(reason, key)
  if (end === undefined) return { state: { ...state, reason: text } }
  if (end === 'back' || approval === undefined) return { state: back }
  return { state: back, command: { do: 'answer', approval, allow: false, scope: 'once', reason: reason.trim() || undefined } }
}

/** One key in a line of text; `end` when it sends the line or leaves it. */
function edit(text: string, key: Key): { text: string; end?: 'send' | 'back' } {
  switch (key.name) {
    case 'escape':
      return { text, end: 'back' }
    case 'return':
    case 'enter':
      return { text, end: 'send' }
    case 'backspace':
      return { text: [...text].slice(0, -1).join('') }
    default:
      if (key.ctrl) return { text: key.name === 'u' ? '' : text }
      return { text: (text + key.text.replaceAll(/\p{C}/gu, '')).slice(0, LONGEST_REASON) }
  }
}

function move(state: State, by: number, now: number): State {
  const at = state.waiting.findIndex((a) => a.id === state.selected)
  const next = state.waiting[at + by]
  return next === undefined ? state : show({ ...state, message: undefined }, next, now)
}

/** One line about an answer that was given. */
export function answered({ approval, allow, scope, reason }: Extract<Command, { do: 'answer' }>): string {
  if (approval.question !== undefined) return `${allow ? 'answered' : 'closed without an answer'}: ${approval.summary}`
  const how = { once: 'allowed once', session: 'allowed for this session', app: 'allowed for this application' }[scope]
  return `${allow ? how : `denied${reason === undefined ? '' : ` (${clip(reason, 40)})`}`}: ${approval.summary}`
}
