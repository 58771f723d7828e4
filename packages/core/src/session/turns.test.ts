import { setImmediate as eventLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Principal } from '../model/index.ts'
import { Turns } from './turns.ts'

const viewer: Principal = { id: 'watching', role: 'viewer' }
const agent: Principal = { id: 'agent', role: 'agent' }
const operator: Principal = { id: 'operator', role: 'operator' }
const signal = new AbortController().signal

test('of the looks of one principal two run at a time; those of others do not wait for them, and all are made', async () => {
  const turns = new Turns()
  let [running, most, made] = [0, 0, 0]
  let isHeld = true
  const look = async () => {
    most = Math.max(most, ++running)
    while (isHeld) await eventLoop()
    running--
    made++
  }
  const all = Array.from({ length: 20 }, () => turns.look(viewer, signal, look))
  expect(await turns.look(agent, signal, () => 'seen')).toBe('seen')
  expect(await turns.look(operator, signal, () => 'seen')).toBe('seen')
  isHeld = false
  await Promise.all(all)
  expect({ most, made, running }).toEqual({ most: 2, made: 20, running: 0 })
  expect(await turns.look(viewer, signal, () => 'again')).toBe('again')
})

test('between two that begin there is a turn of the event loop, and an operator waits for none of them', async () => {
  const turns = new Turns()
  let begun = 0
  const all = Array.from({ length: 50 }, () => turns.begin(agent).then(() => begun++))
  await turns.begin(operator)
  expect(begun).toBe(0)
  const seen: number[] = []
  while (begun < 50) {
    await eventLoop()
    seen.push(begun)
  }
  await Promise.all(all)
  expect(seen.every((count, i) => count - (seen[i - 1] ?? 0) <= 1)).toBe(true)
})

test('a look that fails, or whose caller has left, makes room for the next', async () => {
  const turns = new Turns()
  const left = new AbortController()
  left.abort(new Error('left'))
  let made = 0
  const gone = Array.from({ length: 5 }, () => turns.look(viewer, left.signal, () => made++))
  const failing = Array.from({ length: 5 }, () => turns.look(viewer, signal, () => Promise.reject(new Error('broken'))))
  const outcomes = await Promise.allSettled([...gone, ...failing])
  expect(outcomes.map((o) => o.status)).toEqual(Array(10).fill('rejected'))
  expect(made).toBe(0)
  expect(await turns.look(viewer, signal, () => 'seen')).toBe('seen')
})
