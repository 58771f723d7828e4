import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Received } from './received.ts'

test('however a client cuts what it sends and however much of it is read at a time, the same bytes come out in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.uint8Array({ maxLength: 700 }), fc.nat(900))), (steps) => {
      const received = new Received()
      const [sent, read]: [number[], number[]] = [[], []]
      for (const [more, most] of steps) {
        received.add(Buffer.from(more))
        sent.push(...more)
        const taken = received.bytes.subarray(0, most)
        read.push(...taken)
        received.drop(taken.length)
      }
      expect([...read, ...received.bytes]).toEqual(sent)
      expect(received.length).toBe(sent.length - read.length)
    }),
  )
})

test('a message that comes byte by byte is moved a few times, and not once for each byte', () => {
  const received = new Received()
  const rooms = new Set<ArrayBufferLike>()
  for (let i = 0; i < 100_000; i++) {
    received.add(Buffer.from([i & 0xff]))
    rooms.add(received.bytes.buffer)
  }
  expect(rooms.size).toBeLessThan(20)
  received.drop(100_000)
  expect(received.bytes.buffer.byteLength).toBeLessThan(1_000)
})
