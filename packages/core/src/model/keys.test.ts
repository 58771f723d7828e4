import { expect, test } from 'vitest'
import { chordsOf, KeyEvent, keyProblem, parseChord, toKey, toRole } from '@deskhand/core/model'

test('a chord is read into canonical keys, in order', () => {
  expect(parseChord('ctrl+shift+s')).toEqual(['Control', 'Shift', 's'])
  expect(parseChord('Return')).toEqual(['Enter'])
})

test('plus is a key of its own', () => {
  expect(parseChord('+')).toEqual(['+'])
  expect(parseChord('ctrl++')).toEqual(['Control', '+'])
})

test('an unknown key makes the whole chord unknown', () => {
  expect(parseChord('ctrl+nonsense')).toBeUndefined()
})

test('names of JavaScript are neither keys nor roles', () => {
  for (const word of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(toKey(word)).toBeUndefined()
    expect(toRole(word)).toBeUndefined()
  }
})

test('a bare modifier in a list goes with the key after it', () => {
  expect(chordsOf(['ctrl', 's'])).toEqual(['ctrl+s'])
  expect(chordsOf(['ctrl', 'shift', 'Tab', 'a'])).toEqual(['ctrl+shift+Tab', 'a'])
  expect(chordsOf(['ctrl+a', 'ctrl', '+', 'alt'])).toEqual(['ctrl+a', 'ctrl++', 'alt'])
  expect(chordsOf('ctrl+s')).toEqual(['ctrl+s'])
})

test('modifiers are known by their usual spellings', () => {
  expect(['Control_L', 'ctl', 'ctrlleft'].map(toKey)).toEqual(['Control', 'Control', 'Control'])
  expect(['shiftright', 'Alt_R', 'winleft', 'Super_L', 'optionleft'].map(toKey)).toEqual(['Shift', 'Alt', 'Meta', 'Meta', 'Alt'])
  expect(['enterleft', '_l', 'left'].map(toKey)).toEqual([undefined, undefined, 'ArrowLeft'])
})

test('keys are known by the spellings of other tools', () => {
  expect(['minus', 'page_up', 'Page Down', 'Prior', 'arrow-left', 'print_screen', 'KP_Enter', 'equal'].map(toKey)).toEqual([
    '-',
    'PageUp',
    'PageDown',
    'PageUp',
    'ArrowLeft',
    'PrintScreen',
    'Enter',
    '=',
  ])
  expect(['cmd+s', 'Control+s', 'ctrl-s', 'Ctrl-Shift-S', 'ctrl--', 'ctrl+minus', '-'].map(parseChord)).toEqual([
    ['Meta', 's'],
    ['Control', 's'],
    ['Control', 's'],
    ['Control', 'Shift', 'S'],
    ['Control', '-'],
    ['Control', '-'],
    ['-'],
  ])
})

test('a control character is the key that gives it, and a raw key has one spelling', () => {
  expect(['\n', '\r', '\t', '\b', '\x1b', '\x7f', '\x01', '\x85'].map(toKey)).toEqual([
    ...['Enter', 'Enter', 'Tab', 'Backspace', 'Escape', 'Delete'],
    undefined,
    undefined,
  ])
  const isKey = (key: string): boolean => KeyEvent.safeParse({ type: 'down', key }).success
  expect(['Enter', 'a', ' ', 'é', '漢'].map(isKey)).toEqual([true, true, true, true, true])
  expect(['\n', '\t', '\x1b', 'enter', 'Return', 'ctrl', 'ab', ''].map(isKey)).toEqual(Array.from({ length: 8 }, () => false))
})

test('a key that does not exist is answered with the nearest', () => {
  expect(keyProblem('ctrl+pgeup')).toBe('there is no key "pgeup"; did you mean PageUp?')
  expect(keyProblem('Entr')).toBe('there is no key "Entr"; did you mean Enter?')
  expect(keyProblem('nonsense')).toMatch(/keys are called Enter.*ui\.type types text/)
  expect(keyProblem('ctrl+a Delete')).toBe('there is no key "ctrl+a Delete"; several in order are a list: ["ctrl+a","Delete"]')
})
