import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitFor, type WaitNeeds } from './wait-for.ts'

const NEEDS = {
  tree: { sync: async () => {}, changed: async () => false },
  driver: { can: () => true },
  isBusy: () => false,
} as unknown as WaitNeeds

test('pixels that take longer to read than the caller waits are read once more when the time is over', async () => {
  let isDrawn = false
  const reading = async () => {
    const holds = isDrawn
    await sleep(30)
    isDrawn = true
    return { holds, details: '', seen: true }
  }
  expect(await waitFor(NEEDS, reading, { timeoutMs: 10, signal: new AbortController().signal })).toMatchObject({ holds: true })
})

test('what is never drawn is not waited for longer than for one more look', async () => {
  let looks = 0
  const reading = async () => {
    looks++
    await sleep(30)
    return { holds: false, details: '', seen: true }
  }
  expect(await waitFor(NEEDS, reading, { timeoutMs: 10, signal: new AbortController().signal })).toMatchObject({ holds: false })
  expect(looks).toBe(2)
})
