import { describe, expect, test } from 'vitest'
import { parseAction, type Action, type ActionKind } from './action.ts'
import { commits, enteredText, enters, selectors } from './entered.ts'

const stroke = (...keys: string[]) => keys.flatMap((key) => [down(key), up(key)])
const down = (key: string) => ({ type: 'down', key })
const up = (key: string) => ({ type: 'up', key })

function action(kind: ActionKind, args: object): Action {
  const read = parseAction(kind, args)
  if (!read.ok) throw new Error(read.problems.join('; '))
  return read.action
}

describe('what a call enters', () => {
  test('is its text, its code, or the command line that it starts', () => {
    expect(enteredText('type', { text: 'hello' })).toBe('hello')
    expect(enteredText('clipboard_write', { text: 'hello' })).toBe('hello')
    expect(enteredText('code', { code: 'print(1)', args: ['a'] })).toBe('print(1) a')
    expect(enteredText('launch', { app: 'firefox', args: ['http://localhost'] })).toBe('firefox http://localhost')
    expect(enteredText('click', { text: 'not an argument of a click' })).toBe('')
  })

  test('is what its keys give', () => {
    expect(enteredText('keys', { events: [down('Shift'), ...stroke('H'), up('Shift'), ...stroke('i', 'Enter')] })).toBe('Hi\n')
    expect(enteredText('key', { keys: ['a', 'ctrl+b', 'space', 'é'] })).toBe('a é')
    expect(enteredText('key', { keys: 'Enter' })).toBe('')
  })

  test('is nothing where the arguments are not what the action takes', () => {
    for (const args of [undefined, null, 'text', [], { text: 7 }, { text: { redacted: true } }]) expect(enteredText('type', args)).toBe('')
    for (const args of [undefined, { events: 'a' }, { events: [null, 3, { key: 4 }] }]) expect(enteredText('keys', args)).toBe('')
  })

  test('is compared with the screen word by word: a key without a character ends a word, a held Shift does not', () => {
    expect(enters(action('key', { keys: ['shift+a', 'b', 'Tab', 'c'] }))).toEqual(['ab c'])
    expect(enters(action('keys', { events: [down('Shift'), ...stroke('A', 'b'), up('Shift'), ...stroke('Tab', 'c')] }))).toEqual(['Ab c'])
    expect(enters(action('click', { target: 'name="Save"' }))).toEqual([])
  })
})

test('an action is chosen by the selectors that it names', () => {
  expect(selectors(action('drag', { from: 'name="A"', to: { x: 1, y: 2 } }))).toEqual(['name="A"'])
  expect(selectors(action('describe', { element: 'name="A"' }))).toEqual(['name="A"'])
  expect(selectors(action('click', { target: 'e12' }))).toEqual([])
})

describe('what is not kept where redaction is asked for', () => {
  test.each<[ActionKind, object, string[]]>([
    ['type', { text: 'x' }, ['text']],
    ['type', { text: 'x', verify: { uiState: { value: 'x' } } }, ['text', 'verify']],
    ['type', { secret: 'x' }, []],
    ['clipboard_write', { text: 'x' }, ['text']],
    ['launch', { app: 'psql' }, []],
    ['launch', { app: 'psql', args: ['--password=x'] }, ['args']],
    ['code', { code: 'x', args: ['y'] }, ['code', 'args']],
    ['code', { file: 'x.py' }, []],
    ['key', { keys: 'ctrl+s' }, []],
    ['key', { keys: ['Tab', 'Enter'] }, []],
    ['key', { keys: ['Tab', 'x'] }, ['keys']],
    ['key', { keys: 'shift+x' }, ['keys']],
    ['key', { keys: 'no chord at all' }, ['keys']],
    ['keys', { events: stroke('Enter') }, []],
    ['keys', { events: stroke('x') }, ['events']],
    ['keys', { events: [up('x')] }, ['events']],
    ['click', { target: 'name="Save"' }, []],
  ])('%s %j: %j', (kind, args, fields) => expect(commits(action(kind, args))).toEqual(fields))
})
