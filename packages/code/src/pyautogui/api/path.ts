import type { Point, PointerEvent } from '@deskhand/core/model'
import { call } from '../interp/calls.ts'
import { error } from '../interp/exceptions.ts'
import { roundHalfEven } from '../interp/floats.ts'
import type { Steps } from '../interp/machine.ts'
import { asFloat, typeName } from '../interp/types.ts'
import { arg, numberArg, type Context } from './function.ts'

const MAX_STEPS = 5000

/** The way of the pointer: one move, or when a duration is given, a step every twentieth of a second along the tween. */
export function* path(c: Context, to: Point, from?: Point): Steps<PointerEvent[]> {
  const duration = numberArg(c, 'duration')
  const { MINIMUM_DURATION, MINIMUM_SLEEP } = c.session.settings
  if (!(duration > MINIMUM_DURATION)) return [{ type: 'move', ...to }]
  c.m.budget.checkTime(duration * 1000)
  const start = from ?? (yield* c.session.whereIsPointer())
  const { w, h } = yield* c.session.extent()
  let count = Math.max(w, h)
  if (duration / count < MINIMUM_SLEEP) count = Math.trunc(duration / MINIMUM_SLEEP)
  if (count < 1 || count > MAX_STEPS) throw error('ValueError', 'the movement has too many steps; shorten its duration')
  const ms = (duration / count) * 1000
  const events: PointerEvent[] = []
  for (let i = 0; i < count; i++) {
    const n = yield* tweened(c, i / count)
    events.push({ type: 'pause', ms }, { type: 'move', x: step(start.x, to.x, n), y: step(start.y, to.y, n) })
  }
  events.push({ type: 'pause', ms }, { type: 'move', ...to })
  return events
}

function* tweened(c: Context, n: number): Steps<number> {
  const tween = arg(c, 'tween')
  if (tween === null) return n
  const value = yield* call(c.m, tween, [n])
  const x = asFloat(value)
  if (x === undefined) throw error('TypeError', `unsupported operand type(s) for *: 'int' and '${typeName(value)}'`)
  if (!Number.isFinite(x)) throw error('ValueError', 'cannot convert float NaN to integer')
  return x
}

const step = (from: number, to: number, n: number): number => Number(roundHalfEven((to - from) * n + from))
