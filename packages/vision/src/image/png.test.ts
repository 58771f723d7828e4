import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodePng } from './png.ts'

const chunk = (type: string, data: Uint8Array): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data, Buffer.alloc(4)])
}

/** A PNG of these rows, each with the number of its filter first. */
function png(width: number, height: number, depth: number, type: number, rows: number[], more: Buffer[] = [], interlaced = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([depth, type, 0, 0, interlaced], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', deflateSync(Uint8Array.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const pixels = (bytes: Buffer): number[][] => {
  const { data } = decodePng(bytes)
  return Array.from({ length: data.length / 4 }, (_, i) => [...data.subarray(4 * i, 4 * i + 4)])
}

test('every colour type and depth becomes the same four bytes', () => {
  expect(pixels(png(2, 1, 8, 2, [0, 1, 2, 3, 4, 5, 6]))).toEqual([
    [1, 2, 3, 255],
    [4, 5, 6, 255],
  ])
  expect(pixels(png(1, 1, 8, 6, [0, 1, 2, 3, 9]))).toEqual([[1, 2, 3, 9]])
  expect(pixels(png(1, 1, 16, 2, [0, 1, 99, 2, 99, 3, 99]))).toEqual([[1, 2, 3, 255]])
  expect(pixels(png(4, 1, 1, 0, [0, 0b0110_0000]))).toEqual([
    [0, 0, 0, 255],
    [255, 255, 255, 255],
    [255, 255, 255, 255],
    [0, 0, 0, 255],
  ])
  expect(pixels(png(1, 1, 8, 4, [0, 7, 128]))).toEqual([[7, 7, 7, 128]])
  const palette = [chunk('PLTE', Uint8Array.of(1, 1, 1, 9, 8, 7)), chunk('tRNS', Uint8Array.of(255, 0))]
  expect(pixels(png(2, 1, 2, 3, [0, 0b0001_0000], palette))).toEqual([
    [1, 1, 1, 255],
    [9, 8, 7, 0],
  ])
})

test('every filter is undone, and a colour can stand for transparent', () => {
  const rows = [1, 10, 5, 2, 1, 1, 3, 2, 2, 4, 1, 1]
  expect(pixels(png(2, 4, 8, 0, rows)).map(([v]) => v)).toEqual([10, 15, 11, 16, 7, 13, 8, 14])
  expect(pixels(png(2, 1, 8, 0, [0, 3, 4], [chunk('tRNS', Uint8Array.of(0, 3))])).map((p) => p[3])).toEqual([0, 255])
})

test('an interlaced picture is put in order', () => {
  // 2x2: the first pixel, the second of the first row, then the second row.
  expect(pixels(png(2, 2, 8, 0, [0, 1, 0, 2, 0, 3, 4], [], 1)).map(([v]) => v)).toEqual([1, 2, 3, 4])
})

test('what is no PNG is refused in words, and a small file cannot claim a huge picture', () => {
  expect(() => decodePng(Buffer.from('<svg/>'))).toThrow(/no readable PNG/)
  expect(() => decodePng(png(2, 2, 8, 2, [0, 1]))).toThrow(/no readable PNG/)
  expect(() => decodePng(png(60_000, 60_000, 8, 2, [0]))).toThrow(/60000x60000/)
  expect(() => decodePng(png(1, 1, 8, 2, [9, 1, 2, 3]))).toThrow(/unknown way/)
  expect(() => decodePng(png(1, 1, 8, 2, [0, 1, 2, 3]).subarray(0, 40))).toThrow(/no readable PNG/)
})
