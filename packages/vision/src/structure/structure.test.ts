import { expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import type { Line } from '../ocr/text.ts'
import { structureOf } from './structure.ts'

type Colour = readonly [number, number, number]

/** A grey window on which a test draws. */
function paper(
  width: number,
  height: number,
): Picture & { fill(rect: Rect, colour: Colour): void; frame(rect: Rect, paint: Colour): void } {
  const data = new Uint8Array(width * height * 4).fill(255)
  const fill = ({ x, y, w, h }: Rect, [r, g, b]: Colour): void => {
    for (let row = y; row < y + h; row++)
      for (let column = x; column < x + w; column++) data.set([r, g, b, 255], (row * width + column) * 4)
  }
  fill({ x: 0, y: 0, w: width, h: height }, GREY)
  const frame = (rect: Rect, paint: Colour): void => {
    fill(rect, [120, 120, 120])
    fill({ x: rect.x + 1, y: rect.y + 1, w: rect.w - 2, h: rect.h - 2 }, paint)
  }
  return { width, height, data, fill, frame }
}

const GREY: Colour = [217, 217, 217]
const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]

/** Draws a text as strokes with gaps, as letters have, and tells what it says. */
function text(on: ReturnType<typeof paper>, words: string, x: number, y: number): Line {
  const rect = { x, y, w: words.length * 7, h: 10 }
  for (let i = 0; i < words.length; i++) if (words[i] !== ' ') on.fill({ x: x + i * 7, y, w: 2, h: 10 }, BLACK)
  return { text: words, rect, confidence: 1, words: [{ text: words, rect, confidence: 1 }], engine: 'ppocr' }
}

test('a border with text in its middle is a button, an empty one beside a text a field of that name', async () => {
  const on = paper(400, 200)
  on.frame({ x: 120, y: 20, w: 200, h: 24 }, WHITE)
  on.frame({ x: 120, y: 100, w: 90, h: 28 }, GREY)
  const lines = [text(on, 'Name:', 30, 27), text(on, 'Save', 151, 109)]
  const parts = await structureOf(on, async () => lines)
  expect(parts).toMatchObject([
    { role: 'label', name: 'Name:' },
    { role: 'textbox', name: 'Name', value: '', rect: { x: 120, y: 20, w: 200, h: 24 } },
    { role: 'button', name: 'Save', rect: { x: 120, y: 100, w: 90, h: 28 } },
  ])
})

test('a small square before a text is a check box, and checked where something is drawn in it', async () => {
  const on = paper(300, 120)
  on.frame({ x: 20, y: 20, w: 13, h: 13 }, WHITE)
  on.frame({ x: 20, y: 60, w: 13, h: 13 }, WHITE)
  on.fill({ x: 24, y: 65, w: 5, h: 3 }, BLACK)
  const lines = [text(on, 'Sound', 40, 21), text(on, 'Light', 40, 61)]
  const seen: Picture[] = []
  const parts = await structureOf(on, async (picture) => {
    seen.push(picture)
    return lines
  })
  expect(parts).toMatchObject([
    { role: 'checkbox', name: 'Sound', checked: false },
    { role: 'checkbox', name: 'Light', checked: true },
  ])
  // The reader of text does not get the squares, which it would take for letters.
  expect([...(seen[0]?.data.subarray((26 * 300 + 26) * 4, (26 * 300 + 26) * 4 + 3) ?? [])]).toEqual([...GREY])
})

test('texts in columns are a table of rows and cells, in reading order', async () => {
  const on = paper(400, 200)
  const rows = [
    ['Apple', '1.20'],
    ['Pear', '2.30'],
    ['Plum', '3.40'],
  ]
  const lines = rows.flatMap(([name = '', price = ''], i) => [text(on, price, 200, 30 + i * 24), text(on, name, 40, 30 + i * 24)])
  const [table, ...others] = await structureOf(on, async () => lines)
  expect(others).toEqual([])
  expect(table?.role).toBe('table')
  expect(table?.children.map((row) => row.children.map((cell) => cell.name))).toEqual(rows)
})

test('the lines of a sheet make its texts a table, and its empty cells no fields', async () => {
  const on = paper(500, 200)
  for (let row = 0; row < 5; row++)
    for (let column = 0; column < 5; column++) on.frame({ x: 20 + column * 80, y: 20 + row * 20, w: 81, h: 21 }, WHITE)
  const rows = ['Apple', 'Pear', 'Plum'].map((name, i) => [text(on, name, 26, 25 + i * 20), text(on, '12', 110, 25 + i * 20)])
  const [sheet, ...others] = await structureOf(on, async () => rows.flat())
  expect(others).toEqual([])
  expect(sheet?.children.map(({ role }) => role)).toEqual(['table'])
  const cells = sheet?.children[0]?.children.map((row) => row.children.map(({ role, name }) => `${role} ${name}`))
  expect(cells).toEqual(['Apple', 'Pear', 'Plum'].map((name) => [`cell ${name}`, 'cell 12']))
})
