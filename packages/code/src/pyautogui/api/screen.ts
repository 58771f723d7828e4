import { Frame } from '@deskhand/core/driver'
import { error } from '../interp/exceptions.ts'
import { pixelAt } from '../interp/image-methods.ts'
import type { Steps } from '../interp/machine.ts'
import { asInt, truthy } from '../interp/types.ts'
import { isListOrTuple, PyImage, PyTuple, type Value } from '../interp/values.ts'
import { Halt } from '../halt.ts'
import type { ScriptActions } from '../script-port.ts'
import { arg, intArg, numberArg, parameters, pure, type ApiFunction, type Context } from './function.ts'
import { middle, point, region } from './locate.ts'
import { coordinate, place } from './place.ts'

const NO_FILES = { imageFilename: 'screenshots cannot be saved; keep the returned image' }

const SIZE: ApiFunction = { parameters: parameters(''), run: size }

/** Looking at the screen. */
export const SCREEN: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['position', { parameters: parameters('', { x: null, y: null }), run: position }],
  ['size', SIZE],
  ['resolution', SIZE],
  ['onScreen', { parameters: parameters('x', { y: null }), run: onScreen }],
  ['screenshot', { parameters: parameters('', { imageFilename: null, region: null }), refused: NO_FILES, run: screenshot }],
  ['pixel', { parameters: parameters('x y'), run: (c) => pixel(c) }],
  ['pixelMatchesColor', { parameters: parameters('x y expectedRGBColor', { tolerance: 0n }), run: pixelMatches }],
  ['center', pure(parameters('coords'), (c) => boxCenter(arg(c, 'coords')))],
  ['getPointOnLine', pure(parameters('x1 y1 x2 y2 n'), pointOnLine)],
  [
    'failSafeCheck',
    pure(parameters(''), ({ session }) => {
      session.checkCorners()
      return null
    }),
  ],
  [
    'useImageNotFoundException',
    pure(parameters('', { value: null }), (c) => {
      c.session.raiseWhenImageNotFound = arg(c, 'value') === null || truthy(arg(c, 'value'))
      return null
    }),
  ],
])

function* position(c: Context): Steps<Value> {
  const here = yield* c.session.whereIsPointer()
  const [x, y] = [arg(c, 'x'), arg(c, 'y')]
  const whole = (v: Value): number => coordinate(undefined, v, { x: 0, y: 0, w: 0, h: 0 }, 'x')
  return point(x === null ? here.x : whole(x), y === null ? here.y : whole(y))
}

function* size(c: Context): Steps<Value> {
  const { w, h } = yield* c.session.extent()
  return new PyTuple([BigInt(Math.trunc(w)), BigInt(Math.trunc(h))], { name: 'Size', fields: ['width', 'height'] })
}

function* onScreen(c: Context): Steps<Value> {
  const extent = yield* c.session.extent()
  const [x, y] = [arg(c, 'x'), arg(c, 'y')]
  const pair = isListOrTuple(x) ? x.items : [x, y]
  const [px = null, py = null] = pair
  const at =
    px === null || py === null
      ? yield* place(c, x, y)
      : { x: coordinate(c.session, px, extent, 'x'), y: coordinate(c.session, py, extent, 'y') }
  return at.x >= extent.x && at.y >= extent.y && at.x < extent.x + extent.w && at.y < extent.y + extent.h
}

function* screenshot(c: Context): Steps<Value> {
  const area = arg(c, 'region')
  return yield* capture(c, area === null ? {} : { region: region(area) })
}

function* capture(c: Context, area: ScriptActions['capture']): Steps<PyImage> {
  const { data } = yield* c.session.perform('capture', area)
  const frame = Frame.safeParse(data)
  if (!frame.success || frame.data.data.length < frame.data.width * frame.data.height * 4)
    throw new Halt('INTERNAL', 'the screenshot came without pixels')
  const { width, height, data: pixels } = frame.data
  c.m.budget.pixels(width * height)
  return new PyImage({ width, height, data: pixels })
}

function* pixel(c: Context): Steps<PyTuple> {
  const { items } = pixelAt(yield* capture(c, { region: { x: Number(intArg(c, 'x')), y: Number(intArg(c, 'y')), w: 1, h: 1 } }), [0, 0])
  return new PyTuple(items, { name: 'RGB', fields: ['red', 'green', 'blue'] })
}

function* pixelMatches(c: Context): Steps<Value> {
  const wanted = arg(c, 'expectedRGBColor')
  const items = isListOrTuple(wanted) ? wanted.items.map(asInt) : []
  if (items.length < 3 || items.length > 4 || items.includes(undefined)) throw error('TypeError', 'a color is three or four whole numbers')
  const tolerance = numberArg(c, 'tolerance')
  const seen = (yield* pixel(c)).items.map(Number)
  return seen.every((value, i) => Math.abs(value - Number(items[i] ?? 0n)) <= tolerance)
}

function boxCenter(v: Value): Value {
  const { x, y, w, h } = region(v)
  const at = middle([x, y, w, h])
  return point(at.x, at.y)
}

function pointOnLine(c: Context): Value {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, n = 0] = ['x1', 'y1', 'x2', 'y2', 'n'].map((name) => numberArg(c, name))
  return new PyTuple([(x2 - x1) * n + x1, (y2 - y1) * n + y1])
}
