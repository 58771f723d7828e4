import type { Picture } from './picture.ts'

/** Differences up to this are noise or the traces of compression. */
const NOISE = 28
/** The side of the squares that must agree each for itself, so that one different letter counts. */
const TILE = 12
/** A square with less in it than this, per pixel, is background. */
const LEAST_INK = 3

/**
 * How far the pixels at a place agree with the needle, 0 to 1, by what stands out from the needle's background: correlation alone gives a
 * high score to a different icon on the same button. It is the mean over everything and the worst square, whichever is lower; a needle that
 * was made another size has other edges, so its squares do not count.
 */
export function agreement(hay: Picture, needle: Picture, x: number, y: number, isResized = false): number {
  const ground = background(needle)
  const columns = Math.ceil(needle.width / TILE)
  const tiles = Array.from({ length: columns * Math.ceil(needle.height / TILE) }, () => ({ apart: 0, ink: 0, pixels: 0 }))
  for (let row = 0; row < needle.height; row++)
    for (let column = 0; column < needle.width; column++) {
      const i = (row * needle.width + column) * 4
      if (needle.data[i + 3]! < 255) continue
      const at = ((y + row) * hay.width + x + column) * 4
      const tile = tiles[Math.floor(row / TILE) * columns + Math.floor(column / TILE)]!
      tile.pixels++
      for (let c = 0; c < 3; c++) {
        const [here, there] = [hay.data[at + c]!, needle.data[i + c]!]
        tile.apart += beyondNoise(here - there)
        tile.ink += beyondNoise(here - ground[c]!) + beyondNoise(there - ground[c]!)
      }
    }
  const all = tiles.reduce((sum, t) => ({ apart: sum.apart + t.apart, ink: sum.ink + t.ink, pixels: sum.pixels + t.pixels }))
  if (isResized) return Math.max(0, 0.5 + likeness(all) / 2)
  const inked = tiles.filter((t) => t.ink > LEAST_INK * t.pixels * 3)
  return Math.max(0, Math.min(likeness(all), ...inked.map((t) => 0.5 + likeness(t) / 2)))
}

const beyondNoise = (difference: number): number => Math.max(0, Math.abs(difference) - NOISE)
const likeness = ({ apart, ink }: { apart: number; ink: number }): number => (ink === 0 ? (apart === 0 ? 1 : 0) : 1 - apart / ink)

/** The needle's most frequent colour, in steps that noise does not leave. */
function background({ data }: Picture): [number, number, number] {
  const counts = new Map<number, { count: number; r: number; g: number; b: number }>()
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3]! < 255) continue
    const key = ((data[i]! >> 4) << 8) | ((data[i + 1]! >> 4) << 4) | (data[i + 2]! >> 4)
    const bin = counts.get(key) ?? { count: 0, r: 0, g: 0, b: 0 }
    counts.set(key, { count: bin.count + 1, r: bin.r + data[i]!, g: bin.g + data[i + 1]!, b: bin.b + data[i + 2]! })
  }
  const most = [...counts.values()].reduce((a, b) => (b.count > a.count ? b : a), { count: 1, r: 0, g: 0, b: 0 })
  return [most.r / most.count, most.g / most.count, most.b / most.count]
}
