import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pace, ReaderPace, restMs } from './pace.ts'

test('a small change is shown at once on a busy machine too, and a large one waits as long as the machine asks', () => {
  expect([restMs(150, 10), restMs(150, 1_000), restMs(150, 50_000), restMs(150, 2_000_000)].map(Math.round)).toEqual([20, 23, 150, 150])
  expect([restMs(50, 10), restMs(50, 2_000_000)].map(Math.round)).toEqual([20, 50])
})

test('a larger change never waits less, and no wait is outside its bounds', () => {
  const size = fc.nat({ max: 4_000_000 })
  fc.assert(
    fc.property(fc.constantFrom(50, 70, 150), size, size, (everyMs, a, b) => {
      const [small, large] = [restMs(everyMs, Math.min(a, b)), restMs(everyMs, Math.max(a, b))]
      expect(small).toBeLessThanOrEqual(large)
      expect(small).toBeGreaterThanOrEqual(20)
      expect(large).toBeLessThanOrEqual(everyMs)
    }),
  )
})

test('a machine under pressure holds every picture to less, within bounds, and says why', () => {
  const thrift = (pressure: number) => new Pace(() => pressure).thrift
  expect(thrift(0)).toEqual({ everyMs: 50, detailBits: 8, why: 'nothing holds it back' })
  expect(thrift(60)).toEqual({ everyMs: 70, detailBits: 5, scopePixels: 524_288, why: 'the processors are busy' })
  expect(thrift(100)).toEqual({ everyMs: 150, detailBits: 4, scopePixels: 131_072, why: 'the processors are overloaded' })
})

/** A reader, and how it takes so long over one update. */
function reader(pressure: number) {
  let now = 0
  const machine = new Pace(
    () => pressure,
    () => now,
  )
  const pace = new ReaderPace(machine)
  const take = (ms: number): void => {
    pace.sent()
    now += ms
    pace.asked()
  }
  return { machine, pace, take }
}

test('a slow reader is sent less until it is quick again', () => {
  const { machine, pace, take } = reader(0)
  take(100)
  expect(pace.thrift).toEqual(machine.thrift)
  for (let i = 0; i < 10; i++) take(1_000)
  expect(pace.thrift).toMatchObject({ detailBits: 4, scopePixels: 131_072, why: expect.stringContaining('this reader') })
  expect(machine.thrift.why).toBe('nothing holds it back')
  for (let i = 0; i < 20; i++) take(10)
  expect(pace.thrift).toEqual(machine.thrift)
})

test('whichever of machine and reader asks for more thrift has it', () => {
  const { pace, take } = reader(100)
  for (let i = 0; i < 3; i++) take(400)
  expect(pace.thrift).toMatchObject({ detailBits: 4, why: 'the processors are overloaded' })
})
