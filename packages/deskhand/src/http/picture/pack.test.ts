import { constants, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packed, stored } from './pack.ts'

/** As a client reads it: a stream that is not ended. */
const unpacked = (bytes: Buffer): Buffer => inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })

test('whatever is packed, alone or beside others, is read again from a stream of its own', async () => {
  const data = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 2_000 }),
    fc.record({ byte: fc.nat(255), size: fc.integer({ min: 1, max: 400_000 }) }).map(({ byte, size }) => new Uint8Array(size).fill(byte)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 6 }), async (all) => {
      const given = all.map((bytes) => Buffer.from(bytes))
      const read = (await Promise.all(given.map(packed))).map(unpacked)
      expect(read.map((bytes, i) => bytes.equals(given[i]!))).toEqual(given.map(() => true))
      for (const bytes of given) if (bytes.length < 65_536) expect(unpacked(stored(bytes)).equals(bytes)).toBe(true)
    }),
  )
})

test('a picture that cannot be made smaller is packed whole', async () => {
  const noise = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 2_654_435_761) >>> 24))
  expect(unpacked(await packed(noise)).equals(noise)).toBe(true)
})
