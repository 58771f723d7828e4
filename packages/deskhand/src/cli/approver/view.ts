import type { Approval, RiskLevel } from '@deskhand/core/model'
import { clip, visible } from '@deskhand/core/selector/quote'
import type { Area } from '../terminal/image.ts'
import { columns, fit, unstacked, wrap } from '../terminal/columns.ts'
import type { Row, Span, Style } from '../terminal/terminal.ts'
import { choicesOf } from './choices.ts'
import { details } from './details.ts'
import { inView, type State } from './state.ts'

export interface Sheet {
  rows: number
  columns: number
  now: number
  desktop: string
  /** Where a picture of the question in view lies. */
  picture?: string
  /** Whether this terminal can show it in place. */
  inline?: boolean
}

export interface View {
  rows: Row[]
  /** There is room for what a person has to read. */
  isLegible: boolean
  cursor?: { row: number; column: number }
  picture?: Area
}

const LABEL = 12
/** Below this there is nothing to read; a person makes the window larger. */
const NARROWEST = 40
const LOWEST = 12
const ROOM_FOR_PICTURE = 18

/** The screen, row by row: exactly as many rows as there are, none wider than the screen, and nothing from outside in control of it. */
export function view(state: State, sheet: Sheet): View {
  const { rows, columns: width } = sheet
  if (width < NARROWEST || rows < LOWEST) return { rows: [[fit('Make this terminal larger.', width)]], isLegible: false }
  const head: Row[] = [
    [
      {
        text: fit(` Deskhand approvals on ${visible(sheet.desktop)}: ${state.waiting.length || 'nothing'} waiting`, width).padEnd(width),
        style: 'inverse',
      },
    ],
  ]
  const approval = inView(state)
  const foot = footer(state, approval, width)
  const list = questions(state, sheet, Math.max(1, Math.floor(rows / 5)))
  const free = Math.max(0, rows - head.length - list.length - foot.length - 1)
  const frame = sheet.inline && sheet.picture !== undefined && free >= ROOM_FOR_PICTURE ? Math.floor(free / 3) : 0
  const room = free - frame
  const body = approval === undefined ? idle(width) : scrolled(fields(approval, sheet), state.scroll, room, width)
  const filler: Row[] = Array.from({ length: Math.max(0, free - body.length) }, () => [])
  const all = [...head, ...list, [{ text: '─'.repeat(width), style: 'dim' as const }], ...body.slice(0, room), ...filler, ...foot].slice(
    -rows,
  )
  const line = lineOf(state, approval)
  const cursor = line === undefined ? undefined : { row: all.length - 1, column: Math.min(width - 1, columns(typed(line, width))) }
  const top = head.length + list.length + 1 + room
  return {
    rows: all,
    isLegible: true,
    cursor,
    picture: frame === 0 ? undefined : { row: top, column: LABEL, rows: frame, columns: width - LABEL },
  }
}

function questions(state: State, sheet: Sheet, most: number): Row[] {
  const at = state.waiting.findIndex((a) => a.id === state.selected)
  const first = Math.min(Math.max(0, at - most + 1), Math.max(0, state.waiting.length - most))
  return state.waiting.slice(first, first + most).map((a, i): Row => {
    const mine = a.id === state.selected
    const left = `${mine ? '>' : ' '} ${String(first + i + 1).padStart(2)}  `
    const when = `  ${countdown(a, sheet.now)}  `
    const summary = fit(safe(a.summary), Math.max(0, sheet.columns - columns(left) - 6 - columns(when)))
    return [
      mine ? { text: left, style: 'bold' } : left,
      { text: a.risk.level.padEnd(6), style: COLOUR[a.risk.level] },
      when,
      mine ? { text: summary, style: 'bold' } : summary,
    ]
  })
}

const COLOUR: Record<RiskLevel, Style> = { low: 'green', medium: 'yellow', high: 'red', prohibited: 'red' }

function countdown(a: Approval, now: number): string {
  const left = Math.max(0, Math.ceil((Date.parse(a.expiresAt) - now) / 1000))
  return `${String(Math.floor(left / 60)).padStart(2)}:${String(left % 60).padStart(2, '0')}`
}

