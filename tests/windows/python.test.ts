import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { PythonRunResult } from '@deskhand/code/python'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { afterthoughts } from '../python/attempts/afterthoughts.ts'
import { bridge, native } from '../python/attempts/bridge.ts'
import { detours } from '../python/attempts/detours.ts'
import { doors } from '../python/attempts/doors.ts'
import { environment } from '../python/attempts/environment.ts'
import { files } from '../python/attempts/files.ts'
import { network } from '../python/attempts/network.ts'
import { processes } from '../python/attempts/processes.ts'
import { windows } from '../python/attempts/windows.ts'
import { failures, tryAll, type Run } from '../python/trial.ts'
import { openWorld, type World } from '../python/world.ts'
import { Seen } from '../support/seen.ts'
import { starting } from '../support/starting.ts'
import { describeWine, inside, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const seen = new Seen('python')
const ENGINE = fileURLToPath(new URL('../fixtures/windows/python.mjs', import.meta.url))
const LONG = { timeout: 300_000 }
const ROUTES = { files, network, processes, environment, afterthoughts, detours, doors, bridge, native, windows }

describeWine('python.run on Windows, on Wine', () => {
  let wine: Wine
  let world: World
  let socket: Socket
  const waiting = new Map<number, (result: unknown) => void>()
  let calls = 0

  const ask = async (what: { code?: string; timeoutMs?: number }): Promise<unknown> => {
    const id = ++calls
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    socket.write(`${JSON.stringify({ id, ...what })}\n`)
    return answer
  }
  const run = async (code: string, timeoutMs = 60_000): Promise<PythonRunResult> => (await ask({ code, timeoutMs })) as PythonRunResult
  const attempt: Run = async (code) => {
    const result = await run(code)
    if (result.ok) return result
    const { stdout, stderr } = result.error.details as { stdout: string; stderr: string }
    return { stdout, stderr, ended: `${result.error.code}: ${result.error.message}` }
  }

  beforeAll(async () => {
    wine = await openWine()
    world = await openWorld(wine.folder)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const log = join(wine.folder, 'python.log')
    wine.run([NODE, onZ(ENGINE), String(port), onZ(world.root)], { log })
    const called = new Promise<Socket>((resolve, reject) => {
      server.once('connection', resolve)
      setTimeout(() => reject(new Error(`the engine on Wine did not call:\n${readFileSync(log, 'utf8')}`)), 60_000).unref()
    })
    socket = await starting(called)
    server.close()
    createInterface({ input: socket }).on('line', (line) => {
      const { id, result } = JSON.parse(line) as { id: number; result: unknown }
      waiting.get(id)?.(result)
      waiting.delete(id)
    })
  })
  afterAll(async () => {
    socket?.destroy()
    await world?.close()
    await wine.down()
  })

  test('the bundled engine is there, runs scripts and lends the project', LONG, async () => {
    expect(await ask({})).toEqual([{ name: 'bundled', inUse: true, ok: true, version: expect.stringMatching(/CPython 3\.\d+/) as string }])
    const code =
      'import os, sys\nprint(os.getcwd(), open("data.txt").read(), sorted(os.listdir(".")))\nprint("ü€😀", file=sys.stderr)\nsys.exit(3)'
    expect(await run(code)).toMatchObject({
      ok: true,
      stdout: expect.stringMatching(/^\/project the project may be read\n \[.*'mod.py'/) as string,
      stderr: 'ü€😀\n',
      exitCode: 3,
    })
    seen.on('Wine', 'the bundled Python: output, exit codes, the lent project')
  })

  test.each(Object.entries(ROUTES))('no attempt through %s reaches anything', LONG, async (_, attempts) => {
    const verdicts = await tryAll(attempts, attempt, world)
    expect(verdicts).toHaveLength(attempts.length)
    expect(failures(verdicts)).toEqual([])
  })

  test('what does not end, writes without end or takes too much is ended, and its beginning is told', LONG, async () => {
    const endless = await run('print("started", flush=True)\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass', 1000)
    expect(endless).toMatchObject({ ok: false, error: { code: 'PYTHON_TIMEOUT', details: { stdout: 'started\n' } } })
    const flood = await run('while True: print("flood" * 1000)')
    expect(flood).toMatchObject({ ok: false, error: { code: 'PYTHON_EXEC_FAILED', message: expect.stringContaining('output') as string } })
    expect(await run('try: bytearray(300 * 2**20)\nexcept MemoryError: print("too much")')).toMatchObject({
      ok: true,
      stdout: 'too much\n',
    })
    const filled = await run("for i in range(2000): open(f'/tmp/{i}', 'wb').write(bytes(2**20))")
    expect(filled).toMatchObject({ ok: false, error: { message: expect.stringContaining('grew beyond') as string } })
    expect(await run('def f(): f()\ntry: f()\nexcept RecursionError: print("stopped")')).toMatchObject({ ok: true, stdout: 'stopped\n' })
    seen.on(
      'Wine',
      `${Object.values(ROUTES).flat().length} attempts to get out of it`,
      'its limits: time, output, memory, files, recursion',
    )
  })

  test('no interpreter outlives its owner', LONG, async () => {
    void run('while True: pass', 120_000)
    // Calls are taken in turn, so that one behind it that has ended tells that it runs.
    await run('1')
    expect(inside(wine, 'main.mjs').length).toBeGreaterThan(0)
    for (const pid of inside(wine, 'python.mjs')) process.kill(pid, 'SIGKILL')
    await expect.poll(() => inside(wine, 'main.mjs'), { timeout: 30_000 }).toEqual([])
    seen.on('Wine', 'interpreters end with the process that started them, by its job')
  })

  test('docs/windows.md says of python.run what was seen here', () => {
    seen.mustBeTold()
  })
})
