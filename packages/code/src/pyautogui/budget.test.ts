import { describe, expect, test } from 'vitest'
import { recordingPort } from './fixtures/recording-port.ts'
import { interpretScript } from './run.ts'

const run = (script: string, steps: number) => interpretScript(script, { port: recordingPort(), pause: 0, limits: { steps, memory: 1e12 } })

const MAKE = {
  s: "'ab' * 45000",
  e: "'😀' * 40000",
  w: "'a b c d ' * 10000",
  l: 'list(range(40000))',
  d: '{i: i for i in range(16000)}',
  t: '{i for i in range(16000)}',
  n: '3 ** 10000',
} as const
const STEPS = 200_000

/** A thousand rounds of any of these use up what a thousand rounds of nothing do not. */
// oxfmt-ignore
const LARGE: [keyof typeof MAKE, ...string[]][] = [
  ['s', 's.upper()', "s.replace('a', 'c')", "s.find('zz')", "s.count('ab')", "'zz' in s", 'repr(s)', "s.strip('ab')", 's.isalpha()', 's.swapcase()', 'len(s)',
    "s.split('zz')", "'%s%s' % (s, 1)", "s == s.lower()", 'int(s[:4000], 36)', "s.join(['', ''])", "s.center(90100)", "'{}'.format(s)", 's[1:]', 's.startswith("b")',
    's.istitle()', 's.isprintable()', 's.isascii()', 'ascii(s)', 'random.seed(s)'],
  ['e', 'len(e)', 'e[39999]', 'e[::2]', "e.find('x')", 'e.upper()'],
  ['w', 'w.split()', 'w.title()', 'w.splitlines()', "w.replace(' ', '')"],
  ['l', 'l[::-1]', 'l + []', 'l == list(l)', 'l < l', '-1 in l', 'l.index(39999)', 'l.count(3)', 'sum(l)', 'max(l)', 'sorted(l)', 'list(l)', 'tuple(l)', 'set(l)',
    'l.reverse()', 'l.insert(0, 1)', 'l.pop(0)', 'l.copy()', '[*l]', 'list(map(str, l))', 'list(zip(l, l))', 'list(enumerate(l))', 'dict(zip(l, l))', 'random.sample(l, 40000)', 'random.choices(l, k=9)',
    'dict.fromkeys(l)', 'list(map(str.strip, map(str, l)))'],
  ['d', 'dict(d)', 'd.copy()', '{**d}', 'd == dict(d)', 'd | d', 'd.update(d)', 'list(d.items())', 'sorted(d)'],
  ['t', 't | t', 't & t', 't - t', 't == set(t)', 't <= t', 't.union(t)', 't.isdisjoint(t)', 't.issuperset(t)', 't.symmetric_difference(t)', 'sorted(t)'],
  ['n', 'pow(n, n % 10**9, n)', "f'{n:,}'", 'str(n)', "'%d' % n", 'math.factorial(1000)', 'round(n, -4000)', "int('9' * 4000)", 'math.gcd(n, 2 ** 9000 - 1)', 'math.lcm(n, 2 ** 300 - 1)', 'math.isqrt(n)', 'math.perm(1000)', 'math.comb(1000, 500)', 'n.bit_length()'],
]

describe('an operation costs what it touches', () => {
  test.each(LARGE.flatMap(([name, ...ops]) => ops.map((op): [string, string] => [op, name])))('%s', async (op, name) => {
    const make = MAKE[name as keyof typeof MAKE]
    const fresh = /pop|insert/.test(op) ? '' : `\nfor q in range(1000):\n    z = ${op}\n`
    const script = `${name} = ${make}${fresh === '' ? `\nfor q in range(1000):\n    ${op}\n    ${op}\n` : fresh}`
    expect((await run(script, STEPS)).status).toBe('error')
    expect(await run(`${name} = ${make}\nfor q in range(1000):\n    z = 1\n`, STEPS)).toMatchObject({ status: 'ok' })
  })

  test.each([
    'n + n',
    'n * 3',
    'n // 7',
    'n % 7',
    'n / n',
    '-n',
    '~n',
    'n >> 1',
    'n & n',
    'n == n + 0',
    'n < n + 1',

    'hash(n) if False else {n: 1}',
  ])('a number of 16,000 bits: %s', async (op) => {
    const loop = (what: string) => `n = 3 ** 10000\nm = 7\nfor q in range(4000):\n    z = ${what}\n`
    expect((await run(loop(op), 40_000)).status).toBe('error')
    expect((await run(loop(op.replaceAll('n', 'm').replace('hash(m)', '0')), 40_000)).status).toBe('ok')
  })
})

