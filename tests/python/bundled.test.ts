import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundledPython, createPython, type Python } from '@deskhand/code/python'
import { bridge, native } from './attempts/bridge.ts'
import { environment } from './attempts/environment.ts'
import { files } from './attempts/files.ts'
import { network } from './attempts/network.ts'
import { processes } from './attempts/processes.ts'
import { failures, tryAll, type Run } from './trial.ts'
import { openWorld, type World } from './world.ts'

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
  python = createPython({ engines: [bundledPython()], projectRoot: world.root, timeoutSeconds: 15 })
})
afterAll(async () => {
  await python.close()
  await world.close()
})

test.each([
  ['files', files],
  ['network', network],
  ['processes', processes],
  ['environment', environment],
  ['the bridge to JavaScript', bridge],
  ['native code', native],
])('no attempt through %s reaches anything', { timeout: 300_000 }, async (_, attempts) => {
  const verdicts = await tryAll(attempts, run, world)
  expect(verdicts).toHaveLength(attempts.length)
  expect(failures(verdicts)).toEqual([])
  if (process.env.SHOW) for (const v of verdicts) console.log(`${v.attempt.area}: ${v.attempt.name} ${v.ended ?? ''}\n   ${v.output.trim().slice(0, 300)}`)
})
