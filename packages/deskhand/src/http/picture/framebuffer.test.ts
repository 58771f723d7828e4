import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import { Damage } from './framebuffer.ts'

const SCREEN = { x: 0, y: 0, w: 40, h: 30 }
const rect = fc
  .record({ x: fc.nat({ max: 39 }), y: fc.nat({ max: 29 }), w: fc.integer({ min: 1, max: 40 }), h: fc.integer({ min: 1, max: 30 }) })
  .map((r) => ({ ...r, w: Math.min(r.w, SCREEN.w - r.x), h: Math.min(r.h, SCREEN.h - r.y) }))

function* pixelsOf({ x, y, w, h }: Rect): Generator<string> {
  for (let row = y; row < y + h; row++) for (let at = x; at < x + w; at++) yield `${at},${row}`
}
const size = (areas: readonly Rect[]): number => areas.reduce((sum, { w, h }) => sum + w * h, 0)

test('whatever is taken at a time, all that was damaged is taken in the end, and nothing more than was asked for but one row', () => {
  fc.assert(
    fc.property(fc.array(rect, { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 1_500 }), fc.nat(), (areas, most, turn) => {
      const damage = new Damage()
      for (const area of areas) damage.add(area)
      const seen = new Set<string>()
      for (let i = 0; !damage.isEmpty; i++) {
        expect(i).toBeLessThan(5_000)
        const taken = damage.take(SCREEN, most, turn + i)
        expect(taken.length).toBeGreaterThan(0)
        expect(size(taken)).toBeLessThanOrEqual(Math.max(most, SCREEN.w))
        for (const area of taken) for (const pixel of pixelsOf(area)) seen.add(pixel)
      }
      for (const area of areas) for (const pixel of pixelsOf(area)) expect(seen.has(pixel)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('small areas come before a large one, and of one that changes without end every row comes in its turn', () => {
  const damage = new Damage()
  const seen = new Set<string>()
  for (let turn = 0; turn < 3; turn++) {
    damage.add({ ...SCREEN, h: 24 })
    damage.add({ x: 0, y: 26, w: 4, h: 2 })
    const [first, ...more] = damage.take(SCREEN, 320, turn)
    expect(first).toEqual({ x: 0, y: 26, w: 4, h: 2 })
    expect(more).toEqual([])
    for (const area of damage.take(SCREEN, 320, turn)) for (const pixel of pixelsOf(area)) seen.add(pixel)
  }
  expect(seen.size).toBe(40 * 24)
})
