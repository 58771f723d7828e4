import type { Point, Rect } from '@deskhand/core/model'
import type { ImageSearch } from '../script-port.ts'
import { error, IMAGE_NOT_FOUND, raise } from '../interp/exceptions.ts'
import type { Steps } from '../interp/machine.ts'
import { asFloat, truthy, typeName } from '../interp/types.ts'
import { isListOrTuple, PyImage, PyList, PyTuple, type Value } from '../interp/values.ts'
import { isImageName } from '../image-name.ts'
import { arg, named, numberArg, parameters, type ApiFunction, type Context, type Run } from './function.ts'

const OPTIONS = { confidence: null, grayscale: false, region: null, limit: 100n, step: 1n }
const RETRY_S = 0.1

const search = (required: string, optional: Record<string, Value>, run: Run): ApiFunction => ({
  parameters: { positional: parameters(required, optional).positional, keywordOnly: named(OPTIONS) },
  images: ['image', 'needleImage', 'haystackImage'],
  run,
})

/** Searching for images; the port does the search itself. */
export const LOCATE: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['locateOnScreen', search('image', { minSearchTime: 0 }, (c) => first(c, 'image'))],
  ['locateCenterOnScreen', search('image', { minSearchTime: 0 }, firstCenter)],
  ['locateAllOnScreen', search('image', {}, (c) => all(c, 'image'))],
  ['locateOnWindow', search('image title', {}, (c) => first(c, 'image'))],
  ['locate', search('needleImage haystackImage', {}, (c) => first(c, 'needleImage'))],
  ['locateAll', search('needleImage haystackImage', {}, (c) => all(c, 'needleImage'))],
])

/** The middle of left, top, width, height. */
export function middle([left = 0, top = 0, width = 0, height = 0]: readonly number[]): Point {
  return { x: left + Math.trunc(width / 2), y: top + Math.trunc(height / 2) }
}

/** Where the middle of an image is on the screen. */
export function* findCenter(c: Context, name: string): Steps<Point> {
  const [hit] = yield* c.session.locate({ needle: { name: imageName(name) }, grayscale: false, limit: 1 })
  if (!hit) throw raise(IMAGE_NOT_FOUND, `the image ${name} is not on the screen`)
  return middle([hit.x, hit.y, hit.w, hit.h])
}

function* first(c: Context, needle: string): Steps<Value> {
  const hits = yield* find(c, needle, 1)
  const [hit] = hits
  if (hit) return box(hit)
  if (c.session.raiseWhenImageNotFound) throw raise(IMAGE_NOT_FOUND, 'the image is not on the screen')
  return null
}

function* firstCenter(c: Context): Steps<Value> {
  const hit = yield* first(c, 'image')
  if (!(hit instanceof PyTuple)) return null
  const { x, y } = middle(hit.items.map(Number))
  return point(x, y)
}

function* all(c: Context, needle: string): Steps<Value> {
  return new PyList((yield* find(c, needle, Math.min(1000, numberArg(c, 'limit')))).map(box))
}

function* find(c: Context, needle: string, limit: number): Steps<Rect[]> {
  const confidence = asFloat(arg(c, 'confidence'))
  const query: ImageSearch = {
    needle: image(arg(c, needle)),
    grayscale: truthy(arg(c, 'grayscale')),
    limit,
    ...(confidence === undefined ? {} : { confidence }),
    ...(arg(c, 'region') === null ? {} : { region: region(arg(c, 'region')) }),
    ...(c.args.has('title') ? { window: title(arg(c, 'title')) } : {}),
    ...haystack(c.args.has('haystackImage') ? arg(c, 'haystackImage') : null),
  }
  const patience = c.args.has('minSearchTime') ? numberArg(c, 'minSearchTime') * 1000 : 0
  const start = c.session.port.clock.now()
  for (;;) {
    const hits = yield* c.session.locate(query)
    if (hits.length > 0 || c.session.port.clock.now() - start >= patience) return hits
    yield* c.session.sleep(c.m, RETRY_S)
  }
}

function image(v: Value): ImageSearch['needle'] {
  if (typeof v === 'string') return { name: imageName(v) }
  if (v instanceof PyImage) return { pixels: v.picture }
  throw error('TypeError', `an image is a name or a screenshot, not ${typeName(v)}`)
}

function title(v: Value): string {
  if (typeof v !== 'string') throw error('TypeError', `a title is a str, not ${typeName(v)}`)
  return v
}

function haystack(v: Value): Pick<ImageSearch, 'haystack'> {
  if (v === null) return {}
  if (v instanceof PyImage) return { haystack: v.picture }
  throw error('TypeError', `the image to search in must be a screenshot, not ${typeName(v)}`)
}

function imageName(name: string): string {
  if (!isImageName(name))
    throw error('ValueError', 'a file path is not available; use the plain name of an image that the operator provided')
  return name
}

/** left, top, width, height. */
export function region(v: Value): Rect {
  const items = isListOrTuple(v) ? v.items.map(asFloat) : []
  const [x = NaN, y = NaN, w = NaN, h = NaN] = items.map((n) => Math.trunc(n ?? NaN))
  if (items.length !== 4 || ![x, y, w, h].every(Number.isFinite)) throw error('TypeError', 'region argument must be a tuple of four ints')
  return { x, y, w, h }
}

const box = ({ x, y, w, h }: Rect): PyTuple =>
  new PyTuple(
    [x, y, w, h].map((n) => BigInt(Math.trunc(n))),
    { name: 'Box', fields: ['left', 'top', 'width', 'height'] },
  )

export const point = (x: number, y: number): PyTuple => new PyTuple([BigInt(x), BigInt(y)], { name: 'Point', fields: ['x', 'y'] })
