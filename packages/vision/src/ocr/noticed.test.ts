import { expect, test } from 'vitest'
import type { Picture } from '../image/picture.ts'
import { Noticed } from './noticed.ts'

const SIZE = { width: 640, height: 400 }

function blank(): Picture {
  return { ...SIZE, data: new Uint8Array(SIZE.width * SIZE.height * 4).fill(255) }
}

/** A picture with black bars at these places. */
function bars(...places: readonly (readonly [x: number, y: number])[]): Picture {
  const picture = blank()
  for (const [x, y] of places)
    for (let row = y; row < y + 12; row++) picture.data.fill(0, (row * SIZE.width + x) * 4, (row * SIZE.width + x + 80) * 4)
  return picture
}

/** Takes each run of black in a column for a line; remembers how large the pictures were that it looked at. */
function detector() {
  const looked: string[] = []
  const detect = async ({ width, height, data }: Picture) => {
    looked.push(`${width}x${height}`)
    const isBlack = (x: number, y: number): boolean => x >= 0 && y >= 0 && data[(y * width + x) * 4] === 0
    const found = []
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) if (isBlack(x, y) && !isBlack(x - 1, y) && !isBlack(x, y - 1)) found.push({ x, y, w: 80, h: 12 })
    return found
  }
  return { detect, looked }
}

test('a picture that stayed is not looked at again', async () => {
  const { detect, looked } = detector()
  const noticed = new Noticed()
  const first = await noticed.in(bars([40, 50]), detect)
  expect(await noticed.in(bars([40, 50]), detect)).toEqual(first)
  expect(looked).toEqual(['640x400'])
})

test('only what changed is looked at again, and lines that it touches are not doubled', async () => {
  const { detect, looked } = detector()
  const noticed = new Noticed()
  await noticed.in(bars([40, 50], [300, 300]), detect)
  const now = await noticed.in(bars([40, 50], [310, 300], [500, 60]), detect)
  expect(now.toSorted((a, b) => a.x - b.x)).toEqual([
    { x: 40, y: 50, w: 80, h: 12 },
    { x: 310, y: 300, w: 80, h: 12 },
    { x: 500, y: 60, w: 80, h: 12 },
  ])
  expect(looked[0]).toBe('640x400')
  expect(looked).toHaveLength(3)
  for (const size of looked.slice(1)) expect(Number(size.split('x')[0])).toBeLessThan(220)
})

test('where nearly everything changed, everything is looked at', async () => {
  const { detect, looked } = detector()
  const noticed = new Noticed()
  await noticed.in(blank(), detect)
  await noticed.in({ ...SIZE, data: new Uint8Array(SIZE.width * SIZE.height * 4).fill(9) }, detect)
  expect(looked).toEqual(['640x400', '640x400'])
})
