import { expect, test } from 'vitest'
import type { Change } from '../driver.ts'
import { ChangeLog } from './change-log.ts'

const keys = (changes: readonly Change[]): string[] => changes.flatMap((c) => (c.type === 'gone' ? [c.key] : []))

test('much is told in parts, each of bounded size, and nothing twice or not at all', () => {
  const log = new ChangeLog()
  const all = Array.from({ length: 15_000 }, (_, i) => `n${i}`)
  let cursor = log.cursor
  for (const key of all) log.add({ type: 'gone', key })
  const told: string[] = []
  for (let isMore = true; isMore;) {
    const answer = log.since(cursor)
    if ('reset' in answer) throw new Error('told to start over')
    expect(answer.changes.length).toBeLessThanOrEqual(2000)
    told.push(...keys(answer.changes))
    cursor = answer.cursor
    isMore = answer.more === true
  }
  expect(told).toEqual(all)
  expect(log.since(cursor)).toMatchObject({ cursor, changes: [], more: false })
})

test('a reader that is too far behind starts over', () => {
  const log = new ChangeLog(10)
  const { cursor } = log
  for (let i = 0; i < 30; i++) log.add({ type: 'gone', key: `n${i}` })
  expect(log.since(cursor)).toEqual({ reset: true })
  expect(log.since('no cursor')).toEqual({ reset: true })
})

test('a reader of an earlier driver’s log starts over, however long this one is by now', () => {
  const [old, log] = [new ChangeLog(), new ChangeLog()]
  for (const one of [old, log]) for (const key of ['n1', 'n2', 'n3']) one.add({ type: 'gone', key })
  expect(log.since(old.cursor)).toEqual({ reset: true })
  expect(log.since(log.cursor)).toMatchObject({ changes: [] })
})

test('long texts fall out sooner: what is kept is bounded in characters too', () => {
  const log = new ChangeLog()
  const put = (key: string): Change => ({
    type: 'put',
    node: { key, index: 0, app: 'a', role: 'textbox', value: 'x'.repeat(2 ** 20), states: {} },
  })
  const { cursor } = log
  const told = (since: string): string => {
    const answer = log.since(since)
    return 'reset' in answer ? 'reset' : answer.changes.flatMap((c) => (c.type === 'put' ? [c.node.key] : [])).join(' ')
  }
  for (let i = 0; i < 40; i++) log.add(put(`n${i}`))
  expect(told(cursor)).toBe('reset')
  const late = log.cursor
  log.add(put('last'))
  expect(told(late)).toBe('last')
})
