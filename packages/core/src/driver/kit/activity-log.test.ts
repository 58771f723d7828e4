import { expect, test, vi } from 'vitest'
import { within } from '../driver.ts'
import { ActivityLog } from './activity-log.ts'

const SCREEN = { x: 0, y: 0, w: 800, h: 600 }
const box = (x: number): typeof SCREEN => ({ x, y: 0, w: 10, h: 10 })
const ctx = within(10_000)

test('a reader without a place, or with one of another log, is told at once that all of the screen is new', async () => {
  const log = new ActivityLog(SCREEN)
  log.draw(box(1))
  for (const since of [undefined, 'other/1/0']) expect(await log.watch('drawing', since, 60_000, ctx)).toMatchObject({ damage: [SCREEN] })
})

test('each reader is told what was drawn since its own place', async () => {
  const log = new ActivityLog(SCREEN)
  const { cursor } = await log.watch('drawing', undefined, 0, ctx)
  const waiting = log.watch('drawing', cursor, 60_000, ctx)
  log.draw(box(1))
  const first = await waiting
  expect(first.damage).toEqual([box(1)])
  log.draw(box(2))
  expect((await log.watch('drawing', first.cursor, 0, ctx)).damage).toEqual([box(2)])
  expect((await log.watch('drawing', cursor, 0, ctx)).damage).toEqual([box(1), box(2)])
})

test('a slow reader gets everything that was drawn, in bounded number', async () => {
  const log = new ActivityLog(SCREEN)
  const { cursor } = await log.watch('drawing', undefined, 0, ctx)
  for (let x = 0; x < 500; x++) log.draw(box(x))
  const { damage } = await log.watch('drawing', cursor, 0, ctx)
  expect(damage.length).toBeLessThanOrEqual(64)
  expect(Math.min(...damage.map((d) => d.x))).toBe(0)
  expect(Math.max(...damage.map((d) => d.x + d.w))).toBe(509)
})

test('input counts at once, for guards, and wakes readers when it is told', async () => {
  const log = new ActivityLog(SCREEN)
  const { cursor } = await log.watch('input', undefined, 0, ctx)
  expect(log.isBeyond(0)).toBe(false)
  const waiting = log.watch('input', cursor, 60_000, ctx)
  log.draw(box(1))
  log.count('moves')
  log.count('keys', 2)
  expect([log.isBeyond(2), log.isBeyond(3), log.isBeyond(undefined)]).toEqual([true, false, false])
  log.tell({ x: 5, y: 6 })
  expect(await waiting).toMatchObject({ human: { moves: 1, buttons: 0, keys: 2 }, at: { x: 5, y: 6 } })
})

test('it says when the first reader starts to wait for a person and when the last one has stopped', async () => {
  const log = new ActivityLog(SCREEN)
  const told: boolean[] = []
  log.onWaiting = (isWaiting) => told.push(isWaiting)
  const { cursor } = await log.watch('input', undefined, 0, ctx)
  const stop = new AbortController()
  const one = log.watch('input', cursor, 60_000, within(10_000, stop.signal))
  const two = log.watch('input', cursor, 60_000, ctx)
  expect(told).toEqual([true])
  stop.abort()
  await expect(one).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(told).toEqual([true])
  log.close()
  await two
  expect(told).toEqual([true, false])
})

test('what is drawn again and again at one place is told as restless, unless steps of the driver bring it about', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const log = new ActivityLog(SCREEN)
    const blink = (x: number, times: number): void => {
      for (let i = 0; i < times; i++) {
        vi.advanceTimersByTime(500)
        log.draw(box(x))
      }
    }
    vi.advanceTimersByTime(2000)
    blink(1, 4)
    blink(100, 1)
    expect(log.restless).toEqual([box(1), box(1), box(1), box(1)])
    vi.advanceTimersByTime(5000)
    expect(log.restless).toEqual([])
    for (let i = 0; i < 4; i++) {
      log.act()
      blink(200, 1)
    }
    expect(log.restless).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})
