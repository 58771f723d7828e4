import type { Picture } from './picture.ts'

/** Another size: the mean of what falls into each pixel, or what lies between its neighbours when it grows. */
export function resized(picture: Picture, scale: number): Picture {
  return resizedTo(picture, Math.max(1, Math.round(picture.width * scale)), Math.max(1, Math.round(picture.height * scale)))
}

export function resizedTo({ width, height, data }: Picture, w: number, h: number): Picture {
  const [xs, ys] = [weights(width, w), weights(height, h)]
  const rows = new Float32Array(w * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < w; x++) {
      const { from, parts } = xs[x]!
      for (let c = 0; c < 4; c++) {
        let sum = 0
        for (let i = 0; i < parts.length; i++) sum += data[(y * width + from + i) * 4 + c]! * parts[i]!
        rows[(y * w + x) * 4 + c] = sum
      }
    }
  const out = new Uint8Array(w * h * 4)
  for (let y = 0; y < h; y++) {
    const { from, parts } = ys[y]!
    for (let i = 0; i < w * 4; i++) {
      let sum = 0
      for (let p = 0; p < parts.length; p++) sum += rows[(from + p) * w * 4 + i]! * parts[p]!
      out[y * w * 4 + i] = Math.round(sum)
    }
  }
  return { width: w, height: h, data: out }
}

interface Share {
  from: number
  parts: number[]
}

/** Which pixels of `size` each of `count` pixels is made of: a triangle as wide as the larger of both pixels. */
function weights(size: number, count: number): Share[] {
  const step = size / count
  const reach = Math.max(1, step)
  return Array.from({ length: count }, (_, i) => {
    const middle = (i + 0.5) * step - 0.5
    const from = Math.max(0, Math.ceil(middle - reach))
    const to = Math.min(size - 1, Math.floor(middle + reach))
    const raw = Array.from({ length: to - from + 1 }, (__, k) => Math.max(0, 1 - Math.abs(from + k - middle) / reach))
    const total = raw.reduce((a, b) => a + b, 0)
    return total === 0
      ? { from: Math.min(size - 1, Math.max(0, Math.round(middle))), parts: [1] }
      : { from, parts: raw.map((v) => v / total) }
  })
}
