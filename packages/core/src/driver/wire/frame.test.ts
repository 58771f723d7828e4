import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeskhandError } from '../../errors.ts'
import { encodeFrame, FrameReader, type Message } from './frame.ts'

const LIMIT = 2 ** 20

test('any message with any binaries in it survives any split into chunks', () => {
  const leaf = fc.oneof(
    fc.uint8Array(),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const name = fc.oneof(fc.string(), fc.constantFrom('toJSON', '__proto__', 'attached', 'constructor'))
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('any')), fc.dictionary(name, tie('any'))),
  })).any
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.array(fc.record({ params: value }), { minLength: 1, maxLength: 4 }), cuts, (messages, sizes) => {
      const bytes = Buffer.concat(messages.flatMap((m) => encodeFrame(m).parts))
      expect(readAll(split(bytes, sizes))).toEqual(messages.map(throughJson))
    }),
  )
})

test('random bytes end in PROTOCOL or wait for more, and never in another error', () => {
  const noise = fc.oneof(fc.uint8Array({ maxLength: 200 }), frameLike())
  fc.assert(
    fc.property(noise, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (bytes, sizes) => {
      try {
        readAll(split(bytes, sizes))
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DeskhandError)
        expect((thrown as DeskhandError).code).toBe('PROTOCOL')
      }
    }),
    { numRuns: 1000 },
  )
})

test('a frame over the limit is refused by its head alone', () => {
  const reader = new FrameReader(100)
  reader.push(Uint8Array.of(101, 0, 0, 0, 2, 0, 0, 0))
  expect(() => reader.next()).toThrow('over the limit of 100')
})

test.each([
  ['a path to a prototype', { a: null }, [{ at: ['__proto__', 'x'], size: 1 }]],
  ['a path to a method', { a: null }, [{ at: ['toString'], size: 1 }]],
  ['a place that holds something', { a: 'text' }, [{ at: ['a'], size: 1 }]],
  [
    'a place that is filled twice',
    { a: null },
    [
      { at: ['a'], size: 0 },
      { at: ['a'], size: 1 },
    ],
  ],
  ['the message itself', { a: null }, [{ at: [], size: 1 }]],
  ['more bytes than there are', { a: null }, [{ at: ['a'], size: 2 }]],
  ['fewer bytes than there are', { a: null }, [{ at: ['a'], size: 0 }]],
  ['a negative size', { a: null }, [{ at: ['a'], size: -1 }]],
  ['no list', { a: null }, 'a'],
])('a binary for %s is malformed', (_, body, attached) => {
  expect(() => readAll([frame(JSON.stringify({ ...body, attached }), 1)])).toThrow(DeskhandError)
  expect(Object.prototype).not.toHaveProperty('x')
})

test('text that is not UTF-8 is malformed', () => {
  expect(() => readAll([Buffer.from([4, 0, 0, 0, 4, 0, 0, 0, 0x22, 0xc3, 0x28, 0x22])])).toThrow('not UTF-8')
})

function readAll(chunks: Uint8Array[]): Message[] {
  const reader = new FrameReader(LIMIT)
  const messages: Message[] = []
  for (const chunk of chunks) {
    reader.push(chunk)
    for (let m = reader.next(); m; m = reader.next()) messages.push(m)
  }
  return messages
}

function split(bytes: Uint8Array, sizes: number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}

function frame(json: string, extra: number): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(Buffer.byteLength(json) + extra, 0)
  head.writeUInt32LE(Buffer.byteLength(json), 4)
  return Buffer.concat([head, Buffer.from(json), Buffer.alloc(extra)])
}

/** Noise behind a head that fits it, so that it gets further than the first check. */
const frameLike = (): fc.Arbitrary<Uint8Array> =>
  fc.tuple(fc.oneof(fc.json(), fc.string()), fc.integer({ min: 0, max: 5 })).map(([json, extra]) => new Uint8Array(frame(json, extra)))

/** What JSON makes of a value (-0 becomes 0), with its binaries untouched. */
function throughJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(throughJson)
  if (typeof value !== 'object' || value === null) return JSON.parse(JSON.stringify(value))
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, throughJson(v)]))
}
