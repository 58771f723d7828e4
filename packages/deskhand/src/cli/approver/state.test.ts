import { expect, test } from 'vitest'
import type { Approval, RiskLevel } from '@deskhand/core/model'
import type { Key } from '../terminal/terminal.ts'
import { inView, LOOK_MS, press, START, update, type Command, type State } from './state.ts'

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

/** A person who has looked long enough presses these keys, one after the other. */
function type(state: State, ...names: string[]): { state: State; commands: Command[] } {
  const commands: Command[] = []
  for (const name of names) {
    const key: Key = { name, text: name.length === 1 ? name : '', ctrl: false }
    const pressed = press(state, key, state.shownAt + LOOK_MS)
    state = pressed.state
    if (pressed.command !== undefined) commands.push(pressed.command)
  }
  return { state, commands }
}

test.each([
  ['a', { allow: true, scope: 'once' }],
  ['s', { allow: true, scope: 'session' }],
  ['p', { allow: true, scope: 'app' }],
])('%s answers the question in view', (key, answer) => {
  const { commands } = type(update(START, [ask('1'), ask('2')], 0), 'j', key)
  expect(commands).toMatchObject([{ do: 'answer', approval: { id: '2' }, ...answer }])
})

test('a denial takes a typed reason, edited as in any prompt', () => {
  const { commands } = type(update(START, [ask('1')], 0), 'd', 'a', 'q', 'backspace', 'ß', 'return')
  expect(commands).toMatchObject([{ do: 'answer', allow: false, reason: 'aß' }])
  expect(type(update(START, [ask('1')], 0), 'd', 'x', 'escape').commands).toEqual([])
  expect(type(update(START, [ask('1')], 0), 'd', 'return').commands).toMatchObject([{ allow: false, reason: undefined }])
})

test('a key that was meant for the question before does not answer the next', () => {
  const before = update(START, [ask('1'), ask('2')], 1000)
  const after = update(before, [ask('2')], 5000)
  expect(inView(after)?.id).toBe('2')
  const early = press(after, { name: 'a', text: 'a', ctrl: false }, 5000 + LOOK_MS - 1)
  expect(early.command).toBeUndefined()
  expect(early.state.message).toContain('just come up')
  expect(press(after, { name: 'a', text: 'a', ctrl: false }, 5000 + LOOK_MS).command).toMatchObject({ approval: { id: '2' } })
})

test('what comes and goes around the question in view does not move it', () => {
  const state = type(update(START, [ask('1'), ask('2'), ask('3')], 0), 'j').state
  expect(inView(update(state, [ask('2'), ask('3'), ask('4')], 9))).toMatchObject({ id: '2' })
  expect(update(state, [ask('2'), ask('3'), ask('4')], 9).shownAt).toBe(0)
})

test('a reason for a question that went away is not sent for another', () => {
  const typing = type(update(START, [ask('1'), ask('2')], 0), 'd', 'n', 'o').state
  const after = update(typing, [ask('2')], 50)
  expect(after.reason).toBeUndefined()
  expect(after.message).toContain('not sent')
})

test('pasted text answers nothing, and control keys are no answers', () => {
  const state = update(START, [ask('1')], 0)
  for (const key of [
    { name: 'paste', text: 'a', ctrl: false },
    { name: 'a', text: '\u0001', ctrl: true },
    { name: '', text: 'ä', ctrl: false },
  ]) {
    expect(press(state, key, 10_000).command).toBeUndefined()
  }
  expect(type({ ...state, reason: '' }, 'x').state.reason).toBe('x')
  expect(press({ ...state, reason: 'x' }, { name: 'paste', text: '\u001b', ctrl: false }, 0).state.reason).toBe('x')
})

test('high risk is never granted for longer', () => {
  const { state, commands } = type(update(START, [ask('1', 'high')], 0), 's', 'p')
  expect(commands).toEqual([])
  expect(state.message).toContain('High risk')
})

test('q and ctrl+c quit', () => {
  expect(type(START, 'q').commands).toEqual([{ do: 'quit' }])
  expect(press(START, { name: 'c', text: '', ctrl: true }, 0).command).toEqual({ do: 'quit' })
})
