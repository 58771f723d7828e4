import { expect, test } from 'vitest'
import { parseAction, type Action, type ActionKind, type TargetFacts } from '../../model/index.ts'
import { Foresight } from './foresight.ts'

const on = (role: string, app = 'shop', more: Partial<TargetFacts> = {}): TargetFacts => ({
  key: role,
  role,
  app: { id: app, name: app },
  path: [],
  source: 'structure',
  confidence: 1,
  why: [],
  ...more,
})

function action(kind: ActionKind, args: unknown): Action {
  const read = parseAction(kind, args)
  if (!read.ok) throw new Error(read.problems.join())
  return read.action
}

const T = { target: 'name="x"' }
const click = action('click', T)

test.each<[string, Action, TargetFacts[], known: boolean]>([
  ['a checkbox', click, [on('checkbox')], true],
  ['a text field', action('type', { ...T, text: 'Anna' }), [on('textbox')], true],
  ['a look', action('snapshot', {}), [], true],
  ['a focus', action('focus', T), [on('button')], true],
  ['a button', click, [on('button')], false],
  ['a link', click, [on('link')], false],
  ['a right click on a checkbox', action('click', { ...T, button: 'right' }), [on('checkbox')], false],
  ['a double click on a text field', action('click', { ...T, clickCount: 2 }), [on('textbox')], false],
  ['a line that is entered', action('type', { ...T, text: 'Anna\n' }), [on('textbox')], false],
  ['text on a button', action('type', { ...T, text: ' ' }), [on('button')], false],
  ['a key', action('key', { keys: 'Enter' }), [on('textbox', 'shop', { source: 'focus' })], false],
  ['a scroll', action('scroll', { ...T, deltaY: 1 }), [on('list')], false],
  ['a launch', action('launch', { app: 'xterm' }), [on('application', 'shop', { source: 'none', app: undefined })], false],
  ['a closed window', action('window', { op: 'close' }), [on('window')], false],
  ['code', action('code', { code: '1' }), [], false],
])('after %s the same application is known: %s', (_, first, targets, known) => {
  const foresight = new Foresight()
  foresight.took(1, first, targets)
  expect(foresight.doubt(click, [on('button')]) === undefined).toBe(known)
  expect(foresight.hope('NOT_FOUND') === undefined).toBe(known)
})

test('another application stays known; what the focus has and what lies under a pixel does not', () => {
  const foresight = new Foresight()
  foresight.took(1, click, [on('button')])
  expect(foresight.doubt(click, [on('button', 'notes')])).toBeUndefined()
  expect(foresight.doubt(action('key', { keys: 'a' }), [on('textbox', 'notes', { source: 'focus' })])).toContain('step 1')
  expect(foresight.doubt(action('click_xy', { x: 1, y: 1 }), [on('button', 'notes', { source: 'pixel' })])).toContain('step 1')
  expect(foresight.doubt(action('drag', { from: 'name="a"', to: 'name="b"' }), [on('row', 'notes'), on('row', 'shop')])).toContain('step 1')
})

test('keys after text go where the text went, when that has the focus already', () => {
  const foresight = new Foresight()
  foresight.took(1, action('type', { ...T, text: 'Anna' }), [on('textbox', 'shop', { key: 'n1' })])
  const keys = action('key', { keys: 'End' })
  expect(foresight.doubt(keys, [on('textbox', 'shop', { key: 'n1', source: 'focus' })])).toBeUndefined()
  expect(foresight.doubt(keys, [on('textbox', 'shop', { key: 'n2', source: 'focus' })])).toBe('step 1 can move the focus')
})

test('a bad argument stays bad, whatever was done before', () => {
  const foresight = new Foresight()
  foresight.took(1, click, [on('button')])
  expect(foresight.hope('BAD_SELECTOR')).toBeUndefined()
  expect(foresight.hope('DENIED')).toBeUndefined()
})

test('after a step that nobody can know, nothing is known', () => {
  const foresight = new Foresight()
  foresight.lost(2, click)
  expect(foresight.doubt(click, [on('button', 'notes')])).toBe('step 2 can change anything')
})
