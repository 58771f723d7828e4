import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { Principal } from '../../model/index.ts'
import { DesktopConsent } from './desktop-consent.ts'

const who: Principal = { id: 'anna', role: 'operator' }
const over = { code: 'CANCELLED', next: expect.stringContaining('consent give') as string }

afterEach(() => void vi.useRealTimers())

/** A desktop whose own dialog waits for `answer`; it takes a yes whenever that comes. */
function asking() {
  const written: [string, unknown][] = []
  const answers: ((isYes: boolean | Error) => void)[] = []
  let isOpen = false
  const consent = new DesktopConsent({
    admit: async (isGiven) => {
      const yes = isGiven && (await new Promise<boolean | Error>((answer) => answers.push(answer)))
      if (yes instanceof Error) throw yes
      isOpen = yes
    },
    changed: async () => isOpen,
    release: async () => {},
    record: async (what, _by, detail) => void written.push([what, detail]),
  })
  const ctx = { who, signal: new AbortController().signal }
  const give = async (minutes: number) => {
    const given = Promise.resolve(consent.methods['consent.give']({ minutes }, ctx))
    given.catch(() => {})
    await turn()
    return { given }
  }
  return {
    give,
    withdraw: () => consent.methods['consent.withdraw']({}, ctx),
    close: () => consent.close(),
    answer: (isYes: boolean | Error) => answers.shift()?.(isYes),
    isOpen: () => isOpen,
    written: () => written.map(([what]) => what),
    detail: (n: number) => written.at(n)?.[1],
  }
}

test('a consent that is withdrawn while the desktop asks its person opens nothing, though they say yes then', async () => {
  const d = asking()
  const { given } = await d.give(10)
  await d.withdraw()
  d.answer(true)
  await expect(given).rejects.toMatchObject(over)
  expect(d.isOpen()).toBe(false)
  expect(d.written()).toEqual(['consent', 'consent withdrawn'])
})

test('the time of a consent runs from when the desktop is open, and ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const d = asking()
  const { given } = await d.give(1)
  await vi.advanceTimersByTimeAsync(70_000)
  d.answer(true)
  expect(Date.parse((await given).until)).toBe(Date.now() + 60_000)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(d.isOpen()).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(d.isOpen()).toBe(false)
  expect([d.written(), d.detail(1)]).toEqual([['consent', 'consent withdrawn'], { expired: true }])
})

test('of two consents the later one counts: the earlier opens and closes nothing any more', async () => {
  const d = asking()
  const [first, second] = [await d.give(10), await d.give(20)]
  d.answer(true)
  await expect(first.given).rejects.toMatchObject(over)
  d.answer(true)
  expect(await second.given).toHaveProperty('until')
  expect(d.isOpen()).toBe(true)
  d.close()
})

test('a desktop that could not be opened is closed again, and that is written down', async () => {
  const d = asking()
  const { given } = await d.give(10)
  d.answer(new Error('no driver'))
  await expect(given).rejects.toThrow('no driver')
  expect([d.written(), d.detail(1)]).toEqual([['consent', 'consent withdrawn'], { failed: true }])
})
