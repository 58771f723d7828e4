import { expect, test } from 'vitest'
import { parseChord, toKey, toRole } from '@deskhand/core/model'

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
