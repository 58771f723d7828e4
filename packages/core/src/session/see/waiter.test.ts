import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DriverState } from './driver-state.ts'
import type { LiveTree } from './live-tree.ts'
import { Waiter } from './waiter.ts'

const tree = { sync: async () => {}, changed: async () => false } as unknown as LiveTree
const driver = { can: () => true } as unknown as DriverState
const waiter = new Waiter(tree, driver, () => false)

test('pixels that take longer to read than the caller waits are read once more when the time is over', async () => {
  let isDrawn = false
  const reading = async () => {
    const holds = isDrawn
    await sleep(30)
    isDrawn = true
    return { holds, details: '', seen: true }
  }
  expect(await waiter.until(reading, { timeoutMs: 10, signal: new AbortController().signal })).toMatchObject({ holds: true })
})

test('what is never drawn is not waited for longer than for one more look', async () => {
  let looks = 0
  const reading = async () => {
    looks++
    await sleep(30)
    return { holds: false, details: '', seen: true }
  }
  expect(await waiter.until(reading, { timeoutMs: 10, signal: new AbortController().signal })).toMatchObject({ holds: false })
  expect(looks).toBe(2)
})
