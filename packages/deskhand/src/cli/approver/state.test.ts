import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Approval, RiskLevel } from '@deskhand/core/model'
import type { Key } from '../terminal/terminal.ts'
import { choicesOf } from './choices.ts'
import { focused, inView, press, QUIET_MS, settle, SETTLE_MS, START, update, type Command, type State } from './state.ts'

const ask = (id: string, level: RiskLevel = 'medium'): Approval => ({
  id,
  op: id,
  digest: '',
  tool: 'ui.click',
  summary: id,
  args: {},
  principal: { id: 'agent', role: 'agent' },
  targets: [{ role: 'button', app: { id: 'app', name: 'App' }, path: [], source: 'structure', confidence: 1, why: [] }],
  risk: { level, score: 1, factors: [] },
  decision: { verdict: 'ask_user', reason: '', obligations: {} },
  tolerancePx: 8,
  askedAt: '',
  expiresAt: '',
})

const key = (name: string): Key => ({ name, text: name.length === 1 ? name : '', ctrl: false })

/** A person who takes their time presses these keys, and waits behind the last. */
function type(state: State, ...names: string[]): { state: State; commands: Command[] } {
  const commands: Command[] = []
  let now = Math.max(10_000, state.quietUntil)
  for (const name of names) {
    now += QUIET_MS
    const pressed = press(state, key(name), now)
    state = pressed.state
    if (pressed.command !== undefined) commands.push(pressed.command)
  }
  const settled = settle(state, now + SETTLE_MS)
  return { state: settled.state, commands: settled.command === undefined ? commands : [...commands, settled.command] }
}

const code = (state: State, label: string): string[] =>
  Array.from(state.codes[choicesOf(inView(state)!).findIndex((c) => c.label === label)] ?? '')

test.each([
  ['allow once', { allow: true, scope: 'once' }],
  ['session', { allow: true, scope: 'session' }],
  ['app', { allow: true, scope: 'app' }],
])('the code of %s answers the question in view', (label, answer) => {
  const { state } = type(update(START, [ask('1'), ask('2')], 0), 'j')
  const { commands } = type(state, ...code(state, label))
  expect(commands).toMatchObject([{ do: 'answer', approval: { id: '2' }, ...answer }])
})

test('so do the arrow keys and Enter, after a pause', () => {
  const state = update(START, [ask('1')], 0)
  expect(type(state, 'right', 'return').commands).toMatchObject([{ allow: true, scope: 'once' }])
  expect(type(state, 'right', 'right', 'return').commands).toMatchObject([{ allow: true, scope: 'session' }])
  expect(type(state, 'return').commands).toEqual([])
  const chosen = press(state, key('right'), 1_000).state
  expect(press(chosen, key('return'), 1_000 + QUIET_MS - 1).command).toBeUndefined()
  expect(press(chosen, key('return'), 1_000 + QUIET_MS).command).toMatchObject({ allow: true })
})

test('a denial takes a typed reason, edited as in any prompt', () => {
  const { state } = type(update(START, [ask('1')], 0), 'left', 'return')
  expect(type(state, 'a', 'q', 'backspace', 'ß', 'return').commands).toMatchObject([{ do: 'answer', allow: false, reason: 'aß' }])
  expect(type(state, 'x', 'escape').commands).toEqual([])
  expect(type(state, 'return').commands).toMatchObject([{ allow: false, reason: undefined }])
})

test('nothing typed counts while a question has just come, has just moved, or the terminal has just got the focus', () => {
  const before = update(START, [ask('1'), ask('2')], 1_000)
  const came = update(before, [ask('2')], 5_000)
  const moved = update(type(before, 'j').state, [ask('2')], 5_000)
  for (const state of [came, moved, focused(type(before, 'j').state, 5_000)]) {
    expect(inView(state)?.id).toBe('2')
    const [first = '', second = ''] = code(state, 'allow once')
    const early = press(state, key(first), 5_000 + QUIET_MS - 1)
    expect(early.state.begun).toBeUndefined()
    expect(early.state.message).toContain('do not count yet')
    const later = press(press(state, key(first), 20_000).state, key(second), 20_050).state
    expect(settle(later, 20_050 + SETTLE_MS).command).toMatchObject({ approval: { id: '2' } })
  }
})

test('a code within a run of other characters answers nothing, wherever it stands in it', () => {
  const state = update(START, [ask('1')], 0)
  const typed = code(state, 'allow once')
  for (const [before, after] of [
    ['', 'x'],
    ['x', ''],
    ['hello', 'world'],
    ['', 'd'],
  ] as const) {
    let [at, now, commands] = [state, 10_000, 0]
    for (const char of [...before, ...typed, ...after]) {
      const pressed = press(at, key(char), (now += 80))
      at = pressed.state
      commands += pressed.command === undefined ? 0 : 1
    }
    expect([before, after, commands, settle(at, now + SETTLE_MS).command]).toEqual([before, after, 0, undefined])
  }
})

test('no run of stray characters answers, whatever they are', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 3, unit: fc.constantFrom(...'acdefghmnprtuvwxyz') }), (text) => {
      let [at, now] = [update(START, [ask('1')], 0), 10_000]
      for (const char of text) at = press(at, key(char), (now += 40)).state
      expect(settle(at, now + SETTLE_MS).command).toBeUndefined()
    }),
  )
})

test('codes differ from question to question, and none is one letter twice', () => {
  const seen = new Set<string>()
  for (let i = 0; i < 50; i++) {
    const { codes } = update(START, [ask(`${i}`)], 0)
    expect(new Set(codes).size).toBe(codes.length)
    for (const one of codes) expect(one).toMatch(/^([a-z])(?!\1)[a-z]$/)
    seen.add(codes.join())
  }
  expect(seen.size).toBeGreaterThan(40)
})

test('what comes and goes behind the question in view does not move it', () => {
  const { state } = type(update(START, [ask('1'), ask('2'), ask('3')], 0), 'j')
  const after = update(state, [ask('1'), ask('2'), ask('4')], 90_000)
  expect(after).toMatchObject({ selected: '2', quietUntil: state.quietUntil, codes: state.codes })
})

test('a reason for a question that went away is not sent for another', () => {
  const typing = { ...type(update(START, [ask('1'), ask('2')], 0), 'left', 'return').state }
  const after = update(type(typing, 'n', 'o').state, [ask('2')], 50)
  expect(after.reason).toBeUndefined()
  expect(after.message).toContain('not sent')
})

test('pasted text answers nothing, and control keys are no answers', () => {
  const state = update(START, [ask('1')], 0)
  const [first = '', second = ''] = code(state, 'allow once')
  const paste = (text: string): Key => ({ name: 'paste', text, ctrl: false })
  const pasted = press(press(state, paste(first), 10_000).state, paste(second), 10_010).state
  expect(settle(pasted, 20_000).command).toBeUndefined()
  expect(press(state, { name: 'a', text: '\u0001', ctrl: true }, 10_000).state.begun).toBeUndefined()
  expect(type({ ...state, reason: '' }, 'x').state.reason).toBe('x')
  expect(press({ ...state, reason: 'x' }, paste('\u001b'), 10_000).state.reason).toBe('x')
})

test('high risk is never granted for longer', () => {
  expect(choicesOf(ask('1', 'high')).map((c) => c.label)).toEqual(['allow once', 'deny'])
})

test('q and ctrl+c quit', () => {
  expect(type(START, 'q').commands).toEqual([{ do: 'quit' }])
  expect(press(START, { name: 'c', text: '', ctrl: true }, 0).command).toEqual({ do: 'quit' })
})
