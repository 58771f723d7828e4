import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blacken, toRgba } from './pixels.ts'

test('every pixel that an area touches is black, every other one is as it was', () => {
  const quarter = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min: min * 4, max: max * 4 }).map((n) => n / 4)
  fc.assert(
    fc.property(quarter(-30, 60), quarter(-30, 60), quarter(-30, 60), quarter(-30, 60), fc.constantFrom(0.5, 1, 2), (x, y, w, h, scale) => {
      fc.pre(w !== 0 && h !== 0)
      const data = new Uint8Array(40 * 30 * 4).fill(200)
      const frame = { width: 40, height: 30, words: new Uint32Array(data.buffer), lowest: 'red' as const, origin: { x: -5, y: 3 }, scale }
      blacken(frame, { x, y, w, h })
      for (let row = 0; row < 30; row++) {
        for (let column = 0; column < 40; column++) {
          const [px, py, size] = [frame.origin.x + column / scale, frame.origin.y + row / scale, 1 / scale]
          const touched =
            px < Math.max(x, x + w) && px + size > Math.min(x, x + w) && py < Math.max(y, y + h) && py + size > Math.min(y, y + h)
          const pixel = [...data.subarray((row * 40 + column) * 4, (row * 40 + column) * 4 + 4)]
          expect(pixel).toEqual(touched ? [0, 0, 0, 255] : [200, 200, 200, 200])
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('an area that cannot be placed takes the whole picture', () => {
  const data = new Uint8Array(32).fill(9)
  const words = new Uint32Array(data.buffer)
  blacken({ width: 4, height: 2, words, lowest: 'blue', origin: { x: 0, y: 0 }, scale: 1 }, { x: Number.NaN, y: 0, w: 1, h: 1 })
  expect([...data]).toEqual(Array.from({ length: 8 }, () => [0, 0, 0, 255]).flat())
})

test('red, green and blue come in this order and opaque, whichever of them was the lowest byte', () => {
  const bytes = (lowest: 'red' | 'blue'): number[] => [
    ...toRgba({ width: 2, height: 1, words: Uint32Array.of(0x00112233, 0xff445566), lowest }),
  ]
  expect(bytes('red')).toEqual([0x33, 0x22, 0x11, 255, 0x66, 0x55, 0x44, 255])
  expect(bytes('blue')).toEqual([0x11, 0x22, 0x33, 255, 0x44, 0x55, 0x66, 255])
})
