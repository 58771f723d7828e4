import { expect, test } from 'vitest'
import type { DesktopEvent } from '@deskhand/core/model'
import { Feed } from './feed.ts'

const event = (n: number): DesktopEvent => ({ id: `life-${n}`, time: '2026-01-01T00:00:00Z', type: 'tree', generation: n })

function feedOf(count: number): Feed {
  const feed = new Feed()
  feed.begin('life-0')
  for (let n = 1; n <= count; n++) feed.push(event(n))
  return feed
}

test('a reader that is slower than the feed is told what it missed, and goes on with the oldest that is kept', async () => {
  const feed = feedOf(10)
  const reader = feed.subscribe('life-0', new AbortController().signal)
  expect((await reader.next()).value).toMatchObject({ id: 'life-1' })
  for (let n = 11; n <= 10_000; n++) feed.push(event(n))
  const missed = (await reader.next()).value
  expect(missed).toMatchObject({ event: { type: 'missed', from: 'life-2', next: 'life-5905' } })
  expect((await reader.next()).value).toMatchObject({ id: 'life-5905' })
})

test('a reader that comes back behind the event that was missed goes on without a loss', async () => {
  const feed = feedOf(10_000)
  const told = (await feed.subscribe('life-1', new AbortController().signal).next()).value
  expect(told).toMatchObject({ event: { type: 'missed' } })
  const again = feed.subscribe(told?.id, new AbortController().signal)
  expect((await again.next()).value).toMatchObject({ id: 'life-5905' })
})

test.each(['life-99', 'other-3', 'life-', 'life--1', '', 'life-1e1'])('no event is behind %j, which never was', async (id) => {
  const reader = feedOf(10).subscribe(id, new AbortController().signal)
  expect((await reader.next()).value).toMatchObject({ event: { type: 'missed' } })
})
