import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodePng } from './png.ts'

test('a picture of any size keeps every pixel, wherever its bytes begin', async () => {
  const size = fc.integer({ min: 1, max: 9 })
  await fc.assert(
    fc.asyncProperty(
      size,
      size,
      fc.integer({ min: 0, max: 5 }),
      fc.uint8Array({ minLength: 400, maxLength: 400 }),
      async (width, height, skip, bytes) => {
        const data = bytes.subarray(skip, skip + width * height * 4)
        const png = Buffer.from(await encodePng({ width, height, data }))
        const at = png.indexOf('IDAT')
        const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++) {
            const from = 4 * (y * width + x)
            const to = y * (1 + 3 * width) + 1 + 3 * x
            expect([...rows.subarray(to, to + 3)]).toEqual([...data.subarray(from, from + 3)])
          }
      },
    ),
  )
})
