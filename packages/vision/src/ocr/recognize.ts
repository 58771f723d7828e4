import type { Rect } from '@deskhand/core/model'
import { cropped, type Picture } from '../image/picture.ts'
import { resizedTo } from '../image/resize.ts'
import type { InferenceSession, Ort } from './detect.ts'

const HEIGHT = 48
const STEP = 32
const LEAST_WIDTH = 96
const MOST_WIDTH = 3_200
const BATCH = 8

/** A recognition model of PP-OCR and the characters that it knows; the first class of the model stands for none. */
export interface Alphabet {
  model: InferenceSession
  characters: readonly string[]
}

/** A character and where its middle lies, in pixels of the line's picture. */
export interface Glyph {
  text: string
  x: number
  confidence: number
}

/** What is written in each of these parts of a picture. */
export async function readLines(ort: Ort, { model, characters }: Alphabet, picture: Picture, rects: readonly Rect[]): Promise<Glyph[][]> {
  const found: Glyph[][] = rects.map(() => [])
  const lines = rects
    .map((rect, i) => ({ rect, i, width: Math.min(MOST_WIDTH, Math.max(8, Math.round((HEIGHT * rect.w) / Math.max(1, rect.h)))) }))
    // Lines of about the same length go together, because all of a batch become as long as the longest.
    .toSorted((a, b) => a.width - b.width)
  for (let from = 0; from < lines.length; from += BATCH) {
    const batch = lines.slice(from, from + BATCH)
    const width = Math.max(LEAST_WIDTH, Math.ceil((batch.at(-1)?.width ?? 0) / STEP) * STEP)
    const data = new Float32Array(batch.length * 3 * HEIGHT * width)
    for (const [n, line] of batch.entries()) {
      const { x, y, w, h } = line.rect
      fill(data, n, width, resizedTo(cropped(picture, x, y, w, h), line.width, HEIGHT))
    }
    const output = await model.run({ [model.inputNames[0] ?? 'x']: new ort.Tensor('float32', data, [batch.length, 3, HEIGHT, width]) })
    const result = output[model.outputNames[0] ?? '']
    const [, steps = 0, classes = 0] = result?.dims ?? []
    if (!(result?.data instanceof Float32Array)) continue
    for (const [n, line] of batch.entries()) {
      const scores = result.data.subarray(n * steps * classes, (n + 1) * steps * classes)
      const perStep = (width / steps) * (line.rect.w / line.width)
      found[line.i] = decode(scores, steps, classes, characters).map((g) => ({ ...g, x: (g.x + 0.5) * perStep }))
    }
  }
  return found
}

/** Blue, green and red from -1 to 1; what is beyond the line's end stays 0. */
function fill(data: Float32Array, n: number, width: number, { width: w, data: pixels }: Picture): void {
  for (let c = 0; c < 3; c++)
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0, to = ((n * 3 + c) * HEIGHT + y) * width; x < w; x++) data[to + x] = pixels[(y * w + x) * 4 + 2 - c]! / 127.5 - 1
}

/** The best class of each step; a class that repeats is one character, and class 0 is none. */
function decode(scores: Float32Array, steps: number, classes: number, characters: readonly string[]): Glyph[] {
  const glyphs: (Omit<Glyph, 'x'> & { first: number; last: number })[] = []
  let before = 0
  for (let t = 0; t < steps; t++) {
    let [best, score] = [0, -Infinity]
    for (let c = 0, at = t * classes; c < classes; c++, at++) if (scores[at]! > score) [best, score] = [c, scores[at]!]
    const last = glyphs.at(-1)
    if (best !== 0 && best === before && last !== undefined) {
      last.last = t
      last.confidence = Math.max(last.confidence, score)
    } else if (best !== 0) glyphs.push({ text: characters[best - 1] ?? ' ', first: t, last: t, confidence: score })
    before = best
  }
  return glyphs.map(({ text, first, last, confidence }) => ({ text, x: (first + last) / 2, confidence }))
}
