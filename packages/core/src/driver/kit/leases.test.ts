import { expect, test } from 'vitest'
import { within } from '../driver.ts'
import { Leases } from './leases.ts'

const ctx = within(10_000)
const LOST = { code: 'LEASE_LOST' }

/** Controls on which a key can be held. */
function desk(): { leases: Leases; down: Set<string>; released: () => number } {
  const down = new Set<string>()
  let releases = 0
  const leases = new Leases({
    isHolding: () => down.size > 0,
    release: async () => {
      releases++
      await Promise.resolve()
      down.clear()
    },
  })
  return { leases, down, released: () => releases }
}

test('one lease lives at a time, also when two callers take it at once', async () => {
  const { leases } = desk()
  const [one, two] = await Promise.allSettled([leases.take(60_000, ctx), leases.take(60_000, ctx)])
  expect(one.status).toBe('fulfilled')
  expect(two).toMatchObject({ status: 'rejected', reason: LOST })
})

test('a lease that was dropped, stopped or never given runs nothing', async () => {
  const { leases } = desk()
  const lease = await leases.take(60_000, ctx)
  await leases.drop('lease-99')
  expect(await leases.run(lease, ctx, () => 1)).toBe(1)
  await leases.drop(lease)
  await expect(leases.run(lease, ctx, () => 1)).rejects.toMatchObject(LOST)
  const next = await leases.take(60_000, ctx)
  await leases.stop()
  await expect(leases.run(next, ctx, () => 1)).rejects.toMatchObject(LOST)
})

test('steps run one after the other, and one that fails does not hold up the next', async () => {
  const { leases } = desk()
  const lease = await leases.take(60_000, ctx)
  const order: string[] = []
  const slow = leases.run(lease, ctx, async () => {
    order.push('slow begins')
    await new Promise((resolve) => setTimeout(resolve, 20))
    order.push('slow ends')
    throw new Error('fault')
  })
  const quick = leases.run(lease, ctx, () => order.push('quick'))
  await expect(slow).rejects.toThrow('fault')
  await quick
  expect(order).toEqual(['slow begins', 'slow ends', 'quick'])
})

test('a stop ends the running step before its next event and releases what that step pressed last', async () => {
  const { leases, down } = desk()
  const lease = await leases.take(60_000, ctx)
  const running = leases.run(lease, ctx, async () => {
    let events = 0
    while (leases.mayGoOn(lease, ctx, Infinity)) {
      down.add(`key ${events++}`)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return events
  })
  await new Promise((resolve) => setTimeout(resolve, 10))
  await leases.stop()
  expect(await running).toBeGreaterThan(0)
  expect(down.size).toBe(0)
})

test('what is held when the time of a lease is up is released without being asked for', async () => {
  const { leases, down } = desk()
  const lease = await leases.take(30, ctx)
  await leases.run(lease, ctx, () => down.add('Shift'))
  await expect.poll(() => down.size).toBe(0)
  await expect(leases.run(lease, ctx, () => 1)).rejects.toMatchObject(LOST)
})

test('a caller that is gone takes nothing and runs nothing', async () => {
  const { leases } = desk()
  const gone = within(10_000, AbortSignal.abort())
  await expect(leases.take(1000, gone)).rejects.toMatchObject({ code: 'CANCELLED' })
  const lease = await leases.take(60_000, ctx)
  await expect(leases.run(lease, gone, () => 1)).rejects.toMatchObject({ code: 'CANCELLED' })
})