function fields(approval: Approval, sheet: Sheet): Row[] {
  const rows: Row[] = []
  const width = sheet.columns - LABEL
  for (const { label, text, most = Infinity } of details(approval, sheet.picture)) {
    const shown = label === 'expires' ? `in ${countdown(approval, sheet.now).trim()}, at ${visible(text)}` : unstacked(text)
    const lines = wrap(shown, Math.max(1, width))
    const cut = lines.length > most
    lines.slice(0, most).forEach((line, i) => {
      const end = cut && i === most - 1 ? fit(`${line}…`, width) : line
      rows.push([
        { text: fit(i === 0 ? label : '', LABEL - 1).padEnd(LABEL), style: 'dim' },
        label === 'risk' ? { text: end, style: COLOUR[approval.risk.level] } : end,
      ])
    })
  }
  return rows
}

function scrolled(all: Row[], scroll: number, room: number, width: number): Row[] {
  if (all.length <= room) return all
  const first = Math.min(scroll, all.length - room + 1)
  const shown = all.slice(first, first + room - 1)
  const left = all.length - first - shown.length
  return [...shown, [{ text: fit(left > 0 ? `… ${left} more rows: space` : 'the end: b goes back', width), style: 'dim' }]]
}

const idle = (width: number): Row[] => [[], [fit('  Nothing waits for an answer. Questions appear here as agents ask them.', width)]]

function footer(state: State, approval: Approval | undefined, width: number): Row[] {
  const message: Row = [{ text: fit(safe(state.message ?? ''), width), style: 'yellow' }]
  if (state.reason !== undefined)
    return [message, [fit('Why not? The agent reads this. Enter denies, Esc goes back.', width)], [typed(state.reason, width)]]
  if (state.answer !== undefined)
    return [message, [fit('The script reads this. Enter answers, Esc goes back.', width)], [typed(lineOf(state, approval) ?? '', width)]]
  if (approval === undefined) return [message, [fit('q quit', width)]]
  const hint = state.begun === undefined ? 'Type the two letters, or arrows and Enter.' : `${state.begun}…`
  return [message, answers(state, approval, width), [{ text: fit(`${hint}   j/k move   space more   q quit`, width), style: 'dim' }]]
}

/** Every answer behind its code, as far as they fit; the one that the arrow keys are on stands out. */
function answers(state: State, approval: Approval, width: number): Row {
  const row: Span[] = []
  let left = width
  for (const [i, choice] of choicesOf(approval).entries()) {
    const label = choice.do === 'button' ? clip(choice.label, 20) : choice.label
    const text = fit(`${state.codes[i] ?? ''} ${label}`, left)
    row.push({ text, style: state.chosen?.index === i ? 'inverse' : 'bold' }, fit('   ', Math.max(0, left - columns(text))))
    left = Math.max(0, left - columns(text) - 3)
  }
  return row
}

/** What is being typed, as it may be shown. */
function lineOf(state: State, approval: Approval | undefined): string | undefined {
  if (state.answer === undefined) return state.reason
  return approval?.question?.kind === 'password' ? '*'.repeat([...state.answer].length) : state.answer
}

/** The end of what was typed, as far as it fits. */
function typed(reason: string, width: number): string {
  let shown = `> ${reason}`
  while (columns(shown) > width - 1) shown = `> …${[...shown].slice(4).join('')}`
  return shown
}

/** A sentence that already quotes what is foreign in it; this makes sure of it. */
const safe = (text: string): string => unstacked(visible(text))

const WHOLE: ReadonlySet<string> = new Set(['arguments', 'targets', 'steps'])

/** The same facts as plain text, for `approvals list`. */
export function describe(a: Approval): string {
  const rows = details(a).filter(({ label }) => !WHOLE.has(label))
  return [`${a.id}  ${visible(a.summary)}`, ...rows.map(({ label, text }) => `  ${label.padEnd(LABEL - 2)}${text}`)].join('\n')
}
