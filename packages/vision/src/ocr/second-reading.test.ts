import { expect, test } from 'vitest'
import type { Glyph } from './recognize.ts'
import { joined, lostKey, withKey, withLatin } from './second-reading.ts'

const glyphs = (text: string, confidence = 0.9, from = 0): Glyph[] =>
  [...text].map((char, i) => ({ text: char, x: (from + i) * 14, confidence }))
const said = (read: readonly Glyph[]): string => read.map((g) => g.text).join('')

test('letters and digits of which the first model is certain take the place of syllables that look like them', () => {
  expect(said(withLatin(glyphs('(N)', 0.95, 3), glyphs('아니요씨'), 20))).toBe('아니요(N)')
  expect(said(withLatin(glyphs('GTK+', 0.9), glyphs('GK롭션표시'), 20))).toBe('GTK+표시')
})

test('a single letter or one that is not certain is not believed among syllables', () => {
  expect(said(withLatin(glyphs('l', 0.99), glyphs('이름'), 20))).toBe('이름')
  expect(said(withLatin(glyphs('OL', 0.5), glyphs('이름'), 20))).toBe('이름')
})

test('syllables are those of the engine that knows more of them, where it is certain', () => {
  expect(said(joined(glyphs('새플더의이럼', 0.8), glyphs('새폴더의이름', 0.99)))).toBe('새폴더의이름')
  expect(said(joined(glyphs('출력', 0.78), glyphs('훌력', 0.91)))).toBe('출력')
})

test('of kana and Han characters the more certain reading counts', () => {
  expect(said(joined(glyphs('印刷ジョプ', 0.95), glyphs('印刷ジョブ', 0.98)))).toBe('印刷ジョブ')
  expect(said(joined(glyphs('打ち消し線', 1), glyphs('打ち消し録', 0.84)))).toBe('打ち消し線')
})

test('a stroke between syllables that only one engine sees is dropped, a sign at the end is added', () => {
  expect(said(joined(glyphs('暗い1色'), [...glyphs('暗い', 0.9), ...glyphs('色', 0.9, 3)]))).toBe('暗い色')
  expect(said(joined(glyphs('옵션'), glyphs('옵션:')))).toBe('옵션:')
})

test('a second reading that is much longer is not of this line', () => {
  expect(said(joined(glyphs('확인', 0.7), glyphs('ㅡ환이ㅡ', 0.99)))).toBe('확인')
})

test('an access key that both lost is where the second one saw a parenthesis', () => {
  const [read, second] = [glyphs('저장[이'), glyphs('저장(4)')]
  expect(lostKey(read, second)).toBe(28)
  expect(said(withKey(read, 24, glyphs('(U)', 0.9, 2)))).toBe('저장(U)')
  expect(said(withKey(read, 24, glyphs('l4', 0.9, 2)))).toBe('저장[이')
  expect(lostKey(glyphs('저장(U)'), second)).toBeUndefined()
})
