import type { EntryBody } from '@deskhand/core/model'
import { expect, test } from 'vitest'
import { detailOf, markOf, noteSentence, sentence, wanted } from './sentences.ts'
import { folded, Rows, type Row, type Step } from './steps.ts'

const AGENT = { id: 'anna', role: 'agent' as const }
const TIME = '2026-11-17T10:00:00.000Z'

const decided = (op: string, more: Partial<Extract<EntryBody, { type: 'decided' }>> = {}): EntryBody => ({
  type: 'decided',
  op,
  tool: 'ui.click',
  kind: 'click',
  setting: { desktop: 'virtual', driver: 'virtual', mode: 'simulation_only' },
  args: { target: 'e1' },
  principal: AGENT,
  targets: [{ role: 'button', name: 'Save', path: ['Form', 'Save'], source: 'structure', confidence: 1, why: [] }],
  risk: { level: 'low', score: 0, factors: [] },
  decision: { verdict: 'allow', reason: 'Allowed.', obligations: {} },
  policy: 'p',
  ...more,
})
const done = (op: string, more: Partial<Extract<EntryBody, { type: 'done' }>> = {}): EntryBody => ({
  type: 'done',
  op,
  status: 'success',
  sent: 'all',
  effect: 'confirmed',
  ms: 3,
  ...more,
})
const words = (step: Step): string =>
  sentence(step)
    .map((part) => (typeof part === 'string' ? part : part.strong))
    .join('')
const only = (rows: Rows): Step => {
  const [row] = rows.list
  if (row?.row !== 'step') throw new Error('no step')
  return row
}

test('a call is wanted until it is done, and then has its effect', () => {
  const wanted = new Rows().with(1, TIME, decided('a'))
  expect([words(only(wanted)), markOf(only(wanted))]).toEqual(['Click Save', 'running'])
  const ended = wanted.with(2, TIME, done('a'))
  expect([words(only(ended)), markOf(only(ended))]).toEqual(['Clicked Save', 'confirmed'])
})

test('a call that waits for a person asks, and one that was denied was never done', () => {
  const asks = new Rows().with(1, TIME, decided('a', { decision: { verdict: 'ask_user', reason: 'asks', obligations: {} } }))
  expect(markOf(only(asks))).toBe('asking')
  const answer: EntryBody = {
    type: 'answered',
    op: 'a',
    approval: 'q',
    allow: false,
    scope: 'once',
    digest: '',
    by: { id: 'olga', role: 'operator' },
  }
  const denied = asks.with(2, TIME, answer).with(3, TIME, done('a', { status: 'error', sent: 'none', effect: 'refused' }))
  expect([words(only(denied)), markOf(only(denied)), detailOf(only(denied))]).toEqual(['Click Save', 'denied', 'olga denied it'])
})

test('what is typed is told by its length, and not at all where it is kept as a commitment', () => {
  const typed = (args: unknown) => words(only(new Rows().with(1, TIME, decided('a', { kind: 'type', args })).with(2, TIME, done('a'))))
  expect(typed({ text: '漢字😀' })).toBe('Typed 3 characters into Save')
  expect(typed({ text: { commitment: 'x' } })).toBe('Typed a secret into Save')
})

test('rows stand newest first, once each, however often and in which order entries come', () => {
  const entries: [number, EntryBody][] = [
    [1, decided('a')],
    [2, done('a')],
    [3, { type: 'operator', what: 'pause', by: { id: 'olga', role: 'operator' } }],
    [4, decided('b')],
  ]
  const grown = [...entries, ...entries].reduce((rows, [seq, entry]) => rows.with(seq, TIME, entry), new Rows())
  expect(grown.list.map((row) => row.seq)).toEqual([4, 3, 1])
  const [, note] = grown.list
  expect(note?.row === 'note' && noteSentence(note)).toEqual([{ strong: 'olga' }, ' paused'])
})

test('the list keeps the newest and forgets the oldest', () => {
  let rows = new Rows([], 3)
  for (let seq = 1; seq <= 5; seq++) rows = rows.with(seq, TIME, decided(`op${seq}`))
  expect(rows.list.map((row) => row.seq)).toEqual([5, 4, 3])
})

