import { expect, test } from 'vitest'
import { chordsOf, parseChord, toKey, toRole } from '@deskhand/core/model'

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
