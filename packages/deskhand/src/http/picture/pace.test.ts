import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restMs } from './pace.ts'

test('a small change is shown at once on a busy machine too, and a large one waits as long as the machine asks', () => {
  expect([restMs(150, 10), restMs(150, 4_096), restMs(150, 200_000), restMs(150, 2_000_000)].map(Math.round)).toEqual([20, 23, 150, 150])
  expect(restMs(20, 2_000_000)).toBe(20)
})

test('a larger change never waits less, and no wait is outside its bounds', () => {
  const size = fc.nat({ max: 4_000_000 })
  fc.assert(
    fc.property(fc.constantFrom(20, 70, 150), size, size, (everyMs, a, b) => {
      const [small, large] = [restMs(everyMs, Math.min(a, b)), restMs(everyMs, Math.max(a, b))]
      expect(small).toBeLessThanOrEqual(large)
      expect(small).toBeGreaterThanOrEqual(20)
      expect(large).toBeLessThanOrEqual(everyMs)
    }),
  )
})
