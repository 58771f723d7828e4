import type { Rect } from '@deskhand/core/model'
import { agreement } from './agreement.ts'
import { climb, patternOf, peaks, Sums, type Peak } from './correlate.ts'
import { overlaps } from './exact.ts'
import { halved, luma, type Picture, type Plane } from './picture.ts'
import { resized } from './resize.ts'

export interface SearchOptions {
  /** How alike a place must be at least; 1 takes identical pixels only. */
  confidence: number
  limit: number
  /** The sizes to try, as factors of the needle's own; only its own when left out. */
  scales?: readonly number[]
  /** Only shapes count: what is light may be dark. */
  anyTheme?: boolean
  /** Colours do not count, brightness does. */
  grey?: boolean
}

export interface Hit {
  rect: Rect
  confidence: number
}

/** Of the smallest copies of both pictures so many places are looked at closer. */
const CLOSER = 250
/** How much worse a place may correlate on a small copy than it does in full. */
const SLACK = 0.4
const SMALLEST_SIDE = 5
const SMALLEST_AREA = 36
/** How far the contrast of a place may be from the needle's. */
const CONTRAST = { sameTheme: 1.8, anyTheme: 6 }
const MOST_HALVINGS = 4

/** Places that look alike without being identical, best first; of places that overlap only the best. */
export function similar(hay: Picture, needle: Picture, { confidence, limit, scales = [1], anyTheme = false }: SearchOptions): Hit[] {
  const hays: Plane[] = [luma(hay)]
  const sums: Sums[] = []
  const found: Hit[] = []
  for (const scale of scales) {
    const sized = scale === 1 ? needle : resized(needle, scale)
    if (sized.width > hay.width || sized.height > hay.height || sized.width < 2 || sized.height < 2) continue
    for (const { x, y, score } of correlated(hays, sums, sized, confidence, anyTheme)) {
      const sure = anyTheme ? score : Math.min(score, agreement(hay, sized, x, y, scale !== 1))
      if (sure >= confidence) found.push({ rect: { x, y, w: sized.width, h: sized.height }, confidence: Math.min(0.99, sure) })
    }
  }
  const kept: Hit[] = []
  for (const hit of found.toSorted((a, b) => b.confidence - a.confidence || a.rect.y - b.rect.y || a.rect.x - b.rect.x)) {
    const size = { width: hit.rect.w, height: hit.rect.h }
    if (kept.length < limit && !kept.some((k) => overlaps(k.rect, hit.rect, size))) kept.push(hit)
  }
  return kept
}

/** Candidates from small copies of both pictures, followed up to full size. */
function correlated(hays: Plane[], sums: Sums[], needle: Picture, confidence: number, anyTheme: boolean): Peak[] {
  const needles = [luma(needle)]
  while (canHalve(needles.at(-1)!) && needles.length <= MOST_HALVINGS) needles.push(halved(needles.at(-1)!))
  while (hays.length < needles.length) hays.push(halved(hays.at(-1)!))
  const patterns = needles.map(patternOf)
  if (patterns[0]!.flat) return []
  const top = needles.length - 1
  const least = (level: number): number => confidence - (level === 0 ? 0 : SLACK)
  const signs = anyTheme ? [1, -1] : [1]
  return signs.flatMap((sign) => {
    const signed = sign === 1 ? patterns : patterns.map((p) => ({ ...p, data: p.data.map((v) => -v) }))
    let places = peaks(hays[top]!, signed[top]!, least(top), CLOSER, anyTheme ? CONTRAST.anyTheme : CONTRAST.sameTheme)
    for (let level = top - 1; level >= 0; level--) {
      const sum = (sums[level] ??= new Sums(hays[level]!))
      places = places
        .map(({ x, y }) => climb(hays[level]!, sum, signed[level]!, { x: 2 * x, y: 2 * y }, 2))
        .filter((p) => p.score >= least(level))
        .filter((p, i, all) => all.findIndex((o) => o.x === p.x && o.y === p.y) === i)
    }
    return places
  })
}

const canHalve = ({ width, height }: Plane): boolean =>
  Math.min(width, height) >> 1 >= SMALLEST_SIDE && (width >> 1) * (height >> 1) >= SMALLEST_AREA
