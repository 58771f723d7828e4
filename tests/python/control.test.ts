import { afterEach, beforeEach, expect, test } from 'vitest'
import { bridge } from './attempts/bridge.ts'
import { doors } from './attempts/doors.ts'
import { environment } from './attempts/environment.ts'
import { files } from './attempts/files.ts'
import { network } from './attempts/network.ts'
import { processes } from './attempts/processes.ts'
import { Unheld } from './unheld.ts'

/** The judge of the attempts sees what succeeds, area by area; how many succeed is counted in control.long.test.ts. */
let unheld: Unheld
beforeEach(async () => {
  unheld = await Unheld.open()
})
afterEach(() => unheld.close())

test.each(Object.entries({ files, network, doors, processes, environment }))(
  'without a sandbox, three attempts on %s succeed',
  { timeout: 60_000 },
  async (_, attempts) => {
    const reached: string[] = []
    for (const attempt of attempts.filter((each) => !each.harmful))
      if (reached.length < 3 && (await unheld.reaches(attempt))) reached.push(attempt.name)
    expect(reached).toHaveLength(3)
  },
)

test('without the seal, the bridge to JavaScript leads out', { timeout: 60_000 }, async () => {
  const known = ['import js', 'run_js and a shell', 'to_js and its constructor']
  expect(await unheld.reachedByBridge(bridge.filter(({ name }) => known.includes(name)))).toEqual(known)
})
