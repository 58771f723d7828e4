import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DesktopEvent } from '../model/index.ts'
import { Events } from './events.ts'

const feed = (): Events => new Events(() => 0)
const publish = (events: Events, count: number): void => {
  for (let i = 0; i < count; i++) events.publish({ type: 'tree', generation: i })
}

/** The next `count` events of a subscription. */
async function take(events: AsyncGenerator<DesktopEvent>, count: number): Promise<DesktopEvent[]> {
  const taken: DesktopEvent[] = []
  while (taken.length < count) {
    const next = await events.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}
const generations = (events: DesktopEvent[]): (number | string)[] => events.map((e) => (e.type === 'tree' ? e.generation : e.type))

test('many listeners hear every event in the same order, each at its own pace', async () => {
  const events = feed()
  const [a, b] = [events.subscribe(events.last), events.subscribe(events.last)]
  const first = take(a, 3)
  publish(events, 3)
  expect(generations(await first)).toEqual([0, 1, 2])
  publish(events, 2)
  expect(generations(await take(b, 5))).toEqual([0, 1, 2, 0, 1])
})

test('a listener goes on where it left off', async () => {
  const events = feed()
  publish(events, 3)
  const [, second] = await take(events.subscribe(`${events.last.split('-')[0]}-0`), 2)
  expect(generations(await take(events.subscribe(second!.id), 1))).toEqual([2])
})

test('a listener that is too slow is told what it missed, and goes on with what is kept', async () => {
  const events = feed()
  const start = events.last
  publish(events, 10_000)
  const [missed, next] = await take(events.subscribe(start), 2)
  expect(missed).toMatchObject({ type: 'missed', next: next!.id })
  const rest = await take(events.subscribe(next!.id), 4_095)
  expect(generations(rest).at(-1)).toBe(9_999)
})

test('an id of another life of the desktop, or of no event, is answered with what was missed', async () => {
  for (const after of ['beef-3', 'nothing', '', `${feed().last}x`]) {
    const events = feed()
    publish(events, 1)
    expect(generations(await take(events.subscribe(after), 2))).toEqual(['missed', 0])
  }
})

test('a subscription ends with its signal and with the feed', async () => {
  const events = feed()
  const end = new AbortController()
  const ended = take(events.subscribe(undefined, end.signal), 1)
  end.abort()
  expect(await ended).toEqual([])
  const closed = take(events.subscribe(), 1)
  events.close()
  expect(await closed).toEqual([])
})

test('whatever the pace, a listener hears a gapless run after each time it is told that it missed something', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 40 })), { maxLength: 12 }),
      async (turns) => {
        const events = feed()
        let n = 0
        const listener = events.subscribe(events.last)
        let last: number | undefined = -1
        for (const [published, taken] of turns) {
          for (let i = 0; i < published; i++) events.publish({ type: 'tree', generation: n++ })
          const heard = await take(listener, Math.min(taken, n - 1 - (last ?? n - 1)))
          for (const event of heard) {
            if (event.type === 'missed') last = undefined
            if (event.type !== 'tree') continue
            if (last !== undefined) expect(event.generation).toBe(last + 1)
            last = event.generation
          }
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('a listener that gathers hears at once what there is when the desktop ends', async () => {
  const events = feed()
  const gathered = take(events.subscribe(events.last, undefined, 600_000), 3)
  publish(events, 2)
  await new Promise(setImmediate)
  events.close()
  expect(generations(await gathered)).toEqual([0, 1])
})
