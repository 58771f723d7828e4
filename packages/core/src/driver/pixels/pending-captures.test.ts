import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { PendingCaptures } from './pending-captures.ts'
import type { Pixels } from './pixels.ts'

const picture = (colour = 0x332211, count = 4): Pixels => ({
  width: count,
  height: 1,
  words: new Uint32Array(count).fill(colour),
  lowest: 'red',
  origin: { x: 10, y: 20 },
  scale: 1,
})
afterEach(() => void vi.useRealTimers())

test('a picture is given once, and what is hidden in it is nowhere', async () => {
  const captures = new PendingCaptures()
  const { id, ...shot } = captures.keep(picture(), [])
  expect(shot).toEqual({ width: 4, height: 1, origin: { x: 10, y: 20 }, scale: 1, windows: [], blank: true })
  const hide = [{ x: 11, y: 20, w: 2, h: 1 }]
  const seen = [0x11, 0x22, 0x33, 255]
  expect([...(await captures.render(id, { hide, as: 'rgba' }))]).toEqual([...seen, 0, 0, 0, 255, 0, 0, 0, 255, ...seen])
  await expect(captures.render(id, { hide: [], as: 'rgba' })).rejects.toMatchObject({ code: 'STALE_REF' })
})

test('a caller that comes late, or knows no id, gets no picture', async () => {
  vi.useFakeTimers()
  const captures = new PendingCaptures()
  const { id } = captures.keep(picture())
  vi.advanceTimersByTime(60_000)
  await expect(captures.render(id, { hide: [], as: 'png' })).rejects.toMatchObject({ code: 'STALE_REF' })
  await expect(captures.render('', { hide: [], as: 'png' })).rejects.toMatchObject({ code: 'STALE_REF' })
})

test('a dozen large screens wait; more than that push out the oldest, never the newest', async () => {
  const captures = new PendingCaptures()
  const shots = Array.from({ length: 20 }, (_, i) => captures.keep(picture(i, 1920 * 1080)))
  const kept = await Promise.all(
    shots.map(({ id }) =>
      captures.render(id, { hide: [], as: 'rgba' }).then(
        (d) => d[0],
        () => undefined,
      ),
    ),
  )
  expect(kept.filter((n) => n !== undefined)).toEqual(Array.from({ length: 16 }, (_, i) => i + 4))
  const { id } = captures.keep(picture(7, 40 << 20))
  expect((await captures.render(id, { hide: [], as: 'rgba' }))[0]).toBe(7)
})

test('rows are written into a file that is there, masked, from the byte that was named; where there is none they are the answer', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-captures-'))
  try {
    const captures = new PendingCaptures()
    const file = join(dir, 'pixels')
    writeFileSync(file, Buffer.alloc(4, 9))
    const taken = (): string =>
      captures.keep({ width: 2, height: 1, words: Uint32Array.of(0x112233, 0x445566), lowest: 'red', origin: { x: 0, y: 0 }, scale: 1 }).id
    const hide = [{ x: 1, y: 0, w: 1, h: 1 }]
    const rows = [0x33, 0x22, 0x11, 0xff, 0, 0, 0, 0xff]
    expect(await captures.render(taken(), { hide, as: 'rgba', into: { file, at: 4 } })).toHaveLength(0)
    expect([...readFileSync(file)]).toEqual([9, 9, 9, 9, ...rows])
    const nowhere = { file: join(dir, 'nothing'), at: 0 }
    expect([...(await captures.render(taken(), { hide, as: 'rgba', into: nowhere }))]).toEqual(rows)
    expect(existsSync(nowhere.file)).toBe(false)
  } finally {
    rmSync(dir, { recursive: true })
  }
})
