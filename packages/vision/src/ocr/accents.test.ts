import { expect, test } from 'vitest'
import { merged } from './accents.ts'
import type { Word } from './text.ts'

const word = (text: string, x: number, confidence = 0.99): Word => ({ text, rect: { x, y: 0, w: text.length * 8, h: 12 }, confidence })
const texts = (words: readonly Word[]): string[] => words.map((w) => w.text)

test('accents come from the engine that knows the language', () => {
  const read = merged(
    [word('GroBe', 0), word('prufen', 60), word('durmi6', 120)],
    [word('Größe', 0), word('prüfen', 60), word('durmió', 120)],
  )
  expect(texts(read)).toEqual(['Größe', 'prüfen', 'durmió'])
})

test('plain letters and capitals stay as the first engine has them where the second is not certain', () => {
  const read = merged([word('Configuracion', 0), word('Segun', 200)], [word('Contiguración', 0, 0.7), word('según', 200)])
  expect(texts(read)).toEqual(['Configuración', 'Según'])
})

test('another word at the same place is not believed, a sign that the first engine does not know is added', () => {
  const price = { ...word('1.250,00', 0), rect: { x: 0, y: 0, w: 90, h: 12 } }
  expect(texts(merged([price], [word('1.250,00', 0), word('€', 78)]))).toEqual(['1.250,00', '€'])
  expect(texts(merged([word('Cancel', 0)], [word('Zürich', 0)]))).toEqual(['Cancel'])
  expect(texts(merged([word('1093', 0)], [word('1098', 0)]))).toEqual(['1093'])
})

test('a mark beside a word is no part of it, and the form of an apostrophe is the first one', () => {
  expect(texts(merged([word('Zeilenumbruche', 12)], [word('(Zeilenumbrüche', 8)]))).toEqual(['Zeilenumbrüche'])
  expect(texts(merged([word('l’operation', 0)], [word("l'opération", 0)]))).toEqual(['l’opération'])
})
