import { expect, test } from 'vitest'
import { limitConcurrency } from './concurrency.ts'

const gate = () => {
  let open = () => {}
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open }
}

test('no more run at once than there are places, and the others follow in order', async () => {
  const turn = limitConcurrency(2)
  const gates = [gate(), gate(), gate(), gate()]
  const started: number[] = []
  const all = gates.map((each, i) =>
    turn(async () => {
      started.push(i)
      await each.passed
    }),
  )
  await Promise.resolve()
  expect(started).toEqual([0, 1])
  gates[1]?.open()
  await all[1]
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2])
  gates.forEach((each) => each.open())
  await Promise.all(all)
  expect(started).toEqual([0, 1, 2, 3])
})

test('a failure gives its place back', async () => {
  const turn = limitConcurrency(1)
  await expect(turn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await turn(async () => 'next')).toBe('next')
})

test('who gives up while waiting leaves the queue', async () => {
  const turn = limitConcurrency(1)
  const first = gate()
  const holding = turn(() => first.passed)
  const stop = new AbortController()
  const waiting = turn(async () => 'never', stop.signal)
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  first.open()
  await holding
  expect(await turn(async () => 'free')).toBe('free')
})
