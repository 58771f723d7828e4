import { createServer, type AddressInfo } from 'node:net'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACTIONS } from '@deskhand/core/model'
import { inheriting, owning, reaching } from './fixtures/escape-families.ts'
import { recordingPort, type Performed } from './fixtures/recording-port.ts'
import { interpretScript, type ScriptResult } from './run.ts'

type Expectation = 'rejected' | 'error' | 'harmless' | 'refused'
const attempts = readFileSync(new URL('fixtures/escapes.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [Expectation, string])

const SECRET = 'canary-4f1d9a'
const ENV = 'DESKHAND_ESCAPE_CANARY'
const folder = mkdtempSync(join(tmpdir(), 'escape-'))
const file = join(folder, 'canary.txt')
let connections = 0
const server = createServer((socket) => {
  connections++
  socket.destroy()
})

beforeAll(async () => {
  writeFileSync(file, SECRET)
  process.env[ENV] = SECRET
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  delete process.env[ENV]
  rmSync(folder, { recursive: true })
  await new Promise((resolve) => server.close(resolve))
})

test('there are enough attempts, and no two are the same', () => {
  expect(new Set(attempts.map(([, script]) => script)).size).toBe(attempts.length)
  expect(attempts.length).toBeGreaterThanOrEqual(500)
})

test('no attempt reaches anything but the gate', async () => {
  const wrong: object[] = []
  for (const [expectation, template] of attempts) {
    const script = aimed(template)
    const before = outside()
    const port = recordingPort()
    const result = await interpretScript(script, { port, limits: { steps: 100_000, wallMs: 60_000 }, pause: 0 })
    const problems = [...unmet(expectation, result, port.performed), ...changes(before, outside()), ...leaks(script, result)]
    if (problems.length > 0) wrong.push({ script, problems, detail: result.detail })
  }
  expect(wrong).toEqual([])
}, 120_000)

test.each([
  ['to something outside, wherever an expression can stand', reaching],
  ['to what JavaScript objects inherit', inheriting],
])(
  'no way leads %s',
  async (_, scripts) => {
    const wrong: object[] = []
    const before = outside()
    expect(new Set(scripts).size).toBe(scripts.length)
    for (const template of scripts) {
      const script = aimed(template)
      const port = recordingPort()
      const result = await interpretScript(script, { port, limits: { steps: 20_000, wallMs: 60_000 }, pause: 0 })
      const problems = [...unmet('refused', result, port.performed), ...changes(before, outside()), ...leaks(script, result)]
      if (problems.length > 0) wrong.push({ script, problems, detail: result.detail, output: result.output })
    }
    expect(wrong).toEqual([])
  },
  120_000,
)

test('words that JavaScript knows are plain words to a script that owns them', async () => {
  const before = outside()
  for (const [script, output] of owning) {
    const result = await interpretScript(script, { port: recordingPort(), pause: 0 })
    expect([script, result.detail, result.output]).toEqual([script, 'done, 0 calls', output])
  }
  expect(outside()).toEqual(before)
})

const aimed = (template: string): string =>
  template
    .replaceAll('$FILE', file)
    .replaceAll('$PORT', String((server.address() as AddressInfo).port))
    .replaceAll('$ENV', ENV)

function unmet(expectation: Expectation, result: ScriptResult, performed: readonly Performed[]): string[] {
  const problems = performed.filter((p) => !ACTIONS[p.kind].safeParse(p.args).success).map((p) => `sent a malformed ${p.kind}`)
  if (result.error?.code === 'INTERNAL') problems.push('an internal error')
  if (expectation === 'rejected' && result.error?.code !== 'BAD_SCRIPT') problems.push('was not rejected')
  if (expectation === 'rejected' && performed.length > 0) problems.push('acted although it was rejected')
  if (expectation === 'rejected' && !/^line \d+, column \d+: ./.test(result.detail)) problems.push('does not say where')
  if (expectation === 'error' && (result.status !== 'error' || result.error?.code === 'BAD_SCRIPT'))
    problems.push('did not end in an error while running')
  if (expectation === 'refused' && (result.status !== 'error' || performed.some((p) => p.kind !== 'keys'))) problems.push('was let through')
  if (expectation === 'harmless' && result.status !== 'ok') problems.push('should have run')
  if (/caught|finally/.test(result.output)) problems.push('caught what cannot be caught')
  return problems
}

/** Everything around the interpreter that an escape could touch. */
function outside(): Record<string, string> {
  const roots = { Object, Array, Function, String, Number, BigInt, Map, Set, Promise, RegExp, Symbol, Error }
  return {
    files: JSON.stringify([readdirSync(folder), readFileSync(file, 'utf8'), ...['x', 'x.txt', 'x.png'].map((name) => existsSync(name))]),
    environment: JSON.stringify(process.env),
    children: readdirSync('/proc/self/task')
      .map((t) => readFileSync(`/proc/self/task/${t}/children`, 'utf8'))
      .join(),
    connections: String(connections),
    globals: Object.getOwnPropertyNames(globalThis).sort().join(),
    prototypes: Object.entries(roots)
      .map(([name, root]) => `${name}: ${[...Reflect.ownKeys(root), ...Reflect.ownKeys(root.prototype)].map(String).join()}`)
      .join('\n'),
    directory: process.cwd(),
  }
}

function changes(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(before)
    .filter((key) => before[key] !== after[key])
    .map((key) => `changed ${key}`)
}

function leaks(script: string, result: ScriptResult): string[] {
  const said = JSON.stringify([result.output, result.detail, result.steps])
  return !script.includes(SECRET) && said.includes(SECRET) ? ['told the secret'] : []
}
