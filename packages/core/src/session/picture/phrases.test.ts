import { expect, test } from 'vitest'
import type { Region } from '../../model/index.ts'
import { phrasesIn } from './phrases.ts'

/** A line of words of ten pixels per character. */
function line(text: string, y = 0): Region {
  let x = 0
  const words = text.split(' ').map((word) => {
    const rect = { x, y, w: word.length * 10, h: 12 }
    x += rect.w + 10
    return { text: word, rect, confidence: 0.9 }
  })
  return { source: 'ocr', text, rect: { x: 0, y, w: x - 10, h: 12 }, confidence: 0.9, words }
}

test('a line that says a text as a whole goes before one that holds it', () => {
  expect(phrasesIn([line('Submit order'), line('Submit', 40)], 'Submit')).toMatchObject([{ rect: { y: 40 } }])
})

test('a part of a line has the place of its own words', () => {
  expect(phrasesIn([line('Press Save as to go on')], 'save as')).toMatchObject([{ text: 'save as', rect: { x: 60, w: 70 } }])
})

test('several places are all told', () => {
  expect(phrasesIn([line('OK'), line('OK', 30)], 'OK')).toHaveLength(2)
})

test('what was read a little differently says what was read and how far off that is', () => {
  expect(phrasesIn([line('Subrnit order now')], 'Submit order')).toMatchObject([{ text: 'Submit order', read: 'Subrnit order', off: 2 }])
  expect(phrasesIn([line('Delete all'), line('Delate', 30)], 'Delete all files')).toEqual([])
})

test('a short text must be read as it is', () => {
  expect(phrasesIn([line('On')], 'Off')).toEqual([])
  expect(phrasesIn([line('No')], 'Go')).toEqual([])
  expect(phrasesIn([line('')], '')).toEqual([])
})

test('quotation marks and points count in each of their forms', () => {
  expect(phrasesIn([line("Fermer l'image...")], 'Fermer l’image…')).toHaveLength(1)
})
