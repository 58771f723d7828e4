import type { Point, Rect } from '@deskhand/core/model'
import type { ScriptSession } from '../script-session.ts'
import { parseInt } from '../interp/convert.ts'
import { error, PYAUTOGUI_EXCEPTION, raise } from '../interp/exceptions.ts'
import type { Steps } from '../interp/machine.ts'
import { truncate } from '../interp/numbers.ts'
import { asInt, typeName } from '../interp/types.ts'
import { isListOrTuple, type Value } from '../interp/values.ts'
import type { Context } from './function.ts'
import { findCenter, middle } from './locate.ts'

/** The point that the first two arguments of a pyautogui function mean: numbers, a pair, a box, an image, or where the pointer is. */
export function* place(c: Context, x: Value, y: Value): Steps<Point> {
  return yield* meant(c, x, y, yield* c.session.extent())
}

/** The same for what presses, drags or scrolls there: it has to lie on the desktop, where a move would only end at the edge. */
export function* pressPlace(c: Context, x: Value, y: Value): Steps<Point> {
  return yield* pressable(c, yield* place(c, x, y))
}

export function* pressable(c: Context, at: Point): Steps<Point> {
  const { pointer, beyond } = c.session
  const isLeft = beyond !== undefined && pointer !== undefined && at.x === pointer.x && at.y === pointer.y
  return yield* onDesktop(c, isLeft ? beyond : at)
}

export function* onDesktop(c: Context, at: Point): Steps<Point> {
  const extent = yield* c.session.extent()
  const { x, y } = clamp(at, extent)
  if (x === at.x && y === at.y) return at
  throw raise(PYAUTOGUI_EXCEPTION, `BAD_ARGS: (${at.x}, ${at.y}) is outside the screen, which is ${extent.w}x${extent.h}`)
}

function* meant(c: Context, x: Value, y: Value, extent: Rect): Steps<Point> {
  if (typeof x === 'string') return yield* findCenter(c, x)
  if (typeof x === 'object' && x !== null) {
    if (!isListOrTuple(x)) throw notNumber(x)
    if (y !== null) throw raise(PYAUTOGUI_EXCEPTION, 'When passing a sequence for firstArg, secondArg must not be passed')
    const [a = null, b = null, w = null, h = null] = x.items
    if (x.items.length === 2) return { x: coordinate(c.session, a, extent, 'x'), y: coordinate(c.session, b, extent, 'y') }
    if (x.items.length === 4) return middle([a, b, w, h].map((v) => coordinate(undefined, v, extent, 'x')))
    throw raise(PYAUTOGUI_EXCEPTION, `The supplied sequence must have exactly 2 or exactly 4 elements (${x.items.length} were received).`)
  }
  const here = x === null || y === null ? yield* c.session.whereIsPointer() : { x: 0, y: 0 }
  return { x: x === null ? here.x : coordinate(c.session, x, extent, 'x'), y: y === null ? here.y : coordinate(c.session, y, extent, 'y') }
}

/** A coordinate as an integer: floats lose their fraction, unless the run takes floats from 0 to 1 as relative. */
export function coordinate(session: ScriptSession | undefined, v: Value, extent: Rect, axis: 'x' | 'y'): number {
  if (typeof v === 'number' && session?.relativeCoordinates && v >= 0 && v <= 1)
    return Math.round(extent[axis] + v * (axis === 'x' ? extent.w : extent.h))
  return bounded(wholeOf(v))
}

/** `int(v)`, which PyAutoGUI applies to coordinates. */
export function wholeOf(v: Value): bigint {
  const i = typeof v === 'string' ? parseInt(v, 10) : typeof v === 'number' ? truncate(v) : asInt(v)
  if (i === undefined) throw notNumber(v)
  return i
}

/** Clamps coordinates that are far outside of every screen. */
function bounded(i: bigint): number {
  return Number(i > 1_000_000n ? 1_000_000n : i < -1_000_000n ? -1_000_000n : i)
}

function notNumber(v: Value): Error {
  return error('TypeError', `int() argument must be a string, a bytes-like object or a real number, not '${typeName(v)}'`)
}

/** The nearest point of the desktop. */
export function clamp(p: Point, { x, y, w, h }: Rect): Point {
  return { x: Math.max(x, Math.min(p.x, x + w - 1)), y: Math.max(y, Math.min(p.y, y + h - 1)) }
}
