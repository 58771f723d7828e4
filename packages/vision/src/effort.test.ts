import { expect, test } from 'vitest'
import { effortAt, heldBack } from './effort.ts'

test('the fewer processors are left, the less recognition takes of them, within bounds, and it says why', () => {
  const [idle, busy, over] = [effortAt(0), effortAt(40), effortAt(95)]
  expect(busy.threads).toBe(1)
  expect(busy.priority).toBeGreaterThan(idle.priority)
  expect([over.rest > busy.rest, busy.rest > idle.rest]).toEqual([true, true])
  expect([over.secondLooks < busy.secondLooks, busy.secondLooks < idle.secondLooks, over.secondLooks > 0]).toEqual([true, true, true])
  expect(heldBack(idle)).toBeUndefined()
  expect(heldBack(busy)).toContain('the processors are busy: one thread')
  expect(heldBack(over)).toContain('overloaded')
})
