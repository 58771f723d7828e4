import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { columns } from '../terminal/columns.ts'
import { START, update, type State } from './state.ts'
import { describe, view, type Sheet } from './view.ts'

const SHEET: Sheet = {
  rows: 24,
  columns: 80,
  now: Date.parse('2026-11-16T12:00:00Z'),
  desktop: 'urn:deskhand:virtual:desk',
}

const ask = (id: string, over: Partial<Approval> = {}): Approval => ({
  id,
  op: `op${id}`,
  digest: 'd',
  tool: 'ui.click',
  summary: `click button "Pay" in "Shop"`,
  args: { target: { selector: 'name="Pay"' } },
  principal: { id: 'agent', role: 'agent' },
  targets: [
    {
      role: 'button',
      name: 'Pay',
      bounds: { x: 10.4, y: 20, w: 80, h: 24 },
      app: { id: 'shop', name: 'Shop', pid: 4711, executable: '/usr/bin/shop' },
      path: ['Shop', 'Checkout', 'Pay'],
      source: 'structure',
      confidence: 0.9,
      why: [],
    },
  ],
  risk: { level: 'high', score: 70, factors: [{ id: 'word.committing', weight: 30, detail: 'commits to something, by the word "pay"' }] },
  decision: {
    verdict: 'ask_user',
    reason: 'A person has to agree.',
    rule: { file: '/etc/deskhand/policy.toml', line: 12, tier: 'user', name: 'money asks' },
    obligations: {},
  },
  tolerancePx: 8,
  askedAt: '2026-11-16T11:59:00Z',
  expiresAt: '2026-11-16T12:04:32Z',
  ...over,
})

const shown = (state: State, sheet: Partial<Sheet> = {}): string[] =>
  view(state, { ...SHEET, ...sheet }).rows.map((row) => row.map((s) => (typeof s === 'string' ? s : s.text)).join(''))
const asking = (...approvals: Approval[]): State => update(START, approvals, 0)

test('a small terminal shows everything a decision needs', () => {
  const rows = shown(asking(ask('1')))
  expect(rows).toHaveLength(24)
  const text = rows.join('\n')
  for (const part of [
    'ui.click, asked by agent',
    'button "Pay"',
    '"Shop" > "Checkout" > "Pay"',
    'x 10, y 20, 80 by 24',
    '/usr/bin/shop, pid 4711, calls itself "Shop"',
    'high, score 70',
    'commits to something',
    '/etc/deskhand/policy.toml:12 (user) "money asks"',
    'in 4:32, at 2026-11-16T12:04:32Z',
    ' allow once',
  ])
    expect(text).toContain(part)
})

test('a picture is linked where it lies, or the way to it is told', () => {
  const state = asking(ask('1', { crop: 'sha256:abc' }))
  expect(shown(state, { columns: 140, picture: 'file:///tmp/deskhand-x/1.png' }).join('\n')).toContain('file:///tmp/deskhand-x/1.png')
  expect(shown(state, { columns: 140 }).join('\n')).toContain('deskhand approvals picture 1 <file> saves it')
})

test('a terminal that shows pictures has room for one, below what there is to read', () => {
  const sheet = { ...SHEET, rows: 40, picture: 'file:///1.png', inline: true }
  const { rows, picture } = view(asking(ask('1', { crop: 'sha256:abc' })), sheet)
  expect(rows).toHaveLength(40)
  expect(rows.slice(picture!.row, picture!.row + picture!.rows).every((row) => row.length === 0)).toBe(true)
  expect(view(asking(ask('1')), { ...sheet, inline: false }).picture).toBeUndefined()
})

