import { MOST_EVENTS, type Button, type Point, type PointerEvent } from '@deskhand/core/model'
import { error, PYAUTOGUI_EXCEPTION, raise } from '../interp/exceptions.ts'
import type { Steps } from '../interp/machine.ts'
import { truthy } from '../interp/types.ts'
import { isListOrTuple, type Value } from '../interp/values.ts'
import { arg, intArg, named, numberArg, parameters, type ApiFunction, type Context, type Run } from './function.ts'
import { clamp, coordinate, onDesktop, place, pressable, pressPlace, wholeOf } from './place.ts'
import { path } from './path.ts'

const REFUSED = { logScreenshot: 'it would write files' }
const LINEAR: Value = null
const MAX_NOTCHES = 10_000

/** Parameters that end in the two that every pyautogui function has. */
const params = (required: string, optional: Record<string, Value>, after: Record<string, Value> = {}): ApiFunction['parameters'] => ({
  positional: [...parameters(required).positional, ...named({ ...optional, logScreenshot: null, _pause: true, ...after })],
})
const mouse = (parameters: ApiFunction['parameters'], run: Run, images = ['x']): ApiFunction => ({
  parameters,
  run,
  images,
  pauses: true,
  refused: REFUSED,
})

const XY = { x: null, y: null }
const MOVE = { duration: 0, tween: LINEAR }

export const MOUSE: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['moveTo', mouse(params('', { ...XY, ...MOVE }), moveTo)],
  ...both('moveRel', 'move', mouse(params('', { xOffset: null, yOffset: null, ...MOVE }), moveBy, [])),
  [
    'click',
    mouse(params('', { ...XY, clicks: 1n, interval: 0, button: 'primary', ...MOVE }), (c) =>
      click(c, Number(intArg(c, 'clicks')), button(arg(c, 'button'))),
    ),
  ],
  ['leftClick', mouse(params('', { ...XY, interval: 0, ...MOVE }), (c) => click(c, 1, 'left'))],
  ['rightClick', mouse(params('', { ...XY, interval: 0, ...MOVE }), (c) => click(c, 1, 'right'))],
  ['middleClick', mouse(params('', { ...XY, interval: 0, ...MOVE }), (c) => click(c, 1, 'middle'))],
  ['doubleClick', mouse(params('', { ...XY, interval: 0, button: 'left', ...MOVE }), (c) => click(c, 2, button(arg(c, 'button'))))],
  ['tripleClick', mouse(params('', { ...XY, interval: 0, button: 'left', ...MOVE }), (c) => click(c, 3, button(arg(c, 'button'))))],
  ['mouseDown', mouse(params('', { ...XY, button: 'primary', ...MOVE }), (c) => press(c, 'down'))],
  ['mouseUp', mouse(params('', { ...XY, button: 'primary', ...MOVE }), (c) => press(c, 'up'))],
  ['dragTo', mouse(params('', { ...XY, ...MOVE, button: 'primary' }, { mouseDownUp: true }), dragTo)],
  ...both(
    'dragRel',
    'drag',
    mouse(params('', { xOffset: 0n, yOffset: 0n, ...MOVE, button: 'primary' }, { mouseDownUp: true }), dragBy, []),
  ),
  ['scroll', mouse(params('clicks', XY), (c) => wheel(c, 'dy'), [])],
  ['vscroll', mouse(params('clicks', XY), (c) => wheel(c, 'dy'), [])],
  ['hscroll', mouse(params('clicks', XY), (c) => wheel(c, 'dx'), [])],
])

function both(name: string, alias: string, fn: ApiFunction): [string, ApiFunction][] {
  return [
    [name, fn],
    [alias, fn],
  ]
}

function* moveTo(c: Context): Steps<null> {
  const asked = yield* place(c, arg(c, 'x'), arg(c, 'y'))
  const to = clamp(asked, yield* c.session.extent())
  yield* send(c, yield* path(c, to), to)
  if (to.x !== asked.x || to.y !== asked.y) c.session.beyond = asked
  return null
}

function* moveBy(c: Context): Steps<null> {
  const by = offsets(arg(c, 'xOffset'), arg(c, 'yOffset'))
  if (by.x === 0 && by.y === 0) return null
  const from = yield* c.session.whereIsPointer()
  const to = clamp({ x: from.x + by.x, y: from.y + by.y }, yield* c.session.extent())
  yield* send(c, yield* path(c, to, from), to)
  return null
}

function* click(c: Context, clicks: number, which: Button): Steps<null> {
  const at = yield* pressPlace(c, arg(c, 'x'), arg(c, 'y'))
  const interval = seconds(c, 'interval')
  if (clicks > MOST_EVENTS / 8) throw error('ValueError', `at most ${MOST_EVENTS / 8} clicks at once`)
  const events = yield* path(c, at)
  for (let i = 0; i < clicks; i++) {
    events.push(move(at), { type: 'down', button: which }, move(at), { type: 'up', button: which }, ...pause(interval))
  }
  yield* send(c, events, at)
  return null
}

