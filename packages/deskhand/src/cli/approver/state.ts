import type { Approval, Scope } from '@deskhand/core/model'
import { grantable } from '@deskhand/core/session'
import { clip } from '@deskhand/core/selector/quote'
import type { Key } from '../terminal/terminal.ts'

/** What the person sees and is doing. */
export interface State {
  waiting: readonly Approval[]
  /** The id of the question in view. */
  selected?: string
  /** When another question came into view by itself. */
  shownAt: number
  /** First row of the details in view. */
  scroll: number
  /** The reason being typed for a denial. */
  reason?: string
  /** The answer being typed to a script's question. */
  answer?: string
  message?: string
}

export type Command = { do: 'quit' } | { do: 'answer'; approval: Approval; allow: boolean; scope: Scope; reason?: string; text?: string }

export const START: State = { waiting: [], shownAt: 0, scroll: 0 }

/** Keys that answer wait this long for the eyes when a question came up by itself. */
export const LOOK_MS = 600
const LONGEST_REASON = 500
const PAGE = 6

export const inView = (state: State): Approval | undefined => state.waiting.find((a) => a.id === state.selected)

/** Takes in what waits now. The question in view stays there for as long as it waits, whatever comes and goes around it. */
export function update(state: State, waiting: readonly Approval[], now: number): State {
  if (waiting.some((a) => a.id === state.selected)) return { ...state, waiting }
  const gone = state.selected !== undefined && (state.reason ?? state.answer) !== undefined
  const was = state.waiting.findIndex((a) => a.id === state.selected)
  const next = waiting[Math.min(Math.max(was, 0), waiting.length - 1)]
  const message = gone ? 'That question is void or answered; what you typed was not sent.' : state.message
  return { waiting, selected: next?.id, shownAt: now, scroll: 0, message }
}

/** What a key does. Only plain keys answer, and only the question that was there to be read. */
export function press(state: State, key: Key, now: number): { state: State; command?: Command } {
  if (key.ctrl && (key.name === 'c' || key.name === 'd')) return { state, command: { do: 'quit' } }
  if (state.reason !== undefined) return typing(state, state.reason, key)
  if (state.answer !== undefined) return replying(state, state.answer, key)
  if (key.ctrl) return { state }
  const approval = inView(state)
  const button = /^[1-9]$/.test(key.text) ? approval?.question?.buttons?.[Number(key.text) - 1] : undefined
  if (approval !== undefined && button !== undefined)
    return soon(state, now) ?? { state, command: { do: 'answer', approval, allow: true, scope: 'once', text: button } }
  switch (key.name) {
    case 'q':
      return { state, command: { do: 'quit' } }
    case 'up':
    case 'k':
      return { state: move(state, -1) }
    case 'down':
    case 'j':
      return { state: move(state, 1) }
    case 'space':
    case 'pagedown':
      return { state: { ...state, scroll: state.scroll + PAGE } }
    case 'b':
    case 'pageup':
      return { state: { ...state, scroll: Math.max(0, state.scroll - PAGE) } }
    case 'a':
    case 's':
    case 'p':
    case 'd':
      if (approval === undefined) return { state }
      return soon(state, now) ?? answering({ ...state, message: undefined }, approval, key.name)
    default:
      return { state }
  }
}

/** The person cannot have read a question that came up by itself a moment ago. */
function soon(state: State, now: number): { state: State } | undefined {
  if (now >= state.shownAt + LOOK_MS) return undefined
  return { state: { ...state, message: 'This question has just come up: read it, then press again.' } }
}

function answering(state: State, approval: Approval, key: 'a' | 's' | 'p' | 'd'): { state: State; command?: Command } {
  const { question } = approval
  if (question !== undefined) {
    if (key === 'd') return { state, command: { do: 'answer', approval, allow: false, scope: 'once' } }
    if (key !== 'a' || question.buttons !== undefined)
      return { state: { ...state, message: 'A script asks: press the number of a button.' } }
    return { state: { ...state, answer: question.default ?? '' } }
  }
  if (key === 'd') return { state: { ...state, reason: '' } }
  const scope = key === 'a' ? 'once' : key === 's' ? 'session' : 'app'
  if (scope !== 'once' && !grantable(approval, scope)) {
    const why =
      approval.steps !== undefined && !grantable(approval, 'session')
        ? 'Everything in this plan is known'
        : approval.risk.level === 'high'
          ? 'High risk is asked every time'
          : 'This touches no application'
    return { state: { ...state, message: `${why}: a allows it once.` } }
  }
  return { state, command: { do: 'answer', approval, allow: true, scope } }
}

function replying(state: State, answer: string, key: Key): { state: State; command?: Command } {
  const { answer: _, ...back } = state
  const approval = inView(state)
  const { text, end } = edit(answer, key)
  if (end === undefined) return { state: { ...state, answer: text } }
  if (end === 'back' || approval === undefined) return { state: back }
  return { state: back, command: { do: 'answer', approval, allow: true, scope: 'once', text: answer } }
}

function typing(state: State, reason: string, key: Key): { state: State; command?: Command } {
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

function move(state: State, by: number): State {
  const at = state.waiting.findIndex((a) => a.id === state.selected)
  const next = state.waiting[at + by]
  return next === undefined ? state : { ...state, selected: next.id, scroll: 0, shownAt: 0, message: undefined }
}

/** One line about an answer that was given. */
export function answered({ approval, allow, scope, reason }: Extract<Command, { do: 'answer' }>): string {
  if (approval.question !== undefined) return `${allow ? 'answered' : 'closed without an answer'}: ${approval.summary}`
  const how = { once: 'allowed once', session: 'allowed for this session', app: 'allowed for this application' }[scope]
  return `${allow ? how : `denied${reason === undefined ? '' : ` (${clip(reason, 40)})`}`}: ${approval.summary}`
}
