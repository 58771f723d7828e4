import type { Plane } from './picture.ts'

/** A place of the needle in the haystack, by its upper left pixel, and how well it correlates there: -1 to 1. */
export interface Peak {
  x: number
  y: number
  score: number
}

/** The needle, freed of its mean and of length one, so that a sum of products is the correlation. */
export interface Pattern extends Plane {
  /** How much its pixels differed from their mean. */
  spread: number
  /** Too even to be told from its surroundings. */
  flat: boolean
}

const FLAT = 1e-3

export function patternOf({ width, height, data }: Plane): Pattern {
  let sum = 0
  for (const v of data) sum += v
  const mean = sum / data.length
  const out = new Float32Array(data.length)
  let squares = 0
  for (let i = 0; i < data.length; i++) {
    out[i] = data[i]! - mean
    squares += out[i]! * out[i]!
  }
  const length = Math.sqrt(squares)
  const flat = length < FLAT * data.length
  if (!flat) for (let i = 0; i < out.length; i++) out[i]! /= length
  return { width, height, data: out, spread: length, flat }
}

/** Sums over any rectangle in four steps. */
export class Sums {
  readonly #width: number
  readonly #sum: Float64Array
  readonly #squares: Float64Array

  constructor({ width, height, data }: Plane) {
    const w = (this.#width = width + 1)
    this.#sum = new Float64Array(w * (height + 1))
    this.#squares = new Float64Array(w * (height + 1))
    for (let y = 0; y < height; y++) {
      let [sum, squares] = [0, 0]
      for (let x = 0; x < width; x++) {
        const v = data[y * width + x]!
        sum += v
        squares += v * v
        const at = (y + 1) * w + x + 1
        this.#sum[at] = this.#sum[at - w]! + sum
        this.#squares[at] = this.#squares[at - w]! + squares
      }
    }
  }

  /** How much the pixels of a rectangle differ from their mean, as the length of a vector. */
  spread(x: number, y: number, w: number, h: number): number {
    const [a, b] = [y * this.#width + x, (y + h) * this.#width + x]
    const sum = this.#sum[b + w]! - this.#sum[b]! - this.#sum[a + w]! + this.#sum[a]!
    const squares = this.#squares[b + w]! - this.#squares[b]! - this.#squares[a + w]! + this.#squares[a]!
    return Math.sqrt(Math.max(0, squares - (sum * sum) / (w * h)))
  }
}

/** The correlation at one place. */
export function correlation(hay: Plane, sums: Sums, pattern: Pattern, x: number, y: number): number {
  const { width, height } = pattern
  const spread = sums.spread(x, y, width, height)
  return spread < FLAT * width * height ? 0 : product(hay, pattern, x, y) / spread
}

/**
 * The places that correlate better than those around them and at least this well, best first. Only places whose contrast is up to so many
 * times the needle's or a part of it come into question: most of a screen is even.
 */
export function peaks(hay: Plane, pattern: Pattern, least: number, most: number, contrast: number): Peak[] {
  const [w, h] = [hay.width - pattern.width + 1, hay.height - pattern.height + 1]
  if (w <= 0 || h <= 0 || pattern.flat) return []
  const sums = new Sums(hay)
  const map = new Float32Array(w * h)
  const [low, high] = [pattern.spread / contrast, pattern.spread * contrast]
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const spread = sums.spread(x, y, pattern.width, pattern.height)
      if (spread >= low && spread <= high) map[y * w + x] = product(hay, pattern, x, y) / spread
    }
  const found: Peak[] = []
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const score = map[y * w + x]!
      if (score >= least && isPeak(map, w, h, x, y, score)) found.push({ x, y, score })
    }
  return found.toSorted((a, b) => b.score - a.score).slice(0, most)
}

/** The best place within so many pixels of another. */
export function climb(hay: Plane, sums: Sums, pattern: Pattern, from: { x: number; y: number }, reach: number): Peak {
  let best: Peak = { ...from, score: -1 }
  const [right, bottom] = [hay.width - pattern.width, hay.height - pattern.height]
  for (let y = Math.max(0, from.y - reach); y <= Math.min(bottom, from.y + reach); y++)
    for (let x = Math.max(0, from.x - reach); x <= Math.min(right, from.x + reach); x++) {
      const score = correlation(hay, sums, pattern, x, y)
      if (score > best.score) best = { x, y, score }
    }
  return best
}

function product(hay: Plane, { width, height, data }: Pattern, x: number, y: number): number {
  const pixels = hay.data
  let sum = 0
  for (let row = 0, i = 0; row < height; row++) {
    let at = (y + row) * hay.width + x
    for (const end = i + width; i < end; i++, at++) sum += pixels[at]! * data[i]!
  }
  return sum
}

function isPeak(map: Float32Array, w: number, h: number, x: number, y: number, score: number): boolean {
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++) {
      const [nx, ny] = [x + dx, y + dy]
      if (nx < 0 || ny < 0 || nx >= w || ny >= h) continue
      const other = map[ny * w + nx]!
      // Of two that are equal the first in reading order counts.
      if (other > score || (other === score && (dy < 0 || (dy === 0 && dx < 0)))) return false
    }
  return true
}
