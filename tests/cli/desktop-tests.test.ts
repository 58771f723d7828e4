import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const root = resolve(import.meta.dirname, '../..')
let dir: string
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'dh-tests-'))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const node = (args: string[], env: NodeJS.ProcessEnv = {}, cwd = root): { status: number | null; stdout: string } =>
  spawnSync(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: dir, DESKHAND_TEST_RESULTS: join(dir, 'results'), ...env },
    encoding: 'utf8',
  })
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')

test('the example project passes under node:test and under vitest, on simulated and real desktops', () => {
  const example = join(root, 'examples/desktop-tests')
  const { status, stdout } = node(['--test', '--test-reporter=junit', 'node/'], {}, example)
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/testcase name="an order goes out once it was checked"/),
  })
  const other = node([vitest, 'run', '--root', example, '--reporter=junit'])
  expect(other).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing can be sent before the check') })
  expect(other.stdout).toContain('failures="0"')
})

describeDesktop('on a real desktop', () => {
  test('the first example of docs/testing.md passes as it stands', () => {
    const place = mkdtempSync(join(root, 'tests/fixtures/.page-'))
    try {
      const [, example = ''] = /```js\n([^]*?)```/.exec(readFileSync(join(root, 'docs/testing.md'), 'utf8')) ?? []
      const file = join(place, 'page.test.mjs')
      writeFileSync(file, example)
      const { status, stdout } = node(['--test', '--test-reporter=junit', file])
      expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('saves the note') as string })
    } finally {
      rmSync(place, { recursive: true })
    }
  })

  test('a button that is enabled after two seconds is clicked, and one that never is says why', () => {
    const place = mkdtempSync(join(root, 'tests/fixtures/.late-'))
    try {
      const file = join(place, 'late.test.mjs')
      cpSync(join(root, 'tests/fixtures/late-desktop.mjs'), file)
      const program = JSON.stringify([PYTHON, fixture('late_gtk3.py'), join(dir, 'pressed')])
      expect(node(['--test', '--test-reporter=junit', file], { PROGRAM: program })).toMatchObject({ status: 0 })
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})

test.each([
  ['node:test', (file: string) => ['--test', '--test-reporter=junit', file]],
  ['vitest', (file: string) => [vitest, 'run', '--root', resolve(file, '..'), '--reporter=junit']],
])('a failure under %s is in the JUnit report, with pictures, outlines and the record of both desktops beside it', (runner, command) => {
  // Beside the sources, so that the package is found.
  const place = mkdtempSync(join(root, 'tests/fixtures/.failing-'))
  try {
    const file = join(place, runner === 'vitest' ? 'failing.test.mjs' : 'failing.mjs')
    cpSync(join(root, 'tests/fixtures/failing-desktop.mjs'), file)
    writeFileSync(join(place, 'vitest.config.mjs'), 'export default {}')
    const { status, stdout } = node(command(file), { RUNNER: runner })
    expect(status).toBe(1)
    expect(stdout).toContain('<failure')
    expect(stdout).toContain('enabled is false')
    // Two tests of one name, in two suites, leave a folder each.
    const folders = readdirSync(join(dir, 'results')).toSorted()
    expect(folders).toEqual([
      expect.stringMatching(/failing-.*mjs-first-saves-the-form$/),
      expect.stringMatching(/-second-saves-the-form$/),
    ])
    const results = join(dir, 'results', folders[0]!)
    expect(stdout).toContain(join(results, '1-desktop.png'))
    expect(readdirSync(results).toSorted()).toEqual(['1', '2'].flatMap((n) => [`${n}-desktop.png`, `${n}-outline.txt`, `${n}-trace.jsonl`]))
    expect(readFileSync(join(results, '1-desktop.png')).subarray(1, 4).toString()).toBe('PNG')
    const told = ['1-outline.txt', '1-trace.jsonl'].map((name) => readFileSync(join(results, name), 'utf8')).join('')
    expect(told).toContain('"ui.type"')
    expect(told).toContain('button "Save" disabled')
    expect(told).not.toMatch(/hunter2-canary|tr0ub4dor/)
  } finally {
    rmSync(place, { recursive: true })
  }
})

test('a wait that comes to nothing says why before the limit of the runner, and a test that it gives up leaves its picture too', () => {
  const place = mkdtempSync(join(root, 'tests/fixtures/.waiting-'))
  try {
    cpSync(join(root, 'tests/fixtures/waiting-desktop.mjs'), join(place, 'waiting.test.mjs'))
    writeFileSync(join(place, 'vitest.config.mjs'), 'export default {}')
    const { status, stdout } = node([vitest, 'run', '--root', place, '--reporter=junit'])
    expect(status).toBe(1)
    const [, givenUp, click, assertion, other] = stdout.split('<testcase ')
    expect(click).toMatch(/ui\.click role=button &amp;&amp; name=Save: .*disabled/)
    expect(assertion).toMatch(/toBeEnabled\(\): .*enabled is false/)
    for (const told of [click, assertion]) expect(told).toContain('as the test has a limit of 5000 ms')
    expect(givenUp).toMatch(/timed out in 5000ms[^]*it waited for ui\.batch/)
    expect(other).not.toContain('<failure')
    const [left = ''] = readdirSync(join(dir, 'results')).filter((name) => name.endsWith('goes-on-after-the-limit'))
    expect(readdirSync(join(dir, 'results', left))).toEqual(['desktop.png', 'outline.txt', 'trace.jsonl'])
  } finally {
    rmSync(place, { recursive: true })
  }
})
