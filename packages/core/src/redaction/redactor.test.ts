import { createHash, createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commitTo, opens } from './commitment.ts'
import { PATTERNS } from './patterns.ts'
import { createRedactor } from './redactor.ts'

const secret = `p@ss "wörd"/+<&>'\\ 1`
const redactor = createRedactor({
  secrets: [
    { name: 'mail', value: secret },
    { name: 'pin', value: '4071' },
  ],
})

describe('exact values', () => {
  const percentLower = encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase())
  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ a: secret })],
    ['in JSON with escaped characters', JSON.stringify({ a: secret }).replaceAll('ö', '\\u00f6')],
    ['in JSON inside JSON', JSON.stringify({ a: JSON.stringify({ b: secret }) })],
    ['in a URL', `https://host/?q=${encodeURIComponent(secret)}&x=1`],
    ['in a URL with small letters', percentLower],
    ['in a form', new URLSearchParams({ q: secret }).toString()],
    ['in HTML', '<b>p@ss &quot;wörd&quot;/+&lt;&amp;&gt;&#39;\\ 1</b>'],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in a Basic header', `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`],
    ['in a Basic header of another length', `Basic ${Buffer.from(`admin:${secret}`).toString('base64')}`],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['decomposed', secret.normalize('NFD')],
  ])('a secret %s does not get out', (_, text) => {
    const shown = redactor.text(`before ${text} after`)
    expect(shown).toContain('[secret:mail]')
    expect(shown.startsWith('before ') && shown.endsWith(' after')).toBe(true)
    for (const hint of ['ss "w', 'ss%20', 'ss+', 'wörd', 'w\\u00f6rd', 'rd%22', Buffer.from(secret).toString('base64').slice(4, 12)])
      expect(shown).not.toContain(hint)
  })

  test('whatever the secret, none of its everyday encodings survives', () => {
    const encode = [
      (s: string) => s,
      (s: string) => JSON.stringify(s),
      (s: string) => encodeURIComponent(s),
      (s: string) => new URLSearchParams({ s }).toString(),
      (s: string) => Buffer.from(s).toString('base64'),
      (s: string) => Buffer.from(s).toString('hex'),
    ]
    const value = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 })
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (s, left, right) => {
        const { text } = createRedactor({ secrets: [{ name: 'x', value: s }] })
        for (const write of encode) expect(text(`${left}${write(s)}${right}`)).toContain('[secret:x]')
        expect(text(`${left}${s}${right}`).replaceAll('[secret:x]', '').includes(s)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('values are redacted deep down, keys and long numbers too, coordinates not', () => {
    const { value } = createRedactor({
      secrets: [
        { name: 'pin', value: '4071' },
        { name: 'code', value: '123456' },
      ],
    })
    const before = { list: [{ note: 'pin 4071!' }], '4071': true, x: 4071, code: 123456, none: null, raw: new Uint8Array([1]) }
    expect(value(before)).toEqual({
      list: [{ note: 'pin [secret:pin]!' }],
      '[secret:pin]': true,
      x: 4071,
      code: '[secret:code]',
      none: null,
      raw: new Uint8Array([1]),
    })
    expect(before.list[0]?.note).toBe('pin 4071!')
  })

  test('nesting without end is cut off, not followed', () => {
    let nested: unknown = 'end'
    for (let i = 0; i < 100_000; i++) nested = [nested]
    expect(JSON.stringify(redactor.value(nested))).toContain('nested too deeply')
  })

  test('a line of a key file is the secret too', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${'A1b2'.repeat(16)}\n${'C3d4'.repeat(16)}\n-----END PRIVATE KEY-----\n`
    expect(createRedactor({ secrets: [{ name: 'pem', value: pem }] }).text(`x ${'C3d4'.repeat(16)} y`)).toBe('x [secret:pem] y')
  })

  test('a secret too short to be told from ordinary text is refused by name, not by value', () => {
    const create = (): unknown => createRedactor({ secrets: [{ name: 'short', value: 'abc' }] })
    expect(create).toThrow(expect.objectContaining({ code: 'BAD_CONFIG', message: expect.not.stringContaining('abc') }))
  })
})

describe('patterns', () => {
  const { text } = createRedactor({ patterns: PATTERNS })

  test.each([
    ['mail jane.doe+x@mail.example.co.uk now', 'mail [email] now'],
    ['card 4111 1111 1111 1111.', 'card [card].'],
    ['card 4111-1111-1111-1112.', 'card 4111-1111-1111-1112.'],
    ['5500000000000004', '[card]'],
    ['order 1234567890123', 'order 1234567890123'],
    ['SSN 536-22-1234', 'SSN [ssn]'],
    ['SSN 000-22-1234', 'SSN 000-22-1234'],
    ['NI QQ 12 34 56 C and AB 12 34 56 C', 'NI QQ 12 34 56 C and [national-id]'],
    ['NIR 2 55 08 14 168 025 38', 'NIR [national-id]'],
    ['DNI 12345678Z or 12345678A', 'DNI [national-id] or 12345678A'],
    ['id 11010519491231002X', 'id [national-id]'],
    ['CPF 529.982.247-25', 'CPF [national-id]'],
    ['Steuer-ID 86 095 742 719', 'Steuer-ID [national-id]'],
    ['IBAN DE89 3704 0044 0532 0130 00 ok', 'IBAN [iban] ok'],
    ['key AKIAIOSFODNN7EXAMPLE', 'key [token]'],
    [`token ghp_${'a1B2'.repeat(9)}`, 'token [token]'],
    ['Authorization: Bearer abcdefghijklmnop.qrstuv', 'Authorization: [token]'],
    [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl end`, '[token] end'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----', '[private-key]'],
    ['meet at 10:30, row 12, price 1,200.50', 'meet at 10:30, row 12, price 1,200.50'],
  ])('%s', (before, after) => expect(text(before)).toBe(after))

  test('no text on a screen makes them slow', () => {
    for (const piece of [
      'a',
      '1',
      '1 ',
      '1-',
      'eyJ',
      'eyJ-',
      '-eyJ',
      'sk-live-',
      'a.',
      'a@',
      'a@a.',
      'xoxb-',
      'AB12',
      'AB12 ',
      '-----BEGIN PRIVATE KEY-----',
      'ghp_',
      'Bearer ',
    ]) {
      expect(text(piece.repeat(100_000 / piece.length))).toBeTypeOf('string')
    }
  })

  test('an operator’s pattern runs in linear time', () => {
    const own = createRedactor({ patterns: [{ name: 'order', pattern: '(x+x+)+y|ORD-\\d+' }] })
    expect(own.text(`ORD-12 and ORD-34 ${'x'.repeat(5000)}`)).toBe(`[order] and [order] ${'x'.repeat(5000)}`)
  })
})

