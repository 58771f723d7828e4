import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, judge, policy, verdict } from '../../test/policy-samples.ts'
import { argsPattern, argsText } from './args.ts'

const matches = (pattern: string, args: unknown): boolean => {
  const text = argsText(args)
  return text !== undefined && argsPattern(pattern)(text)
}

test.each([
  ['"command":"(git|npm)', { command: 'git status' }, true],
  ['"command":"(git|npm)', { command: 'rm' }, false],
  ['"b":2', { b: 2, a: 1 }, true],
  ['\\x00"file":"[a-z]+"\\x00', { file: 'abc' }, true],
  ['\\x00"file":"[a-z]+"\\x00', { file: 'abc1' }, false],
  ['"target":\\{"selector":"role=button', { target: { selector: 'role=button' } }, true],
  ['"a":1|"b":2', { b: 2 }, true],
  ['(secret|passwd)', { path: '/etc/passwd' }, true],
  ['passwd', { nested: { path: '/etc/passwd' } }, true],
  ['"x":', {}, false],
])('%s on %j is %s', (pattern, args, expected) => {
  expect(matches(pattern, args)).toBe(expected)
})

test('the order of the arguments does not matter', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
      expect(argsText(Object.fromEntries(Object.entries(args).toReversed()))).toEqual(argsText(args))
    }),
  )
})

describe('a pattern for a field cannot be met from somewhere else', () => {
  const wanted = '"app":"mousepad"'

  test.each([
    ['a nested field', { app: 'xterm', more: { app: 'mousepad' } }],
    ['a field in a list', { app: 'xterm', args: [{ app: 'mousepad' }] }],
    ['text that looks like it', { app: 'xterm', note: '"app":"mousepad"' }],
    ['text that ends its own string', { app: 'xterm', note: '","app":"mousepad"' }],
    ['text with the boundary character', { app: 'xterm', note: '\0"app":"mousepad"\0' }],
    ['escaped text', { app: 'xterm', note: '\\"app\\":\\"mousepad\\"' }],
    ['a field whose name holds it', { app: 'xterm', '"app":"mousepad"': 1 }],
    ['a field whose name ends early', { app: 'xterm', 'x":1,"app":"mousepad': 1 }],
    ['text in a list', { app: 'xterm', args: ['"app":"mousepad"'] }],
  ])('%s', (_, args) => {
    for (const pattern of [wanted, `\\x00${wanted}`, `(${wanted})`, `.*${wanted}`, `${wanted}|${wanted}`, `[{,]?\\x00?${wanted}`]) {
      expect([pattern, matches(pattern, args)]).toEqual([pattern, false])
    }
  })

  test('whatever else the arguments hold', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((k) => k !== 'app'),
          fc.jsonValue(),
        ),
        fc.jsonValue(),
        (rest, noise) => {
          const args = { ...rest, noise: [noise, { app: 'mousepad' }], app: 'xterm' }
          expect(matches(wanted, args)).toBe(false)
          expect(matches(wanted, { ...args, app: 'mousepad' })).toBe(true)
        },
      ),
    )
  })
})

test('hostile patterns and hostile arguments end in linear time', () => {
  const rules = ['(a+)+$', '(a|aa)+$', '(.*a){20}', '([a-zA-Z]+)*!', '"text":"(a*)*b'].map(
    (p) => `[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\nargsPattern = '${p}'\n`,
  )
  const names = ['*a*a*a*a*a*a*a*a*b', '/(a+)+x$/'].map(
    (p) => `[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\nwhen = { name = '${p}', text = "*a*a*a*a*a*b" }\n`,
  )
  const strict = policy([...rules, ...names].join(''))
  const text = 'a'.repeat(200_000)
  // a backtracking engine would not come back from this
  const decision = judge(strict, call('type', { args: { text }, targets: [{ ...call().targets[0]!, name: text }] }))
  expect(decision.verdict).toBe('deny')
})

test('nesting beyond any reason does not overflow', () => {
  let deep: unknown = 'x'
  for (let i = 0; i < 50_000; i++) deep = [deep]
  const rule = policy(`[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\nargsPattern = 'x'\n`)
  expect(verdict(rule, call('click', { args: { deep } }))).toBe('allow')
})
