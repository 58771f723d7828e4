import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeskhandError } from '../errors.ts'
import { selectors } from './fixtures/arbitraries.ts'
import { format } from './format.ts'
import { parse } from './parse.ts'
import { quote } from './quote.ts'

const only = (text: string) => {
  const [path, ...others] = parse(text).alternatives
  expect(others).toEqual([])
  expect(path?.links).toEqual([])
  return path?.first
}

const failure = (text: string): DeskhandError => {
  try {
    parse(text)
  } catch (thrown) {
    if (thrown instanceof DeskhandError) return thrown
    throw thrown
  }
  throw new Error(`${text} was accepted`)
}

test('what is formatted reads back as the same selector', () => {
  fc.assert(
    fc.property(selectors, (selector) => {
      expect(parse(format(selector))).toEqual(selector)
    }),
    { numRuns: 1000 },
  )
})

test('random text is parsed or refused with a column inside it, and nothing else happens', () => {
  const pieces = fc.constantFrom(
    'role=button',
    'name',
    '=',
    '~=',
    '"a',
    '"',
    '&&',
    '||',
    '!',
    '(',
    ')',
    '>>',
    '??',
    'nth=',
    '-1',
    'right-of',
    ':',
    '/x',
    '/',
    'any:',
    ' ',
    'attr.',
    '\\',
    '\u0000',
  )
  const texts = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((p) => p.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      try {
        expect(parse(format(parse(text)))).toEqual(parse(text))
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DeskhandError)
        const { code, details } = thrown as DeskhandError
        expect(code).toBe('BAD_SELECTOR')
        expect((details as { column: number }).column).toBeGreaterThan(0)
        expect((details as { column: number }).column).toBeLessThanOrEqual(text.length + 1)
      }
    }),
    { numRuns: 3000 },
  )
})

