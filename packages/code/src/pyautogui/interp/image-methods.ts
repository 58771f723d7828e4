import { error } from './exceptions.ts'
import { methods, takes } from './fit.ts'
import { asInt } from './types.ts'
import { isListOrTuple, PyImage, PyTuple, type Value } from './values.ts'

/** A screenshot can be looked at; it cannot be saved. */
export const imageMethods = methods<PyImage>({
  getpixel: takes(1, 'xy', (_m, [xy], self) => pixelAt(self, numbers(xy, 2))),
  crop: takes(1, 'box', (_m, [box], self) => crop(self, numbers(box, 4))),
  copy: takes(0, '', (_m, _given, self) => self),
})

export function pixelAt({ picture }: PyImage, [x = 0, y = 0]: readonly number[]): PyTuple {
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) throw error('IndexError', 'image index out of range')
  const at = (y * picture.width + x) * 4
  return new PyTuple([...picture.data.subarray(at, at + 3)].map(BigInt))
}

function crop({ picture }: PyImage, [left = 0, top = 0, right = 0, bottom = 0]: readonly number[]): PyImage {
  const x = Math.max(0, Math.min(left, picture.width))
  const y = Math.max(0, Math.min(top, picture.height))
  const width = Math.max(0, Math.min(right, picture.width) - x)
  const height = Math.max(0, Math.min(bottom, picture.height) - y)
  const data = new Uint8Array(width * height * 4)
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * picture.width + x) * 4
    data.set(picture.data.subarray(from, from + width * 4), row * width * 4)
  }
  return new PyImage({ width, height, data })
}

/** A tuple or list of exactly `count` integers. */
function numbers(v: Value | undefined, count: number): number[] {
  const items = isListOrTuple(v) ? v.items : []
  const out = items.map((i) => (typeof i === 'number' ? Math.trunc(i) : Number(asInt(i) ?? NaN)))
  if (out.length !== count || out.some((n) => !Number.isFinite(n))) throw error('TypeError', `expected ${count} whole numbers`)
  return out
}