test('a plan is told step by step, with what the answer means for each', () => {
  const step = { tool: 'ui.click', args: {}, reads: false, targets: ask('1').targets, call: 'c', digest: 'd', state: 'known' as const }
  const steps: Approval['steps'] = [
    { ...step, n: 1, summary: 'click checkbox "Gift"', needs: 'plan', risk: { level: 'medium', score: 40, factors: [] } },
    { ...step, n: 2, tool: 'ui.type', summary: 'type textbox "To"', needs: 'nothing', args: { text: 'evil text' } },
    { ...step, n: 3, summary: 'click', state: 'unknown', why: 'step 1 can open it', needs: 'grant', targets: [] },
    { ...step, n: 4, summary: 'click button "Pay all"', needs: 'question' },
  ]
  const plan = ask('1', { tool: 'plan.rehearse', targets: [], steps, risk: { level: 'medium', score: 40, factors: [] } })
  const text = shown(asking(plan), { columns: 120, rows: 60 }).join('\n')
  for (const part of [
    'known, AGREED TO with this answer, medium risk: click checkbox "Gift"',
    'known, passes by the rules: type textbox "To"',
    'text: 9 characters: "evil text"',
    'unknown, asks later, unless it is granted with this answer: click',
    'unknown because step 1 can open it',
    'known, asks again when it comes: click button "Pay all"',
  ])
    expect(text).toContain(part)
  expect(text).toMatch(/[a-z]{2} allow these steps   [a-z]{2} and unknown ones   [a-z]{2} and unknown ones in its apps   [a-z]{2} deny/)
})

test('the wider answers are offered only where they can hold', () => {
  expect(shown(asking(ask('1'))).at(-2)).not.toContain('session')
  const medium = ask('1', { risk: { level: 'medium', score: 40, factors: [] } })
  expect(shown(asking(medium)).at(-2)).toMatch(/[a-z]{2} session   [a-z]{2} app/)
  expect(shown(asking({ ...medium, targets: [] })).at(-2)).not.toMatch(/[a-z]{2} app/)
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(
    '\u001b[2J\u001b[1;1H risk low',
    '\u202egninrael\u202c',
    'a\nrisk        low, score 0\nrule        none',
    'x\u0300'.repeat(50) + '\u0301'.repeat(300),
    '漢'.repeat(300),
    '\u009b31m',
    '\u2028\u2029\u0085',
    '👩‍👩‍👧'.repeat(60),
  ),
)

test('whatever the names: the screen is kept, and the risk, the rule and the element stay in view', () => {
  fc.assert(
    fc.property(text, text, text, fc.array(text, { maxLength: 30 }), fc.integer({ min: 40, max: 200 }), (name, app, typed, path, width) => {
      const [target] = ask('1').targets
      const hostile = ask('1', {
        tool: 'ui.type',
        summary: `type textbox ${JSON.stringify(name)}`,
        args: { text: typed, target: { selector: name } },
        targets: [{ ...target!, name, path, url: name, app: { id: app, name: app, executable: app } }],
        risk: { level: 'medium', score: 50, factors: [{ id: 'x', weight: 1, detail: name }] },
        decision: { verdict: 'ask_user', reason: name, rule: { file: '/p.toml', line: 7, tier: 'user', name }, obligations: {} },
      })
      const rows = shown(asking(ask('0'), hostile, ask('2'), ask('3'), ask('4')), { columns: width })
      const second = shown({ ...asking(hostile, ask('0'), ask('2'), ask('3'), ask('4')) }, { columns: width })
      for (const row of [...rows, ...second]) {
        expect(columns(row)).toBeLessThanOrEqual(width)
        expect(row).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
      expect(second).toHaveLength(24)
      expect(second.filter((r) => r.startsWith('risk        '))).toEqual(['risk        medium, score 50'])
      expect(second.filter((r) => r.startsWith('rule        '))).toEqual([expect.stringMatching(/^rule {8}\/p\.toml:7 \(user\)/)])
      expect(second.filter((r) => r.startsWith('element     '))).toHaveLength(1)
    }),
    { numRuns: 300 },
  )
})

test('more questions than rows keep the chosen one in view', () => {
  const all = Array.from({ length: 12 }, (_, i) => ask(String(i), { summary: `question ${i}` }))
  for (const selected of ['0', '5', '11'])
    expect(shown({ ...asking(...all), selected }).filter((r) => r.startsWith('>'))).toEqual([
      expect.stringContaining(`question ${selected}`),
    ])
})

test('as plain text, one question is one block and nothing breaks out of its line', () => {
  const out = describe(
    ask('a1', { summary: 'click button "x\\u{202e}"', targets: [{ ...ask('1').targets[0]!, name: 'x\nrisk      low' }] }),
  )
  expect(out.split('\n').filter((l) => l.trim().startsWith('risk'))).toEqual(['  risk      high, score 70'])
})
