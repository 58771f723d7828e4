import { connect } from 'deskhand'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'

/** An hour of an agent that makes three calls a second, as fast as the page takes them. */
const CALLS = 3 * 3_600
const POINTS = 6
const MB = 1 << 20

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open('')))
afterAll(() => on?.end())

test('the page needs no more memory after the events of an hour than after those of ten minutes', async () => {
  const desk = await connect({ state: on.world.env['DESKHAND_STATE']! })
  const devtools = await on.page.context().newCDPSession(on.page)
  await devtools.send('Performance.enable')
  /** What is in use once everything that can go is gone. */
  const used = async (): Promise<{ heap: number; nodes: number; listeners: number }> => {
    await devtools.send('HeapProfiler.collectGarbage')
    const { metrics } = await devtools.send('Performance.getMetrics')
    const value = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN
    return { heap: value('JSHeapUsedSize') / MB, nodes: value('Nodes'), listeners: value('JSEventListeners') }
  }
  /** The newest row of the page has caught up with the record. */
  const caughtUp = async (time: string): Promise<void> => {
    const newest = on.page.locator('.step time').first()
    await expect.poll(async () => ((await newest.getAttribute('datetime')) ?? '') >= time, { timeout: 60_000 }).toBe(true)
  }
  const found: Awaited<ReturnType<typeof used>>[] = []
  for (let point = 1; point <= POINTS; point++) {
    for (let i = 1; i <= CALLS / POINTS; i++) {
      const { status } = await desk.call('ui.click', { target: 'name="Already paid"' })
      expect(status).toBe('success')
      // Ahead of the page the feed would tell it to read everything anew, which is another story.
      if (i % 100 === 0) await caughtUp(new Date(Date.now() - 2_000).toISOString())
    }
    await sleep(1_000)
    found.push(await used())
  }
  await desk.close()
  process.stderr.write(
    `after each ${CALLS / POINTS} calls: ${found.map(({ heap, nodes }) => `${heap.toFixed(1)} MB, ${nodes} nodes`).join('; ')}\n`,
  )
  const [, second, ...later] = found
  for (const { heap, nodes, listeners } of later) {
    expect(heap).toBeLessThan(second!.heap * 1.1 + 1)
    expect(nodes).toBeLessThan(second!.nodes * 1.2 + 100)
    expect(listeners).toBeLessThan(second!.listeners * 1.2 + 20)
  }
}, 900_000)
