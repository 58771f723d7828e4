import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Writer } from './marshal.ts'
import { Framer, type Message, SIGNAL, encode } from './message.ts'
import { Malformed, splitSignature } from './signature.ts'
import { unmarshal } from './unmarshal.ts'

const text = fc.string({ unit: 'grapheme' }).filter((s) => !s.includes('\0'))
const objectPath = fc.array(fc.stringMatching(/^[A-Za-z0-9_]{1,8}$/), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`)

type Typed = { type: string; value: unknown }
const basic: fc.Arbitrary<Typed> = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((value) => ({ type: 'y', value })),
  fc.boolean().map((value) => ({ type: 'b', value })),
  fc.integer({ min: -0x8000, max: 0x7fff }).map((value) => ({ type: 'n', value })),
  fc.integer({ min: 0, max: 0xffff }).map((value) => ({ type: 'q', value })),
  fc.integer().map((value) => ({ type: 'i', value })),
  fc.integer({ min: 0, max: 0xffffffff }).map((value) => ({ type: 'u', value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ type: 'x', value })),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => ({ type: 't', value })),
  fc.double({ noNaN: true }).map((value) => ({ type: 'd', value })),
  text.map((value) => ({ type: 's', value })),
  objectPath.map((value) => ({ type: 'o', value })),
  fc.constantFrom('', 'su', 'a{sv}', '(so)').map((value) => ({ type: 'g', value })),
)
const { any } = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    basic,
    tie('any').map((inner) => ({ type: 'v', value: inner })),
    fc
      .array(tie('any'), { minLength: 1, maxLength: 4 })
      .map((fields) => ({ type: `(${fields.map((f) => f.type).join('')})`, value: fields.map((f) => f.value) })),
    fc
      .tuple(tie('any'), fc.nat(3))
      .map(([one, n]) =>
        one.type === 'y'
          ? { type: 'ay', value: new Uint8Array(n).fill(Number(one.value)) }
          : { type: `a${one.type}`, value: Array(n).fill(one.value) },
      ),
    fc.tuple(text, tie('any')).map(([key, inner]) => ({ type: `a{s${inner.type}}`, value: new Map([[key, inner.value]]) })),
  ),
}))
const typed = any.filter((t) => t.type.length < 200 && depth(t.type) < 20)

test('what is marshalled comes back as it was', () => {
  fc.assert(
    fc.property(fc.array(typed, { maxLength: 4 }), (items) => {
      const signature = items.map((i) => i.type).join('')
      if (signature.length > 255) return
      const w = new Writer()
      w.values(
        signature,
        items.map((i) => i.value),
      )
      expect(unmarshal(signature, w.bytes(), 0, w.at, true)).toEqual(items.map((i) => i.value))
    }),
  )
})

test('messages survive being cut anywhere', () => {
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (word, cuts) => {
      const message = encode(7, { type: SIGNAL, path: '/a/b', iface: 'x.Y', member: 'Z' }, 'su', [word, 5])
      const stream = Buffer.concat([message, message, message])
      const got: Message[] = []
      const framer = new Framer()
      for (let at = 0, i = 0; at < stream.length; i++) {
        const next = at + (cuts[i % cuts.length] ?? 1)
        framer.push(stream.subarray(at, next), (m) => got.push(m))
        at = next
      }
      expect(got.map((m) => [m.path, m.iface, m.member, m.read('su')])).toEqual(Array(3).fill(['/a/b', 'x.Y', 'Z', [word, 5]]))
    }),
  )
})

test('a message that is larger than is taken goes by: its head is told, and what follows is read', () => {
  const head = (member: string) => ({ type: SIGNAL, path: '/a', iface: 'x.Y', member })
  const small = (member: string): Buffer => encode(7, head(member), 's', ['small'])
  const large = encode(8, head('Large'), 's', ['x'.repeat(3 << 20)])
  const stream = Buffer.concat([small('One'), large, small('Two'), large, small('Three')])
  for (const step of [stream.length, 1 << 16, 4093]) {
    const got: string[] = []
    const framer = new Framer((m) => (m.member === 'Large' ? 2 << 20 : Infinity))
    for (let at = 0; at < stream.length; at += step)
      framer.push(stream.subarray(at, at + step), (m) => got.push(`${m.member}${m.isTooLarge ? ' unread' : ` ${m.read('s')?.[0]}`}`))
    expect(got).toEqual(['One small', 'Large unread', 'Two small', 'Large unread', 'Three small'])
  }
})

test('bytes that are no message are refused, never read beyond their end', () => {
  const good = encode(7, { type: SIGNAL, path: '/a', iface: 'x.Y', member: 'Z' }, 'a{sv}as(iu)', [
    new Map([['k', { type: 'as', value: ['v'] }]]),
    ['one', 'two'],
    [1, 2],
  ])
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 }),
      (changes) => {
        const bad = Buffer.from(good)
        for (const [at, byte] of changes) bad[at] = byte
        try {
          new Framer().push(bad, (m) => m.values())
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed)
        }
      },
    ),
    { numRuns: 2000 },
  )
})

test('a big-endian message is read too', () => {
  const body = Buffer.from([0, 0, 0, 2, 0x68, 0x69, 0, 0, 0, 0, 0, 5])
  expect(unmarshal('su', body, 0, body.length, false)).toEqual(['hi', 5])
})

test('signatures that would loop or nest without end are refused', () => {
  for (const bad of ['()', 'a()', 'a', '(', '(s', 'a{vs}', 'a{s}', '{ss}', 'z', 'a'.repeat(40) + 's', '('.repeat(40)]) {
    expect(() => splitSignature(bad), bad).toThrow(Malformed)
  }
})

test('values that do not fit their type are refused before they are sent', () => {
  const refuse = (type: string, value: unknown) => expect(() => new Writer().value(type, value)).toThrow(Malformed)
  refuse('s', 'a\0b')
  refuse('o', 'not/a/path')
  refuse('u', -1)
  refuse('i', 1.5)
  refuse('v', 'bare')
  refuse('as', 'bare')
})

function depth(type: string): number {
  let deepest = 0
  let now = 0
  for (const c of type) {
    if (c === '(' || c === '{' || c === 'a') deepest = Math.max(deepest, ++now)
    if (c === ')' || c === '}') now--
  }
  return deepest
}
