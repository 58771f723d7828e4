import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { keyLines } from './toml-lines.ts'

test('keys are found under headers, dotted, quoted and inside inline tables', () => {
  const source = [
    '# a "comment" [rule] = 1', // 1
    'nonInteractive = "deny"', // 2
    '', // 3
    '[[rule]]', // 4
    'toolName = [', // 5
    '  "a", # with ] and = inside', // 6
    '  "b",', // 7
    ']', // 8
    "argsPattern = '''", // 9
    'decision = "no"', // 10
    "''''", // 11
    '"quoted key" = 1', // 12
    'when.app = "x"', // 13
    '[[rule]]', // 14
    'when = { role = "button", state = { enabled = true } }', // 15
    '[rule.obligations]', // 16
    'redact = true', // 17
  ].join('\n')
  expect(() => parse(source)).not.toThrow()
  const lines = keyLines(source)
  expect(lines.line(['nonInteractive'])).toBe(2)
  expect(lines.line(['rule', 0])).toBe(4)
  expect(lines.line(['rule', 0, 'toolName', 1])).toBe(7)
  expect(lines.line(['rule', 0, 'argsPattern'])).toBe(9)
  expect(lines.line(['rule', 0, 'quoted key'])).toBe(12)
  expect(lines.line(['rule', 0, 'when', 'app'])).toBe(13)
  expect(lines.line(['rule', 1, 'when', 'state', 'enabled'])).toBe(15)
  expect(lines.line(['rule', 1, 'obligations', 'redact'])).toBe(17)
})

test('a key that is nowhere gets the line of what surrounds it', () => {
  const lines = keyLines('[[rule]]\n[[rule]]\npriority = 1\n')
  expect(lines.line(['rule', 1, 'decision'])).toBe(2)
  expect(lines.line(['elsewhere'])).toBe(1)
})

/** TOML written line by line, with the line of every key known. */
const value = fc.oneof(
  fc.integer({ min: 0, max: 999 }).map(String),
  fc.constantFrom(
    'true',
    '"a # b [c] = {d}"',
    "'lit \\ \"'",
    '"esc \\" quote"',
    '2026-01-01T00:00:00Z',
    '[1, [2, "]"], { x = "}" }]',
    '[\n 1, # ]\n 2\n]',
    '"""\nkey = 1\n[[rule]]"""',
    "''''quoted''''",
  ),
)
const table = fc.record({
  blank: fc.constantFrom('', '\n', '# key = 1\n', '\t \n\n'),
  keys: fc.uniqueArray(fc.constantFrom('a', 'b-c', '"d e"', 'f.g', "'h.i'", '"j\\"k"'), { minLength: 1, maxLength: 5 }),
  values: fc.array(value, { minLength: 5, maxLength: 5 }),
})

test('in any document every key is found on its line', () => {
  fc.assert(
    fc.property(fc.array(table, { minLength: 1, maxLength: 6 }), fc.constantFrom('\n', '\r\n'), (tables, end) => {
      let source = ''
      const expected: [path: (string | number)[], line: number][] = []
      const line = (): number => source.split('\n').length
      for (const [i, t] of tables.entries()) {
        source += t.blank
        expected.push([['rule', i], line()])
        source += '[[rule]]\n'
        for (const [k, key] of t.keys.entries()) {
          expected.push([['rule', i, ...(NAMES[key] ?? [key])], line()])
          source += `${key} = ${t.values[k]}\n`
        }
      }
      source = source.replaceAll('\n', end)
      parse(source)
      const lines = keyLines(source)
      for (const [path, at] of expected) expect([path, lines.line(path)]).toEqual([path, at])
    }),
  )
})

const NAMES: Record<string, string[]> = { '"d e"': ['d e'], 'f.g': ['f', 'g'], "'h.i'": ['h.i'], '"j\\"k"': ['j"k'] }
