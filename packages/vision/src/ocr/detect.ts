import type { InferenceSession } from 'onnxruntime-node'
import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'

/** The parts of onnxruntime that are used; loaded only where it is installed. */
export type Ort = typeof import('onnxruntime-node')

const MEAN = [0.406, 0.456, 0.485]
const DEVIATION = [0.225, 0.224, 0.229]
/** The model halves its picture five times. */
const MULTIPLE = 32
const INK = 0.3
const LEAST_SCORE = 0.5
const LEAST_SIDE = 3
/** The model marks the core of a line; its text reaches beyond that by this share of its height. */
const GROWTH = 1.7

/** Where lines of text lie, by the detection model of PP-OCR: upright boxes, as text on screens is. */
export async function detectLines(ort: Ort, model: InferenceSession, picture: Picture): Promise<Rect[]> {
  const { width, height } = picture
  const [w, h] = [up(width), up(height)]
  const input = new ort.Tensor('float32', planes(picture, w, h), [1, 3, h, w])
  const output = await model.run({ [model.inputNames[0] ?? 'x']: input })
  const map = output[model.outputNames[0] ?? '']?.data
  if (!(map instanceof Float32Array)) return []
  return blobs(map, w, h)
    .filter(({ rect, score }) => score >= LEAST_SCORE && Math.min(rect.w, rect.h) >= LEAST_SIDE)
    .map(({ rect }) => grown(rect, width, height))
}

const up = (side: number): number => Math.max(MULTIPLE, Math.ceil(side / MULTIPLE) * MULTIPLE)

/** Blue, green and red, one after the other; beyond its edge the picture goes on as it ends. */
function planes({ width, height, data }: Picture, w: number, h: number): Float32Array {
  const out = new Float32Array(3 * w * h)
  for (let c = 0; c < 3; c++) {
    const table = Float32Array.from({ length: 256 }, (_, v) => (v / 255 - MEAN[c]!) / DEVIATION[c]!)
    for (let y = 0, to = c * w * h; y < h; y++)
      for (let x = 0, row = Math.min(y, height - 1) * width; x < w; x++, to++)
        out[to] = table[data[(row + Math.min(x, width - 1)) * 4 + 2 - c]!]!
  }
  return out
}

/** Connected areas of what is probably text, with the mean probability in each. */
function blobs(map: Float32Array, w: number, h: number): { rect: Rect; score: number }[] {
  const seen = new Uint8Array(w * h)
  const found = []
  const stack: number[] = []
  for (let start = 0; start < map.length; start++) {
    if (seen[start] || map[start]! < INK) continue
    let [left, right, top, bottom, sum, count] = [w, 0, h, 0, 0, 0]
    seen[start] = 1
    stack.push(start)
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [x, y] = [at % w, Math.floor(at / w)]
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
      sum += map[at]!
      count++
      for (let dy = -1; dy <= 1; dy++)
        for (let dx = -1; dx <= 1; dx++) {
          const [nx, ny] = [x + dx, y + dy]
          const next = ny * w + nx
          if (nx < 0 || ny < 0 || nx >= w || ny >= h || seen[next] || map[next]! < INK) continue
          seen[next] = 1
          stack.push(next)
        }
    }
    found.push({ rect: { x: left, y: top, w: right - left + 1, h: bottom - top + 1 }, score: sum / count })
  }
  return found
}

function grown({ x, y, w, h }: Rect, width: number, height: number): Rect {
  const by = (w * h * GROWTH) / (2 * (w + h))
  const [left, top] = [Math.max(0, Math.floor(x - by)), Math.max(0, Math.floor(y - by))]
  return { x: left, y: top, w: Math.min(width, Math.ceil(x + w + by)) - left, h: Math.min(height, Math.ceil(y + h + by)) - top }
}

export type { InferenceSession }
