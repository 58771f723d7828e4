import { expect, test } from 'vitest'
import { exactPlaces } from './exact.ts'
import { cropped, type Picture } from './picture.ts'
import { resized } from './resize.ts'
import { similar } from './search.ts'

/** A light screen with shapes on it, each drawn by a function of its own pixels. */
function screen(width: number, height: number, ...shapes: [x: number, y: number, shape: Shape][]): Picture {
  const data = new Uint8Array(width * height * 4).fill(240)
  for (let i = 3; i < data.length; i += 4) data[i] = 255
  for (const [x, y, { size, ink }] of shapes)
    for (let row = 0; row < size; row++)
      for (let column = 0; column < size; column++) if (ink(column, row)) data.set([30, 60, 120], ((y + row) * width + x + column) * 4)
  return { width, height, data }
}

interface Shape {
  size: number
  ink(x: number, y: number): boolean
}
const DISC: Shape = { size: 20, ink: (x, y) => Math.hypot(x - 9.5, y - 9.5) < 9 }
const RIGHT: Shape = { size: 20, ink: (x, y) => Math.abs(y - 9.5) < x / 2 && x < 18 }
const LEFT: Shape = { size: 20, ink: (x, y) => Math.abs(y - 9.5) < (19 - x) / 2 && x > 1 }

/** Deterministic noise of up to so much on each channel. */
function noisy(picture: Picture, most: number): Picture {
  let seed = 7
  const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff
  return { ...picture, data: picture.data.map((v, i) => (i % 4 === 3 ? 255 : Math.min(255, Math.max(0, v + (2 * next() - 1) * most)))) }
}

const icon = (shape: Shape): Picture => cropped(screen(60, 60, [20, 20, shape]), 16, 16, 28, 28)
const find = (hay: Picture, needle: Picture, more = {}): { x: number; y: number }[] =>
  similar(hay, needle, { confidence: 0.9, limit: 10, ...more }).map(({ rect: { x, y } }) => ({ x, y }))

test('identical pixels are found, each place once, and nowhere else', () => {
  const hay = screen(300, 200, [20, 20, DISC], [150, 90, DISC], [220, 140, RIGHT])
  expect(exactPlaces(hay, icon(DISC), 10)).toEqual([
    { x: 16, y: 16 },
    { x: 146, y: 86 },
  ])
  expect(exactPlaces(hay, icon(LEFT), 10)).toEqual([])
  expect(exactPlaces(hay, screen(400, 10), 10)).toEqual([])
})

test('a place at the very edge is found, and a row is not continued on the next one', () => {
  const hay = screen(100, 80, [80, 60, DISC])
  expect(exactPlaces(hay, cropped(hay, 80, 60, 20, 20), 10)).toEqual([{ x: 80, y: 60 }])
  const seam = screen(40, 40, [30, 5, { size: 10, ink: (x) => x > 4 }], [0, 6, { size: 9, ink: (x) => x < 5 }])
  expect(exactPlaces(seam, cropped(screen(40, 40, [10, 5, { size: 20, ink: (x) => x > 4 && x < 15 }]), 12, 6, 16, 5), 10)).toEqual([])
})

test('what is transparent in the needle may be anything', () => {
  const needle = icon(DISC)
  for (let i = 0; i < needle.data.length; i += 4) if (needle.data[i] === 240) needle.data[i + 3] = 0
  const hay = screen(200, 100, [50, 40, DISC])
  for (let i = 0; i < hay.data.length; i += 4) if (hay.data[i] === 240) hay.data[i] = i % 200
  expect(exactPlaces(hay, needle, 10)).toEqual([{ x: 46, y: 36 }])
})

test('a noisy copy is found where it lies, and another shape on the same ground is not', () => {
  const hay = noisy(screen(300, 200, [20, 20, RIGHT], [221, 141, DISC]), 24)
  expect(find(hay, icon(DISC))).toEqual([{ x: 217, y: 137 }])
  expect(find(hay, icon(RIGHT))).toEqual([{ x: 16, y: 16 }])
  expect(find(hay, icon(LEFT))).toEqual([])
})

test('several places that look alike are all told', () => {
  expect(find(noisy(screen(300, 200, [20, 20, DISC], [201, 133, DISC]), 20), icon(DISC))).toHaveLength(2)
})

test('other sizes and other themes are found where they are asked for', () => {
  const large = screen(400, 300, [40, 40, { size: 40, ink: (x, y) => RIGHT.ink(x / 2, y / 2) }])
  expect(find(large, icon(RIGHT))).toEqual([])
  const [{ x, y } = { x: 0, y: 0 }] = find(large, icon(RIGHT), { scales: [1, 2], confidence: 0.8 })
  expect(Math.abs(x - 32) <= 2 && Math.abs(y - 32) <= 2).toBe(true)
  const plain = screen(300, 200, [150, 90, RIGHT])
  const dark = { ...plain, data: plain.data.map((v, i) => (i % 4 === 3 ? 255 : 255 - v)) }
  expect(find(dark, icon(RIGHT))).toEqual([])
  expect(find(dark, icon(RIGHT), { anyTheme: true })).toEqual([{ x: 146, y: 86 }])
})

test('a picture without anything on it is found by its pixels only', () => {
  expect(find(screen(200, 100, [50, 40, DISC]), screen(20, 20))).toEqual([])
})

test('a picture keeps its middle when its size changes', () => {
  const { width, height, data } = resized(screen(40, 20, [10, 0, { size: 20, ink: () => true }]), 0.5)
  expect([width, height]).toEqual([20, 10])
  expect([data[(5 * 20 + 10) * 4], data[5 * 20 * 4]]).toEqual([30, 240])
})
