import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { deflateFlat, shareUnlike } from './flat.ts'
import { deflateNoisy } from './noisy.ts'
import type { Words } from './pixels.ts'
import { encodePng } from './png.ts'

/** The colours that another library reads from it, as red, green and blue. */
const read = async (png: Uint8Array): Promise<Buffer> => sharp(png).removeAlpha().raw().toBuffer()

function colours({ words, lowest }: Words): Buffer {
  const bytes = Buffer.alloc(3 * words.length)
  for (const [i, word] of words.entries()) {
    const [low, middle, high] = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff]
    bytes.set(lowest === 'red' ? [low, middle, high] : [high, middle, low], 3 * i)
  }
  return bytes
}

/** In both ways, whichever one the encoder would choose. */
async function keepsEveryPixel(picture: Words): Promise<void> {
  const wanted = colours(picture)
  expect((await read(await encodePng(picture))).equals(wanted)).toBe(true)
  const stride = 3 * picture.width
  const [flat, noisy] = [inflateSync(await deflateFlat(picture)), inflateSync(await deflateNoisy(picture, shareUnlike(picture)))]
  for (let y = 0; y < picture.height; y++) {
    const row = wanted.subarray(y * stride, (y + 1) * stride)
    const [at, end] = [y * (stride + 1), (y + 1) * (stride + 1)]
    expect(flat[at]).toBe(0)
    expect(flat.subarray(at + 1, end).equals(row)).toBe(true)
    const above = y === 0 ? Buffer.alloc(stride) : wanted.subarray((y - 1) * stride, y * stride)
    expect(noisy[at]).toBe(y === 0 ? 0 : 2)
    expect(noisy.subarray(at + 1, end).equals(row.map((byte, i) => byte - above[i]!))).toBe(true)
  }
}

const lowest = fc.constantFrom('red' as const, 'blue' as const)

test('a picture of any size and of anything keeps every pixel', async () => {
  const size = fc.integer({ min: 1, max: 40 })
  const words = fc.oneof(
    fc.constant([0xff000000]),
    fc.array(fc.constantFrom(0xff000000, 0x00000000, 0xffffffff, 0x12345678), { minLength: 1, maxLength: 200 }),
    fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: 1, maxLength: 200 }),
  )
  await fc.assert(
    fc.asyncProperty(size, size, lowest, words, async (width, height, order, some) => {
      const picture = new Uint32Array(width * height).map((_, i) => some[i % some.length] ?? 0)
      await keepsEveryPixel({ width, height, words: picture, lowest: order })
    }),
    { numRuns: 200 },
  )
})

test('runs of any length, along rows and down columns, keep every pixel', async () => {
  const run = fc.record({ colour: fc.integer({ min: 0, max: 5 }), length: fc.integer({ min: 1, max: 2000 }), again: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 700 }),
      lowest,
      fc.array(run, { minLength: 1, maxLength: 60 }),
      async (width, order, runs) => {
        const height = 40
        const words = new Uint32Array(width * height)
        let at = 0
        for (const { colour, length, again } of runs) {
          const end = Math.min(words.length, at + length)
          for (; at < end; at++) words[at] = again && at >= width ? words[at - width]! : colour * 0x332211
        }
        await keepsEveryPixel({ width, height, words, lowest: order })
      },
    ),
    { numRuns: 60 },
  )
})

test('a flat screen is small, noise is hardly larger than itself, and what is too wide to look up in the row above is right', async () => {
  const flat: Words = { width: 1920, height: 1080, words: new Uint32Array(1920 * 1080).fill(0x336699), lowest: 'blue' }
  expect((await encodePng(flat)).length).toBeLessThan(50_000)
  expect(shareUnlike(flat)).toBe(0)
  let seed = 1
  const noise = new Uint32Array(500 * 400).map(() => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0))
  expect(shareUnlike({ width: 500, height: 400, words: noise, lowest: 'red' })).toBeGreaterThan(0.9)
  expect((await encodePng({ width: 500, height: 400, words: noise, lowest: 'red' })).length).toBeLessThan(500 * 400 * 3.1)
  await keepsEveryPixel({ width: 500, height: 400, words: noise, lowest: 'red' })
  await keepsEveryPixel({ width: 20_000, height: 10, words: noise, lowest: 'blue' })
  await keepsEveryPixel({ width: 20_000, height: 3, words: new Uint32Array(60_000).fill(7), lowest: 'blue' })
})

test('frequencies as uneven as can be still make a code', async () => {
  // Each colour occurs as often as the two before it together.
  const words: number[] = []
  for (let [a, b, grey] = [1, 1, 0]; words.length < 60_000; [a, b, grey] = [b, a + b, grey + 1])
    for (let i = 0; i < a; i++) words.push(grey * 0x010101, 0x800000 + words.length)
  const width = 300
  const height = Math.floor(words.length / width)
  await keepsEveryPixel({ width, height, words: Uint32Array.from(words.slice(0, width * height)), lowest: 'red' })
})