test('any text survives being quoted into a selector', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(only(`name=${quote(text)}`)?.expr).toEqual({ type: 'text', key: 'name', op: '=', value: text })
      expect(quote(text)).not.toMatch(/[`\n\r\u202e\u200b\u2066]/)
    }),
  )
})

test('the examples of the specification parse to what they say', () => {
  const button = { type: 'role', op: '=', role: 'button' }
  expect(only('any:role=Button && name="Submit"')).toEqual({
    prefix: 'any',
    expr: { type: 'and', of: [button, { type: 'text', key: 'name', op: '=', value: 'Submit' }] },
  })
  expect(only('win32:legacyId=4096')).toEqual({ prefix: 'win32', expr: { type: 'text', key: 'legacyId', op: '=', value: '4096' } })
  expect(only('sap:"#/app/con/ses/wnd[0]/tbar[0]/btn[11]"')).toEqual({
    prefix: 'sap',
    expr: { type: 'bare', text: '#/app/con/ses/wnd[0]/tbar[0]/btn[11]' },
  })
  expect(parse('any:text="Invoice Total" >> right-of >> any:role=Edit').alternatives[0]).toEqual({
    first: { prefix: 'any', expr: { type: 'text', key: 'text', op: '=', value: 'Invoice Total' } },
    links: [{ type: 'relation', relation: 'right-of', find: { prefix: 'any', expr: { type: 'role', op: '=', role: 'textbox' } } }],
  })
  expect(parse('uia:automationId="SubmitBtn" ?? ocr:"Submit"').alternatives.map((p) => p.first)).toEqual([
    { prefix: 'uia', expr: { type: 'text', key: 'automationId', op: '=', value: 'SubmitBtn' } },
    { prefix: 'ocr', expr: { type: 'bare', text: 'Submit' } },
  ])
  for (const text of [
    'role=Button',
    'name="Submit"',
    'name~="save"',
    'automationId="SubmitBtn"',
    'legacyId=4096',
    'enabled=true',
    'visible=true',
  ])
    only(text)
})

test('"and" binds tighter than "or", and "not" tighter than both', () => {
  expect(only('name=a || !name=b && name=c')?.expr).toEqual({
    type: 'or',
    of: [
      { type: 'text', key: 'name', op: '=', value: 'a' },
      {
        type: 'and',
        of: [
          { type: 'not', of: { type: 'text', key: 'name', op: '=', value: 'b' } },
          { type: 'text', key: 'name', op: '=', value: 'c' },
        ],
      },
    ],
  })
})

test('what is inside, an id and the spellings of other tools are understood', () => {
  expect(only('role=row && has(name="Anna")')?.expr).toEqual({
    type: 'and',
    of: [
      { type: 'role', op: '=', role: 'row' },
      { type: 'has', of: { type: 'text', key: 'name', op: '=', value: 'Anna' } },
    ],
  })
  expect(parse('e12 >> role=cell').alternatives[0]?.first.expr).toEqual({ type: 'element', id: 'e12' })
  expect(only('name*="sav"')).toEqual(only('name~="sav"'))
  expect(only('name=/sav(e|ing)/i')).toEqual(only('name~=/sav(e|ing)/i'))
  expect(only('label=Email')?.expr).toEqual({ type: 'text', key: 'label', op: '=', value: 'Email' })
})

test('roles of every system, keys in any case and both kinds of quotes are understood', () => {
  expect(only("role='push button'")?.expr).toEqual(only('role=Button')?.expr)
  expect(only('role=AXButton')?.expr).toEqual(only('role=button')?.expr)
  expect(only('AutomationId=x')?.expr).toEqual(only('automationId="x"')?.expr)
  expect(only('checked=Mixed')?.expr).toEqual({ type: 'flag', key: 'checked', op: '=', value: 'mixed' })
  expect(only('attr."a b"=1')?.expr).toEqual({ type: 'text', key: 'attr.a b', op: '=', value: '1' })
})

test.each([
  ['', 1, 'a condition'],
  ['role=', 6, 'a role'],
  ['role=buton', 6, 'role=button'],
  ['role=push button', 6, 'role="push button"'],
  ['name="Save', 11, 'closing "'],
  ['name="a\\q"', 8, 'backslash'],
  ['nam="x"', 1, 'did you mean name'],
  ['title="x"', 1, 'write name='],
  ['button', 1, 'role=button'],
  ['enabled', 8, 'enabled=true'],
  ['enabled~=true', 8, '"=" or "!="'],
  ['enabled=yes', 9, 'true or false'],
  ['role==button', 6, 'single "="'],
  ['role=button name=x', 13, '"&&"'],
  ['role=button & name=x', 13, '"&&"'],
  ['(role=button', 13, '")"'],
  ['role=button)', 12, 'the end'],
  ['right-of >> role=button', 1, 'between two steps'],
  ['role=label >> below', 20, '">>"'],
  ['role=label >> near(x) >> role=button', 20, 'distance'],
  ['nth=1', 1, 'after a step'],
  ['role=button >> nth=first', 20, 'whole number'],
  ['role=button >>', 15, 'a condition'],
  ['role=button ?? ', 16, 'a condition'],
  ['web:role=button', 1, 'a prefix'],
  ['name!=/x/', 7, 'follows "~="'],
  ['value=/usr/bin', 7, 'a path stands in quotes'],
  ['role=row && has(name=x', 23, '")"'],
  ['name~=/x', 7, 'closed by "/"'],
  ['name~=/(/', 7, 'missing closing )'],
  ['name~=/x/g', 7, 'flags'],
  ['name~=/(?=x)/', 7, 'RE2'],
  ['attr.=1', 6, 'attribute'],
  [`${'('.repeat(60)}role=button${')'.repeat(60)}`, 51, 'nested'],
  [`name="${'x'.repeat(5000)}"`, 4097, '4096'],
  ['name~=/x{1,600}y{600}/', 7, 'repetitions'],
  [Array.from({ length: 17 }, () => 'role=row').join(' ?? '), 192, 'at most 16 alternatives'],
])('%j is refused at column %i with a word on %s', (text, column, hint) => {
  const error = failure(text)
  expect(error.code).toBe('BAD_SELECTOR')
  expect(error.details).toMatchObject({ column, expected: expect.any(String) })
  expect(error.message).toContain(`Column ${column}`)
  expect(error.message).toContain(hint)
})

test('the caret stands below the mistake', () => {
  const [, line, caret] = failure(`role=button && name="${'x'.repeat(100)}" && rolle=link`).message.split('\n')
  expect(line?.slice(caret?.indexOf('^'))).toBe('rolle=link')
})