describe('digests', () => {
  const digest = (value: unknown, key = Buffer.alloc(32, 9)): string => createRedactor({ key }).digest(value)

  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

  test('equal values have one, whatever the order of their fields, and other values another', () => {
    const value = fc.jsonValue()
    fc.assert(
      fc.property(value, value, (a, b) => {
        const turned = (v: unknown): unknown =>
          typeof v === 'object' && v !== null && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).reverse()) : v
        expect(digest(turned(a))).toBe(digest(a))
        expect(digest(a) === digest(b)).toBe(isDeepStrictEqual(plain(a), plain(b)))
      }),
    )
    expect(digest(['click', { a: 1, b: { c: 2, d: 3 } }])).toBe(digest(['click', { b: { d: 3, c: 2 }, a: 1 }]))
    expect(digest(['click', { a: 1 }])).not.toBe(digest(['click', { a: 2 }]))
  })

  test('another key gives another one, and without a key it differs from redactor to redactor', () => {
    expect(digest('x', Buffer.alloc(32))).not.toBe(digest('x'))
    expect(createRedactor().digest('x')).not.toBe(createRedactor().digest('x'))
  })
})

describe('commitments', () => {
  const key = Buffer.alloc(32, 9)

  test('the same text is committed to differently each time, and only the key’s holder can tell', () => {
    const keyed = createRedactor({ key })
    const [one, two] = [keyed.commit('4071'), keyed.commit('4071')]
    expect(one).toMatchObject({ redacted: true, length: 4 })
    expect(one.hmac).not.toBe(two.hmac)
    expect(opens(key, one, 'text', '4071')).toBe(true)
    expect(opens(key, one, 'text', '4072')).toBe(false)
    expect(opens(key, one, 'other', '4071')).toBe(false)
    expect(opens(Buffer.alloc(32), one, 'text', '4071')).toBe(false)
  })

  test('trying out every four-digit secret on the journal alone finds nothing', () => {
    const { salt, hmac } = commitTo(key, 'text', '4071')
    const guesses = (pin: string): Buffer[] => [
      createHash('sha256').update(pin).digest(),
      createHash('sha256')
        .update(salt + pin)
        .digest(),
      createHash('sha256')
        .update(JSON.stringify([salt, 'text', pin]))
        .digest(),
      createHmac('sha256', salt).update(pin).digest(),
      createHmac('sha256', Buffer.from(salt, 'base64url'))
        .update(JSON.stringify([salt, 'text', pin]))
        .digest(),
    ]
    const tried = Array.from({ length: 10_000 }, (_, n) => guesses(String(n).padStart(4, '0')).map((guess) => guess.toString('base64url')))
    expect(tried.flat().includes(hmac)).toBe(false)
  })
})
