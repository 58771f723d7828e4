import { expect, test } from 'vitest'
import { glyphOf } from './font.ts'
import { rasterise } from './raster.ts'

const code = (char: string): number => char.codePointAt(0) ?? 0
const ink = (char: string, size: number): number =>
  rasterise(glyphOf(code(char)).path, size, 0).coverage.reduce((sum, c) => sum + c, 0) / 255

test('letters are as wide as letters are, and Chinese characters fill their square', () => {
  expect(glyphOf(code('i')).advance).toBeLessThan(glyphOf(code('W')).advance)
  expect(glyphOf(code('漢')).advance).toBe(1)
  expect(glyphOf(code('ü')).advance).toBeCloseTo(glyphOf(code('u')).advance, 2)
})

test('a glyph at twice the size has four times the ink, wherever it starts', () => {
  for (const char of 'aÜ漢あЖ8한😀') {
    expect(ink(char, 64) / ink(char, 32)).toBeCloseTo(4, 1)
    const shifted = rasterise(glyphOf(code(char)).path, 32, 0.5).coverage.reduce((sum, c) => sum + c, 0) / 255
    expect(shifted / ink(char, 32)).toBeCloseTo(1, 1)
  }
})

test('strokes are regular, not the thin ones that the font file starts from', () => {
  const { width, coverage } = rasterise(glyphOf(code('l')).path, 100, 0)
  const row = coverage.subarray(Math.floor(coverage.length / width / 2) * width).subarray(0, width)
  expect(row.reduce((sum, c) => sum + c, 0) / 255).toBeGreaterThan(7)
})

test('what no font has is a box, and what cannot be seen has no width', () => {
  expect(glyphOf(0x1_3000)).toBe(glyphOf(0x1_3001))
  expect(rasterise(glyphOf(code(' ')).path, 32, 0).width).toBe(0)
  expect(glyphOf(0x200b).advance).toBe(0)
  expect(glyphOf(code('\t')).advance).toBe(1)
  expect(glyphOf(0xd800).advance).toBe(1)
})