test('what is too large for one operation ends the script before it begins', async () => {
  for (const op of [
    "'x' * 10**7",
    '[0] * 10**7',
    '10 ** 10 ** 6',
    '2 ** 10 ** 9',
    '1 << 10 ** 9',
    "'a' * 50000 + 'b' * 60000",
    'list(range(10 ** 6))',
    "'%1000000d' % 1",
  ]) {
    expect(await run(`z = ${op}`, 1000)).toMatchObject({ status: 'error', error: { code: 'SCRIPT_FAILED' } })
  }
  for (const op of [
    'sorted(range(10 ** 6))',
    'sum(range(10 ** 9))',
    'max(range(10 ** 9))',
    'any(x < 0 for x in range(10 ** 9))',
    '-1 in map(str, range(10 ** 9))',
  ])
    expect(await run(`z = ${op}`, 200_000)).toMatchObject({ status: 'error', error: { code: 'SCRIPT_FAILED' } })
})

test.each([
  'while True: z = sorted(l)',
  'while True: z = sum(range(10 ** 5))',
  "while True: z = 'ab' * 40000 == 'ba' * 40000",
  'while True: z = n * n % n',
  'while True: z = deep == other',
])('an abort is heard in the midst of it: %s', async (loop) => {
  const abort = new AbortController()
  const setup =
    'l = list(range(40000))\nn = 3 ** 5000\ndeep = []\nother = []\nfor i in range(12):\n    deep = [deep, deep]\n    other = [other, other]\npyautogui.press("a")\n'
  const port = recordingPort(() => {
    setTimeout(() => abort.abort(), 1)
    return undefined
  })
  const result = await interpretScript(setup + loop, { port, pause: 0, signal: abort.signal, limits: { steps: 1e9, memory: 1e12 } })
  expect(result).toMatchObject({ status: 'error', error: { code: 'CANCELLED' } })
})

test.each([
  'x = [x].append',
  'x = (lambda y: lambda: y)(x)',
  'x = ValueError(x)',
  'x = iter([x])',
  'x = map(str, [x])',
  'x = (i for i in [x])',
  'x = {1: x}.items()',
  'x = {1: x}',
  'x = dict(a=x)',
])('what holds next to nothing takes room all the same: %s', async (body) => {
  const result = await interpretScript(`x = 0\nwhile True: ${body}`, {
    port: recordingPort(),
    pause: 0,
    limits: { steps: 20_000, memory: 100_000 },
  })
  expect(result.detail).toBe('line 2: the script used up its memory')
})

test.each(['isinstance(1, t)', 'issubclass(int, t)', 'try:\n    raise KeyError\nexcept t: pass'])(
  'types inside types inside types are not looked through without end: %s',
  async (use) => {
    const type = use.startsWith('try') ? 'ValueError' : 'str'
    const result = await run(`t = (${type},)\nfor i in range(25): t = (t, t)\n${use}`, 1_000_000)
    expect(result).toMatchObject({ status: 'error', error: { code: 'SCRIPT_FAILED' } })
  },
)

test.each([
  ["raise ValueError(['x' * 90000] * 1000)", 'line 1: ValueError: its message is too long to be shown'],
  ["assert False, ['x' * 90000] * 1000", 'line 1: AssertionError: its message is too long to be shown'],
  ['x = []\nfor i in range(5000): x = [x]\nraise KeyError(x)', 'line 3: KeyError: its message is too long to be shown'],
  ["raise ValueError('y' * 5000)", `line 1: ValueError: ${'y'.repeat(1000)}…`],
])('the message of an exception cannot break its report: %s', async (script, detail) => {
  expect(await run(script, 1_000_000)).toMatchObject({ detail, error: { code: 'SCRIPT_FAILED' } })
})
