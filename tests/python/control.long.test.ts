import { afterEach, beforeEach, expect, test } from 'vitest'
import { bridge } from './attempts/bridge.ts'
import { doors } from './attempts/doors.ts'
import { environment } from './attempts/environment.ts'
import { files } from './attempts/files.ts'
import { network } from './attempts/network.ts'
import { processes } from './attempts/processes.ts'
import { Unheld } from './unheld.ts'

let unheld: Unheld
beforeEach(async () => {
  unheld = await Unheld.open()
})
afterEach(() => unheld.close())

test.each([
  ['files', files, 30],
  ['network', network, 25],
  ['doors', doors, 19],
  ['processes', processes, 15],
  ['environment', environment, 4],
] as const)('without a sandbox, most attempts on %s succeed', { timeout: 900_000 }, async (_, attempts, least) => {
  const reached: string[] = []
  for (const attempt of attempts.filter((each) => !each.harmful)) if (await unheld.reaches(attempt)) reached.push(attempt.name)
  expect(reached.length, reached.join(', ')).toBeGreaterThanOrEqual(least)
})

test('without the seal, the bridge to JavaScript leads out', { timeout: 900_000 }, async () => {
  const reached = await unheld.reachedByBridge(bridge)
  expect(reached.length, reached.join(', ')).toBeGreaterThanOrEqual(10)
  expect(reached).toEqual(expect.arrayContaining(['import js', 'run_js and a shell', 'to_js and its constructor']))
})
