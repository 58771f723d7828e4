import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { regexLiteral } from './prefilter.ts'
import { glob, globLiteral, linear } from './glob.ts'
import { addressOf, sameServer, urlGlob, urlParts, urlTest } from './url.ts'

test.each([
  ['mousepad', 'mousepad', true],
  ['mousepad', 'mousepad2', false],
  ['gnome-*', 'gnome-terminal', true],
  ['*pad', 'mousepad', true],
  ['m*d', 'md', true],
  ['ab*ba', 'aba', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['file?.txt', 'file1.txt', true],
  ['file?.txt', 'file.txt', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['{save,open}*', 'open file', true],
  ['{save,open}*', 'close', false],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['a.b', 'axb', false],
  ['a(b)+c', 'a(b)+c', true],
  ['*', 'two\nlines', true],
])('%s on %s is %s', (pattern, text, expected) => {
  expect(glob(pattern)(text)).toBe(expected)
})

test.each([
  ['/usr/bin/*', '/usr/bin/mousepad', true],
  ['/usr/bin/*', '/usr/bin/../../tmp/evil', false],
  ['/opt/**', '/opt/a/b/c', true],
  ['/opt/?', '/opt//', false],
  ['/opt/[!x]', '/opt//', false],
])('as a path %s on %s is %s', (pattern, text, expected) => {
  expect(glob(pattern, { path: true })(text)).toBe(expected)
})

test('an unfinished glob is an error', () => {
  expect(() => glob('[abc')).toThrow(SyntaxError)
  expect(() => glob('{a,b')).toThrow(SyntaxError)
})

test('look-around and back-references are refused with the reason', () => {
  expect(() => linear('(?=a)b')).toThrow(/linear time/)
  expect(() => linear('(a)\\1')).toThrow(/linear time/)
})

describe('addresses', () => {
  const matches = (pattern: string, url: string): boolean => {
    const parts = urlParts(url)
    return parts !== undefined && urlGlob(pattern)(parts)
  }

  test.each([
    ['https://*.example.org/**', 'https://www.example.org/a/b?c', true],
    ['https://*.EXAMPLE.org/**', 'https://www.example.org/', true],
    ['*.example.org', 'https://www.example.org/a', true],
    ['example.org/app/*', 'https://example.org/app/x', true],
    ['example.org/App/*', 'https://example.org/app/x', false],
    ['**/Deep/Path', 'https://example.org/Deep/Path', true],
    ['https://example.org/**', 'https://EXAMPLE.org/x', true],
  ])('%s on %s is %s', (pattern, url, expected) => {
    expect(matches(pattern, url)).toBe(expected)
  })

  test.each([
    'https://evil.test/x.example.org/',
    'https://evil.test?.example.org/',
    'https://evil.test#.example.org/',
    'https://www.example.org:pw@evil.test/',
    'https://www.example.org@evil.test/',
    'https://evil.test\\.example.org/',
    'http://www.example.org/',
    'https://www.example.org.evil.test/',
    'javascript:https://www.example.org/',
  ])('%s does not pose as https://*.example.org/**', (url) => {
    expect(matches('https://*.example.org/**', url)).toBe(false)
  })

  const ADMIN = 'https://bank.example/admin/**'
  test.each([
    ['a dot behind the host', ADMIN, 'https://bank.example./admin/x'],
    ['a dot behind the host of a port', 'https://bank.example:8443/**', 'https://bank.example.:8443/admin/x'],
    ['letters spelled as bytes', ADMIN, 'https://bank.example/%61dmin/x'],
    ['a slash spelled as a byte', ADMIN, 'https://bank.example/admin%2Fx'],
    ['many slashes', ADMIN, 'https://bank.example//admin///x'],
    ['a way around, spelled as bytes', ADMIN, 'https://bank.example/help/..%2fadmin/x'],
    ['another case', ADMIN, 'https://bank.example/Admin/x'],
    ['a parameter of the path', ADMIN, 'https://bank.example/admin;v=1/x'],
    ['a view of its source', ADMIN, 'view-source:https://bank.example/admin/x'],
    ['a page that it made itself', 'https://bank.example/**', 'blob:https://bank.example/0b7e'],
    ['letters beyond ASCII in the rule', 'https://*.bücher.example/**', 'https://www.xn--bcher-kva.example/x'],
    ['a rule with a dot behind the host', 'bank.example./**', 'https://bank.example/admin/x'],
  ])('a deny and a question hold for %s, and an allow lets nothing more through', (_, pattern, url) => {
    const page = addressOf(url)!
    expect(urlTest(pattern, false)(page)).toBe(true)
    expect(urlTest(pattern, true)(page)).toBe(pattern.includes('ü'))
  })

  test('an allow holds in every reading only', () => {
    const help = urlTest('https://bank.example/help/**', true)
    expect(help(addressOf('https://bank.example/help/a%20b')!)).toBe(true)
    expect(help(addressOf('https://bank.example/help/..%2fadmin/x')!)).toBe(false)
  })

  test('every name of the loopback is the same server', () => {
    const own = ['http://127.0.0.1:7070/']
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.1',
      '127.9.9.9',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'deskhand.localhost',
      'localhost.',
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
    ]) {
      expect([host, sameServer(`http://${host}:7070/x`, own)]).toEqual([host, true])
    }
    expect(sameServer('http://127.0.0.1:7071/', own)).toBe(false)
    expect(sameServer('http://example.org:7070/', own)).toBe(false)
  })
})

const piece = fc.constantFrom('a', 'b', 'ab', '*', '?', '[ab]', '[!a]', '{a,bb}', '\\*', '-')
test('a glob that matches passes its prefilter', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '*', '-'), maxLength: 12 }),
      (pieces, text) => {
        const pattern = pieces.join('')
        if (glob(pattern)(text)) expect(text).toContain(globLiteral(pattern))
      },
    ),
    { numRuns: 2000 },
  )
})

const atom = fc.constantFrom(
  'a',
  'b',
  'ab',
  'a?',
  'b*',
  'a+',
  'ab{2}',
  '(a|b)',
  '(ab)?',
  '[ab]',
  '[^a]+',
  '.',
  '\\w',
  '\\x61',
  'a|b',
  '(?:a(b|a))',
  '(?i)b',
  '-',
)
test('a regex that matches passes its prefilter', () => {
  fc.assert(
    fc.property(
      fc.array(atom, { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '-'), maxLength: 12 }),
      (atoms, text) => {
        const pattern = atoms.join('')
        if (linear(pattern).test(text)) expect(text).toContain(regexLiteral(pattern))
      },
    ),
    { numRuns: 3000 },
  )
})

test('globs agree with a plain recursive reading', () => {
  const simple = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 8 })
  const read = (p: string[], t: string): boolean => {
    const [head, ...rest] = p
    if (head === undefined) return t === ''
    if (head === '*') return Array.from({ length: t.length + 1 }).some((_, i) => read(rest, t.slice(i)))
    return t !== '' && (head === '?' || head === t[0]) && read(rest, t.slice(1))
  }
  fc.assert(fc.property(simple, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (p, t) => glob(p.join(''))(t) === read(p, t)))
})
