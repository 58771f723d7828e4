import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import { changesBetween, type Changes, type Grid } from './changes.ts'

const [W, H] = [160, 200]

/** Some pixels, each unlike its neighbours. */
function noise(seed: number): Uint32Array {
  let at = seed
  return Uint32Array.from({ length: W * H }, () => (at = Math.imul(at, 1_664_525) + 1_013_904_223) & 0xffffff)
}
const grid = (pixels: Uint32Array): Grid => ({ pixels, from: 0, stride: W })
const between = (was: Uint32Array, is: Uint32Array): Changes => changesBetween(grid(was), grid(is), W, H)

function fill(pixels: Uint32Array, { x, y, w, h }: Rect, colour: (at: number) => number): void {
  for (let row = y; row < y + h; row++) for (let at = row * W + x; at < row * W + x + w; at++) pixels[at] = colour(at)
}

/** The new picture as a viewer of the old one has it who is told of the changes; and how many pixels it was sent. */
function followed(was: Uint32Array, is: Uint32Array, { moves, areas }: Changes): { seen: Uint32Array; sent: number } {
  const seen = was.slice()
  for (const { to, fromY } of moves) {
    const source = seen.slice()
    fill(seen, to, (at) => source[at + (fromY - to.y) * W] ?? 0)
  }
  for (const area of areas) fill(seen, area, (at) => is[at] ?? 0)
  return { seen, sent: areas.reduce((sum, { w, h }) => sum + w * h, 0) }
}

const part = fc
  .record({ x: fc.nat({ max: W - 2 }), y: fc.nat({ max: H - 2 }), w: fc.integer({ min: 1, max: W }), h: fc.integer({ min: 1, max: H }) })
  .map((r) => ({ ...r, w: Math.min(r.w, W - r.x), h: Math.min(r.h, H - r.y) }))

test('a viewer that is told of the changes has the new picture, whatever moved and whatever was drawn over it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -H, max: H }), fc.array(part, { maxLength: 4 }), (seed, by, drawn) => {
      const was = noise(seed)
      const is = was.slice()
      fill(is, { x: 8, y: 10, w: W - 20, h: H - 30 }, (at) => was[at - by * W] ?? 0)
      drawn.forEach((area, i) => fill(is, area, () => i))
      expect(followed(was, is, between(was, is)).seen.every((colour, at) => colour === is[at])).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test.each([14, -14])('of a page that moved by %i rows only what came into sight is sent', (by) => {
  const was = noise(1)
  const is = was.slice()
  const page = { x: 10, y: 20, w: 140, h: 160 }
  const [inner, fresh] = by > 0 ? [34, 20] : [20, 166]
  fill(is, { ...page, y: inner, h: 146 }, (at) => was[at - by * W] ?? 0)
  fill(is, { ...page, y: fresh, h: 14 }, () => 7)
  const changes = between(was, is)
  expect(changes.moves).toEqual([{ to: { ...page, y: inner, h: 146 }, fromY: inner - by }])
  expect(followed(was, is, changes)).toEqual({ seen: is, sent: 140 * 14 })
})

test('what is black in one of the two pictures is taken from nowhere: the rows that it crosses are sent as they look', () => {
  const was = noise(2)
  const is = was.slice()
  fill(is, { x: 0, y: 0, w: W, h: H - 10 }, (at) => was[at + 10 * W] ?? 0)
  const hidden = { x: 40, y: 90, w: 50, h: 12 }
  fill(is, hidden, () => 0)
  const { moves, areas } = between(was, is)
  expect(moves.length).toBe(2)
  for (const { to } of moves) expect(to.y >= hidden.y + hidden.h || to.y + to.h <= hidden.y).toBe(true)
  expect(areas).toContainEqual({ x: 0, y: 90, w: W, h: 12 })
})

test('a picture like the one before is no change, and of a small one no move is looked for', () => {
  const was = noise(3)
  expect(between(was, was.slice())).toEqual({ moves: [], areas: [] })
  const is = was.slice()
  fill(is, { x: 0, y: 0, w: 60, h: 60 }, (at) => was[at + 5 * W] ?? 0)
  expect(between(was, is)).toEqual({ moves: [], areas: [{ x: 0, y: 0, w: 60, h: 60 }] })
})
