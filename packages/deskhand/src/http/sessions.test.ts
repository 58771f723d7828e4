import { beforeEach, expect, test } from 'vitest'
import { Sessions } from './sessions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
let now: number
let sessions: Sessions
beforeEach(() => {
  now = 1_000_000
  sessions = new Sessions(() => now)
})

test('the code of a link is good for ten minutes and no longer', () => {
  const [early, late] = [sessions.issue(), sessions.issue()]
  now += 10 * MINUTE
  expect(sessions.exchange(early)).toBeDefined()
  now += 1
  expect(sessions.exchange(late)).toBeUndefined()
})

test('a code that came too late is good for nothing afterwards either', () => {
  const code = sessions.issue()
  now += 11 * MINUTE
  expect(sessions.exchange(code)).toBeUndefined()
  now -= 11 * MINUTE
  expect(sessions.exchange(code)).toBeUndefined()
})

test('of many links that nothing opened the oldest end, and a guessed code opens nothing', () => {
  const codes = Array.from({ length: 20 }, () => sessions.issue())
  expect(codes.map((code) => sessions.exchange(code) !== undefined)).toEqual([
    ...Array<boolean>(4).fill(false),
    ...Array<boolean>(16).fill(true),
  ])
  expect(sessions.exchange('A'.repeat(32))).toBeUndefined()
})

test('a browser stays signed in while it is used, and not for more than twelve hours in which it is not', () => {
  const { cookie = '' } = sessions.exchange(sessions.issue()) ?? {}
  for (let i = 0; i < 3; i++) {
    now += 11 * HOUR
    expect(sessions.find(cookie)).toBeDefined()
  }
  now += 12 * HOUR + 1
  expect(sessions.find(cookie)).toBeUndefined()
})
