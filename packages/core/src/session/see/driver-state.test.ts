import { expect, test } from 'vitest'
import type { DriverInfo, DriverPart, Observe } from '../../driver/driver.ts'
import { DriverState } from './driver-state.ts'

const part = (kind: string, ...prefixes: string[]): DriverPart => ({ kind, name: kind, version: '1', prefixes })

const prefixesOf = async (info: Partial<DriverInfo>) => (await DriverState.ask({ info: async () => info } as unknown as Observe)).prefixes

test('the prefixes of a desktop belong to the driver that claims them', async () => {
  expect([...(await prefixesOf(part('linux', 'atspi')))]).toEqual([['atspi', ['linux']]])
  const parts = [part('linux', 'atspi', 'ui'), part('web', 'dom', 'ui')]
  expect([...(await prefixesOf({ ...part('linux', 'atspi', 'ui', 'dom'), parts }))]).toEqual([
    ['atspi', ['linux']],
    ['ui', ['linux', 'web']],
    ['dom', ['web']],
  ])
})