test('what a rule denies says the rule’s own reason, and a script that ran is no look', () => {
  const decision = {
    verdict: 'deny' as const,
    reason: '"no archive" (rules.toml:3) denies ui.click: Archived each month.',
    obligations: {},
  }
  const denied = new Rows()
    .with(1, TIME, decided('a', { decision }))
    .with(2, TIME, done('a', { status: 'error', effect: 'refused', code: 'DENIED' }))
  expect([markOf(only(denied)), detailOf(only(denied))]).toEqual(['denied', 'Archived each month.'])
  const ran = new Rows()
    .with(1, TIME, decided('b', { kind: 'code', targets: [] }))
    .with(2, TIME, done('b', { sent: 'none', effect: 'none' }))
  expect(markOf(only(ran))).toBe('done')
  const looked = new Rows().with(1, TIME, decided('c', { kind: 'query' })).with(2, TIME, done('c', { sent: 'none', effect: 'none' }))
  expect(markOf(only(looked))).toBe('read')
})

test('pictures that one person opened one after the other are one row, from the first to the newest', () => {
  const opened = (seq: number, who: string): Row => ({
    row: 'note',
    seq,
    time: `2026-11-17T10:00:0${seq}.000Z`,
    entry: { type: 'operator', what: 'evidence', by: { id: who, role: 'operator' } },
  })
  const step = only(new Rows().with(2, TIME, decided('a')))
  const rows = folded([opened(7, 'olga'), opened(6, 'olga'), opened(5, 'olga'), opened(4, 'otto'), step, opened(1, 'otto')])
  expect(rows.map((row) => [row.seq, row.time.slice(-6, -5), row.row === 'note' ? row.times : 'step'])).toEqual([
    [5, '7', 3],
    [4, '4', undefined],
    [2, '0', 'step'],
    [1, '1', undefined],
  ])
  const [first] = rows
  expect(first?.row === 'note' && noteSentence(first)).toEqual([{ strong: 'olga' }, ' opened kept evidence, 3 times'])
})

test('a question says which keys and how much text, which its summary leaves out', () => {
  expect([
    wanted({ tool: 'ui.key', args: { keys: 'ctrl+s' }, summary: 'key textbox in "Letter", which can press menuitem "Save"' }),
    wanted({ tool: 'ui.key', args: { keys: ['Tab', 'Enter'] }, summary: 'key in "Letter"' }),
    wanted({ tool: 'ui.key', args: { keys: 'F5' }, summary: 'key' }),
    wanted({ tool: 'ui.type', args: { text: '漢字😀' }, summary: 'type textbox "Amount" in "Invoices"' }),
    wanted({ tool: 'ui.type', args: { text: { commitment: 'x' } }, summary: 'type textbox "PIN"' }),
    wanted({ tool: 'ui.click', args: {}, summary: 'click button "Save"' }),
  ]).toEqual([
    'Press ctrl+s in textbox in "Letter", which can press menuitem "Save"',
    'Press Tab, Enter in "Letter"',
    'Press F5',
    'Type 3 characters into textbox "Amount" in "Invoices"',
    'Type textbox "PIN"',
    'Click button "Save"',
  ])
})

test('letters that a script presses are told by their number, and a verb names no place where none is known', () => {
  const said = (more: Parameters<typeof decided>[1]) => words(only(new Rows().with(1, TIME, decided('a', more))))
  expect([
    said({ kind: 'key', args: { keys: ['ctrl+a', 'A', 'd', 'a', 'space', 'L', 'Enter'] } }),
    said({ kind: 'key', args: { keys: ['a', 'b', 'Tab'] } }),
    said({ kind: 'key', args: { keys: 'F5' }, targets: [] }),
    said({ kind: 'pointer', args: { events: [] } }),
    said({ kind: 'pointer', args: { events: [] }, targets: [] }),
    said({ kind: 'keys', args: { events: [] }, targets: [] }),
    said({ kind: 'type', args: { text: 'abc' }, targets: [] }),
  ]).toEqual([
    'Press ctrl+a, 5 letters, Enter in Save',
    'Press a, b, Tab in Save',
    'Press F5',
    'Use the pointer on Save',
    'Use the pointer',
    'Press keys',
    'Type 3 characters',
  ])
})
