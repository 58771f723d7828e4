/** RGBA rows without padding. */
export interface Picture {
  width: number
  height: number
  data: Uint8Array
}

/** One value per pixel, in rows without padding. */
export interface Plane {
  width: number
  height: number
  data: Float32Array
}

/** A part of a picture; what lies outside is left out. */
export function cropped(picture: Picture, x: number, y: number, w: number, h: number): Picture {
  const [left, top] = [Math.max(0, x), Math.max(0, y)]
  const width = Math.max(0, Math.min(picture.width, x + w) - left)
  const height = Math.max(0, Math.min(picture.height, y + h) - top)
  const data = new Uint8Array(width * height * 4)
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * picture.width + left) * 4
    data.set(picture.data.subarray(from, from + width * 4), row * width * 4)
  }
  return { width, height, data }
}

/** How bright each pixel is, 0 to 255. */
export function luma({ width, height, data }: Picture): Plane {
  const out = new Float32Array(width * height)
  for (let i = 0, p = 0; i < out.length; i++, p += 4) out[i] = 0.299 * data[p]! + 0.587 * data[p + 1]! + 0.114 * data[p + 2]!
  return { width, height, data: out }
}

/** Half as large, smoothed first: what lies half a pixel off looks nearly the same. */
export function halved({ width, height, data }: Plane): Plane {
  const [w, h] = [Math.max(1, width >> 1), Math.max(1, height >> 1)]
  const rows = new Float32Array(w * height)
  for (let y = 0; y < height; y++)
    for (let x = 0, at = y * width; x < w; x++) {
      const i = 2 * x
      const [before, after] = [Math.max(0, i - 1), Math.min(width - 1, i + 2)]
      const next = Math.min(width - 1, i + 1)
      rows[y * w + x] = (data[at + before]! + 3 * data[at + i]! + 3 * data[at + next]! + data[at + after]!) / 8
    }
  const out = new Float32Array(w * h)
  for (let y = 0; y < h; y++) {
    const i = 2 * y
    const [before, next, after] = [Math.max(0, i - 1), Math.min(height - 1, i + 1), Math.min(height - 1, i + 2)]
    for (let x = 0; x < w; x++)
      out[y * w + x] = (rows[before * w + x]! + 3 * rows[i * w + x]! + 3 * rows[next * w + x]! + rows[after * w + x]!) / 8
  }
  return { width: w, height: h, data: out }
}

/** The same without its colours. */
export function grey(picture: Picture): Picture {
  const bright = luma(picture).data
  const data = new Uint8Array(picture.data)
  for (let i = 0, p = 0; i < bright.length; i++, p += 4) data.fill(bright[i]!, p, p + 3)
  return { ...picture, data }
}
