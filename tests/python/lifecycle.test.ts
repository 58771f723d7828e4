import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bundledPython, createPython, systemPython, type PythonEngine } from '@deskhand/code/python'
import { childrenOf, isAlive } from './family.ts'

const STUBBORN = `
import signal
for each in range(1, 65):
    try: signal.signal(each, signal.SIG_IGN)
    except (OSError, ValueError): pass
print("started", flush=True)
while True:
    try:
        while True: pass
    except BaseException: pass
`
const MINUTE = { timeout: 60_000 }

describe.each<[string, () => PythonEngine]>([
  ['bundled', () => bundledPython()],
  ['system', () => systemPython()],
])('the %s engine', (name, open) => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'deskhand-life-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  test('a script that ignores everything is ended by the timeout, and what it printed is told', MINUTE, async () => {
    const python = createPython({ engines: [open()], projectRoot: root, timeoutSeconds: 1 })
    const result = await python.run({ code: STUBBORN })
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'PYTHON_TIMEOUT', message: expect.stringContaining('1 s'), details: { stdout: 'started\n' } },
    })
    await python.close()
    expect(childrenOf(process.pid)).toEqual([])
  })

  test('nothing is left on the disk: no script, no scratch', MINUTE, async () => {
    const own = await mkdtemp(join(tmpdir(), 'deskhand-life-'))
    vi.stubEnv('TMPDIR', own)
    const mark = `scratch-${randomUUID()}`
    const python = createPython({ engines: [open()], projectRoot: root })
    const code = `import os, tempfile\nfor i in range(10): open(tempfile.mkstemp(prefix="${mark}")[1], "w").write("x")\nprint(len(os.listdir("/tmp")))`
    expect(await python.run({ code })).toMatchObject({ ok: true, stdout: '10\n' })
    await python.run({ code: 'raise SystemExit(1)' })
    await python.close()
    vi.unstubAllEnvs()
    expect(await readdir(own)).toEqual([])
    // Other programs of this machine use the common folder too, so only what carries the mark counts there.
    expect((await readdir('/tmp')).filter((name) => name.startsWith(mark))).toEqual([])
    expect(await readdir(root)).toEqual([])
    await rm(own, { recursive: true })
  })

  test('closing ends what runs, and the call says so', MINUTE, async () => {
    const python = createPython({ engines: [open()], projectRoot: root, timeoutSeconds: 60 })
    const running = python.run({ code: STUBBORN })
    while (childrenOf(process.pid).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await python.close()
    expect(await running).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(await python.run({ code: '1' })).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(childrenOf(process.pid)).toEqual([])
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)('no interpreter outlives its owner, when that gets %s', MINUTE, async (signal) => {
    const keeper = await startKeeper(name, root)
    const family = childrenOf(keeper.pid)
    expect(family.length).toBeGreaterThan(0)
    expect(family.every(isAlive)).toBe(true)
    process.kill(keeper.pid, signal)
    await keeper.gone
    while (family.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20))
  })
})

test('a spare interpreter does not keep the process from exiting', MINUTE, async () => {
  const root = await mkdtemp(join(tmpdir(), 'deskhand-life-'))
  const url = JSON.stringify(new URL('../../packages/code/dist/python/index.js', import.meta.url).href)
  const program = `import { bundledPython, createPython } from ${url}
const python = createPython({ engines: [bundledPython()], projectRoot: ${JSON.stringify(root)} })
await python.warm()
console.log((await python.run({ code: 'print(6 * 7)' })).stdout)
await python.warm()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: process.cwd(),
  })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (out += chunk))
  const [status] = await once(child, 'close')
  expect({ out, status }).toEqual({ out: '42\n\n', status: 0 })
  await rm(root, { recursive: true })
})

async function startKeeper(engine: string, root: string): Promise<{ pid: number; gone: Promise<unknown> }> {
  const script = fileURLToPath(new URL('../fixtures/python-keeper.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, engine, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  // An interpreter that stays: a first one may only have been tried.
  for (let family: number[] = []; family.length === 0 || !family.every(isAlive);) {
    family = childrenOf(pid)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  return { pid, gone }
}
