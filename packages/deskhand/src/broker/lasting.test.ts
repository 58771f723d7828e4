import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Lasting } from './lasting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LOOKS_MS = 6_500

test('what was let in by the same token is looked up once at a time, and ends with it', async () => {
  const lasting = new Lasting()
  let looks = 0
  let isLost = false
  const ended: unknown[] = []
  const lost = async (): Promise<unknown> => (looks++, isLost ? 'lost' : undefined)
  for (let i = 0; i < 1_000; i++)
    lasting.add(
      () => lost(),
      (why) => ended.push(why),
      'token',
    )
  await vi.advanceTimersByTimeAsync(LOOKS_MS)
  expect({ looks, ended }).toEqual({ looks: 3, ended: [] })
  isLost = true
  await vi.advanceTimersByTimeAsync(2_000)
  expect(ended).toEqual(Array(1_000).fill('lost'))
})

test('a look that takes long is not made twice at once', async () => {
  const lasting = new Lasting()
  let looks = 0
  lasting.add(
    () => new Promise(() => looks++),
    () => {},
  )
  await vi.advanceTimersByTimeAsync(LOOKS_MS)
  expect(looks).toBe(1)
})

test('what cannot be looked up ends nothing', async () => {
  const lasting = new Lasting()
  let looks = 0
  const ended: unknown[] = []
  const lost = async (): Promise<unknown> => {
    if (++looks < 3) throw new Error('too many open files')
    return 'lost'
  }
  lasting.add(lost, (why) => ended.push(why))
  await vi.advanceTimersByTimeAsync(4_500)
  expect(ended).toEqual([])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(ended).toEqual(['lost'])
})
