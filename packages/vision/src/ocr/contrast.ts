import { luma, type Picture } from '../image/picture.ts'

/** Half the side of the square that a pixel is compared with. */
const REACH = 12
const LEAST_SPREAD = 12

/** Dark text on white, whatever the colours were: each pixel by how far it is from the middle of what surrounds it. */
export function localContrast(picture: Picture): Picture {
  const { width, height } = picture
  const bright = luma(picture).data
  const [low, high] = [slide(bright, width, height, Math.min), slide(bright, width, height, Math.max)]
  const mean = slide(bright, width, height, (a, b) => a + b)
  const data = new Uint8Array(width * height * 4).fill(255)
  for (let i = 0, p = 0; i < bright.length; i++, p += 4) {
    const spread = high[i]! - low[i]!
    if (spread < LEAST_SPREAD) continue
    const x = i % width
    const y = Math.floor(i / width)
    const count =
      (Math.min(width - 1, x + REACH) - Math.max(0, x - REACH) + 1) * (Math.min(height - 1, y + REACH) - Math.max(0, y - REACH) + 1)
    const ground = mean[i]! / count
    // The background is what there is more of: the end of the range that the mean lies nearer to.
    const isDarkGround = ground - low[i]! < high[i]! - ground
    const value = isDarkGround ? (high[i]! - bright[i]!) / spread : (bright[i]! - low[i]!) / spread
    data.fill(Math.round(255 * value), p, p + 3)
  }
  return { width, height, data }
}

/** Joins each value with those around it, first along rows and then along columns. */
function slide(values: Float32Array, width: number, height: number, join: (a: number, b: number) => number): Float32Array {
  const rows = new Float32Array(values.length)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let value = values[y * width + Math.max(0, x - REACH)]!
      for (let n = Math.max(0, x - REACH) + 1; n <= Math.min(width - 1, x + REACH); n++) value = join(value, values[y * width + n]!)
      rows[y * width + x] = value
    }
  const out = new Float32Array(values.length)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let value = rows[Math.max(0, y - REACH) * width + x]!
      for (let n = Math.max(0, y - REACH) + 1; n <= Math.min(height - 1, y + REACH); n++) value = join(value, rows[n * width + x]!)
      out[y * width + x] = value
    }
  return out
}
