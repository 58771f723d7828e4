import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPython, createPython, systemPython, type Python, type PythonEngine } from '@deskhand/code/python'
import { exhaustion } from './attempts/exhaustion.ts'
import { childrenOf } from './family.ts'
import { openWorld, type World } from './world.ts'

const LIMITS = { memoryMb: 256, fileMb: 16, floodMb: 16 }
/** The interpreter's own share, the limit, and what can be taken before the watchdog looks again. */
const MOST_MB = 1000
const AT_ONCE = 4

describe.each<[string, () => PythonEngine]>([
  ['bundled', () => bundledPython({ prewarm: false })],
  ['system', () => systemPython()],
])('the %s engine', (_, open) => {
  let world: World
  let python: Python
  /** Who listens for what comes out of the sandbox. */
  let listeners: number[]
  const started = () => childrenOf(process.pid).filter((pid) => !listeners.includes(pid))

  beforeAll(async () => {
    world = await openWorld()
    listeners = childrenOf(process.pid)
    python = createPython({ engines: [open()], projectRoot: world.root, timeoutSeconds: 1, limits: LIMITS, atOnce: AT_ONCE })
  })
  afterAll(async () => {
    await python.close()
    await world.close()
  })

  test.each(groups(exhaustion, AT_ONCE))('%s: ended or coded, and nothing is left', { timeout: 120_000 }, async (_names, group) => {
    let peakMb = 0
    const watch = setInterval(() => (peakMb = Math.max(peakMb, ...started().map(residentMb))), 50)
    const results = await Promise.all(group.map(({ code }) => python.run({ code }))).finally(() => clearInterval(watch))
    for (const [i, result] of results.entries()) {
      if (!result.ok) expect(['PYTHON_TIMEOUT', 'PYTHON_EXEC_FAILED'], group[i]?.name).toContain(result.error.code)
    }
    expect(peakMb).toBeLessThan(MOST_MB)
    expect(started()).toEqual([])
    expect(await world.breaches('no mark')).toEqual([])
  })

  test('is in good health afterwards', { timeout: 60_000 }, async () => {
    expect(await python.run({ code: 'print("well")' })).toMatchObject({ ok: true, stdout: 'well\n' })
  })
})

function groups<T extends { name: string }>(all: T[], size: number): [string, T[]][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size)).map((group) => [
    group.map((each) => each.name).join(', '),
    group,
  ])
}

function residentMb(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 2 ** 20
  } catch {
    return 0
  }
}
