import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPython, createPython, systemPython, type Python, type PythonEngine } from '@deskhand/code/python'
import type { Attempt } from './attempts/attempt.ts'
import { afterthoughts } from './attempts/afterthoughts.ts'
import { bridge, native } from './attempts/bridge.ts'
import { detours } from './attempts/detours.ts'
import { doors } from './attempts/doors.ts'
import { environment } from './attempts/environment.ts'
import { files } from './attempts/files.ts'
import { kernel } from './attempts/kernel.ts'
import { network } from './attempts/network.ts'
import { processes } from './attempts/processes.ts'
import { failures, tryAll, type Run } from './trial.ts'
import { openWorld, type World } from './world.ts'

const plain = { files, network, processes, environment, afterthoughts, detours, 'what the project holds': doors }

describe.each<[string, () => PythonEngine, Record<string, Attempt[]>]>([
  ['bundled', () => bundledPython(), { ...plain, 'the bridge to JavaScript': bridge, 'native code': native }],
  ['system', () => systemPython(), { ...plain, 'the kernel': kernel }],
])('the %s engine', (_, open, areas) => {
  let world: World
  let python: Python
  const run: Run = async (code) => {
    const result = await python.run({ code })
    if (result.ok) return result
    const { stdout, stderr } = result.error.details as { stdout: string; stderr: string }
    return { stdout, stderr, ended: `${result.error.code}: ${result.error.message}` }
  }

  beforeAll(async () => {
    world = await openWorld()
    python = createPython({ engines: [open()], projectRoot: world.root, timeoutSeconds: 15 })
  })
  afterAll(async () => {
    await python.close()
    await world.close()
  })

  test('is tried in more than a hundred ways', () => {
    expect(Object.values(areas).flat().length).toBeGreaterThan(100)
  })

  test.each(Object.entries(areas))('no attempt through %s reaches anything', { timeout: 300_000 }, async (_area, attempts) => {
    const verdicts = await tryAll(attempts, run, world)
    expect(verdicts).toHaveLength(attempts.length)
    expect(failures(verdicts)).toEqual([])
  })
})