function* press(c: Context, type: 'down' | 'up'): Steps<null> {
  const which = button(arg(c, 'button'))
  const at = yield* pressPlace(c, arg(c, 'x'), arg(c, 'y'))
  yield* send(c, [move(at), move(at), { type, button: which }], at)
  return null
}

function* dragTo(c: Context): Steps<null> {
  const to = yield* onDesktop(c, yield* place(c, arg(c, 'x'), arg(c, 'y')))
  yield* drag(c, yield* pressPlace(c, null, null), to)
  return null
}

function* dragBy(c: Context): Steps<null> {
  const by = offsets(arg(c, 'xOffset'), arg(c, 'yOffset'))
  if (by.x === 0 && by.y === 0) return null
  const from = yield* pressPlace(c, null, null)
  yield* drag(c, from, yield* onDesktop(c, { x: from.x + by.x, y: from.y + by.y }))
  return null
}

function* drag(c: Context, from: Point, to: Point): Steps<void> {
  const which = button(arg(c, 'button'))
  const way = yield* path(c, to, from)
  const held = truthy(arg(c, 'mouseDownUp'))
  const events: PointerEvent[] = held
    ? [move(from), move(from), { type: 'down', button: which }, ...way, move(to), move(to), { type: 'up', button: which }]
    : way
  yield* send(c, events, to)
}

/** PyAutoGUI counts up and right as positive, the wheel counts down and right. */
function* wheel(c: Context, axis: 'dx' | 'dy'): Steps<null> {
  const notches = Number(wholeOf(arg(c, 'clicks')))
  if (Math.abs(notches) > MAX_NOTCHES) throw error('ValueError', `at most ${MAX_NOTCHES} notches at once`)
  const [x, y] = pair(arg(c, 'x'), arg(c, 'y'))
  const here = x === null || y === null ? yield* c.session.whereIsPointer() : { x: 0, y: 0 }
  const extent = yield* c.session.extent()
  const at = yield* pressable(c, {
    x: x === null ? here.x : coordinate(c.session, x, extent, 'x'),
    y: y === null ? here.y : coordinate(c.session, y, extent, 'y'),
  })
  if (notches === 0) return null
  yield* send(c, [move(at), axis === 'dy' ? { type: 'wheel', dx: 0, dy: -notches } : { type: 'wheel', dx: notches, dy: 0 }], at)
  return null
}

/** Sends pointer events as one action; afterwards the pointer is at `end`. */
function* send(c: Context, events: PointerEvent[], end: Point): Steps<void> {
  if (events.length === 0) return
  if (events.length > MOST_EVENTS) throw error('ValueError', 'the movement has too many steps; shorten its duration')
  c.m.budget.checkTime(events.reduce((sum, e) => sum + (e.type === 'pause' ? e.ms : 0), 0))
  yield* c.session.perform('pointer', { events })
  c.session.pointer = end
  c.session.beyond = undefined
}

const move = (at: Point): PointerEvent => ({ type: 'move', x: at.x, y: at.y })

export const pause = (s: number): { type: 'pause'; ms: number }[] => (s > 0 ? [{ type: 'pause', ms: s * 1000 }] : [])

/** A time span, which cannot be negative. */
export function seconds(c: Context, name: string): number {
  const s = numberArg(c, name)
  if (!(s >= 0)) throw error('ValueError', 'sleep length must be non-negative')
  return s
}

const BUTTONS: Readonly<Record<string, Button>> = {
  left: 'left',
  middle: 'middle',
  right: 'right',
  primary: 'left',
  secondary: 'right',
  '1': 'left',
  '2': 'middle',
  '3': 'right',
}

function button(v: Value): Button {
  const word = typeof v === 'string' ? v.toLowerCase() : typeof v === 'bigint' ? v.toString() : ''
  const found = Object.hasOwn(BUTTONS, word) ? BUTTONS[word] : undefined
  if (!found)
    throw raise(PYAUTOGUI_EXCEPTION, "button argument must be one of ('left', 'middle', 'right', 'primary', 'secondary', 1, 2, 3)")
  return found
}

/** A tuple or list as the first argument gives both. */
function pair(x: Value, y: Value): [Value, Value] {
  return isListOrTuple(x) ? [x.items[0] ?? null, x.items[1] ?? null] : [x, y]
}

function offsets(x: Value, y: Value): Point {
  const [dx, dy] = pair(x, y)
  return { x: whole(dx), y: whole(dy) }
}

function whole(v: Value): number {
  return v === null ? 0 : coordinate(undefined, v, { x: 0, y: 0, w: 0, h: 0 }, 'x')
}
