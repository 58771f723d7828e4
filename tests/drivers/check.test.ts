import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Outcome } from '@deskhand/core/driver/check'
import { World } from '../support/cli.ts'

const BROKEN = resolve(import.meta.dirname, '../fixtures/broken-driver.mjs')
const world = new World()
afterAll(() => world.end())

async function check(which: string, only = '', patience = '20'): Promise<{ code: number | null; outcomes: Outcome[] }> {
  const { code, out } = await world.run([
    'driver',
    'check',
    '--json',
    '--only',
    only,
    '--patience',
    patience,
    '--',
    process.execPath,
    BROKEN,
    which,
  ])
  return {
    code,
    outcomes: out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Outcome),
  }
}

const failed = (outcomes: readonly Outcome[]): string[] => outcomes.filter((o) => o.result === 'fails').map((o) => o.check)

test('a driver that keeps the contract passes every check', async () => {
  const { code, outcomes } = await check('nothing')
  expect(failed(outcomes)).toEqual([])
  expect(outcomes.filter((o) => o.result === 'holds').length).toBeGreaterThan(25)
  expect(code).toBe(0)
})

test('a driver without a screen that shows the window passes by its elements alone', async () => {
  const { code, outcomes } = await check('screenless')
  expect(failed(outcomes)).toEqual([])
  expect(outcomes.filter((o) => o.result === 'unseen')).toEqual([])
  expect(outcomes.filter((o) => o.result === 'holds').length).toBeGreaterThan(12)
  expect(code).toBe(0)
})

test('words that are in no sentence of the suite are refused', async () => {
  const { code, err } = await world.run(['driver', 'check', '--only', 'nonsense', '--', process.execPath, BROKEN, 'nothing'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('no check has the words nonsense') as string })
})

test.each([
  ['bounds', 'lies about bounds', 'what lies at the middle of a part is that part, in its window'],
  ['keys', 'never releases keys', 'dropping a lease releases the keys that it held'],
  ['ids', 'gives a key to another element', 'a key never comes to mean another element, while others come and go and when its own is gone'],
  ['flood', 'tells changes without end', 'without a change a wait ends by itself, and an unknown cursor answers reset'],
  ['silent', 'never tells a change', 'a change wakes up a reader that waits for it, long before the wait is over'],
  ['guard', 'ignores the guard', 'nothing is sent when something else has the focus than the guard says'],
])('a driver that %s: it %s, and the check says so', async (which, _, sentence) => {
  const { code, outcomes } = await check(which, sentence, '3')
  expect(failed(outcomes)).toEqual([sentence])
  expect(code).toBe(1)
})
