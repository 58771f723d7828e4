import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clip, json, plain, quote } from './quote.ts'

test('what could break out of a line or hide in it is escaped', () => {
  expect(quote('a"b\\c\n`d`')).toBe('"a\\"b\\\\c\\n\\u{60}d\\u{60}"')
  expect(quote('\u202eevil\u2066\u200b\ufeff')).toBe('"\\u{202e}evil\\u{2066}\\u{200b}\\u{feff}"')
  expect(quote('a\u2028b\u0007\u{e0041}\u3164')).toBe('"a\\u{2028}b\\u{7}\\u{e0041}\\u{3164}"')
})

test('JSON for a reader hides nothing, and is the same JSON', () => {
  expect(json({ name: 'a\u202eb\u200b\n\u{e0041}' })).toBe('{"name":"a\\u202eb\\u200b\\n\\udb40\\udc41"}')
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1), (value, indent) => {
      const text = json(value, indent)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u)
    }),
  )
})

test('ordinary writing of every language stays as it is', () => {
  for (const text of ['Größe', '漢字', 'ไทย', '🙂', '❤️', "it's 100%", 'naïve']) expect(quote(text)).toBe(`"${text}"`)
})

test('clipping counts what is shown and marks the cut outside of the quotes', () => {
  expect(clip('abcdef', 3)).toBe('"abc"…')
  expect(clip('abc', 3)).toBe('"abc"')
  expect(clip('\u200b'.repeat(100), 20).length).toBeLessThanOrEqual(23)
})

test('white space is evened out', () => {
  expect(plain('  a \u00a0\n b ')).toBe('a b')
  expect(plain('a b')).toBe('a b')
})
