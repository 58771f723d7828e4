import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import { cropped, Vision, type Picture } from '@deskhand/vision'
import { HELD_OUT, LOOKED_AT } from './app-corpus.ts'
import { shots, type Shot } from './app-screens.ts'

const CHOSEN = [
  'widget factory',
  'widget factory, dark',
  'kcalc',
  'widgets_qt5.py',
  'states_gtk3.py',
  'file manager of Qt',
  'contract_gtk3.py',
]
/** Pictures that are looked for on each screen. */
const EACH = 10
const OPTIONS = { confidence: 0.9, limit: 50 }

const screens: (Shot & { name: string })[] = []
const vision = new Vision({ images: [] })

beforeAll(async () => {
  const chosen = [...LOOKED_AT, ...HELD_OUT].filter((s) => CHOSEN.includes(s.name))
  for await (const { screen, picture, truth } of shots(chosen)) screens.push({ name: screen.name, picture, truth })
}, 600_000)
afterAll(() => vision.close())

interface Wanted {
  screen: string
  at: Rect
  picture: Picture
}

/** Elements with something drawn on them, no larger than controls are. */
function wanted(): Wanted[] {
  return screens.flatMap(({ name, picture, truth }) => {
    const found: Wanted[] = []
    for (const { rect } of truth) {
      const at = { x: Math.round(rect.x), y: Math.round(rect.y), w: Math.round(rect.w), h: Math.round(rect.h) }
      if (at.w < 14 || at.h < 10 || at.w > 300 || at.h > 90) continue
      const part = cropped(picture, at.x, at.y, at.w, at.h)
      const isTaken = found.some((f) => Math.abs(f.at.x - at.x) < 8 && Math.abs(f.at.y - at.y) < 8)
      if (part.width === at.w && part.height === at.h && inkOf(part) > 60 && !isTaken) found.push({ screen: name, at, picture: part })
    }
    const step = Math.max(1, Math.floor(found.length / EACH))
    return found.filter((_, i) => i % step === 0).slice(0, EACH)
  })
}

/** Pixels that stand out from the one before. */
function inkOf({ data }: Picture): number {
  let ink = 0
  for (let i = 4; i < data.length; i += 4) if (Math.abs(data[i]! - data[i - 4]!) > 40) ink++
  return ink
}

const raw = ({ width, height, data }: Picture) => sharp(Buffer.from(data), { raw: { width, height, channels: 4 } })

async function recompressed(picture: Picture): Promise<Picture> {
  const jpeg = await raw(picture).removeAlpha().jpeg({ quality: 85 }).toBuffer()
  const { data, info } = await sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data: new Uint8Array(data) }
}

async function noisy(picture: Picture): Promise<Picture> {
  let seed = 11
  const grain = (): number => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 28) - 8
  return { ...picture, data: picture.data.map((v, i) => (i % 4 === 3 ? 255 : Math.max(0, Math.min(255, v + grain())))) }
}

const MOVED = { x: 37, y: 23 }

/** The same further right and down, on a larger screen. */
async function moved({ width, height, data }: Picture): Promise<Picture> {
  const large = { width: width + 80, height: height + 60, data: new Uint8Array((width + 80) * (height + 60) * 4).fill(255) }
  for (let row = 0; row < height; row++)
    large.data.set(data.subarray(row * width * 4, (row + 1) * width * 4), ((row + MOVED.y) * large.width + MOVED.x) * 4)
  return large
}

test.each([
  ['as they are', async (p: Picture) => p, { x: 0, y: 0 }],
  ['recompressed', recompressed, { x: 0, y: 0 }],
  ['with noise over them', noisy, { x: 0, y: 0 }],
  ['elsewhere', moved, MOVED],
] as const)(
  'every picture is found on screens that show it %s',
  async (_, change, by) => {
    const pictures = new Map<string, Picture>()
    for (const { name, picture } of screens) pictures.set(name, await change(picture))
    const all = wanted()
    expect(all.length).toBeGreaterThanOrEqual(50)
    const missed: string[] = []
    for (const { screen, at, picture } of all) {
      const hits = await vision.locate(pictures.get(screen)!, { pixels: picture }, OPTIONS, AbortSignal.timeout(60_000))
      const isThere = hits.some((h) => Math.abs(h.rect.x - at.x - by.x) <= 2 && Math.abs(h.rect.y - at.y - by.y) <= 2)
      if (!isThere) missed.push(`${JSON.stringify(at)} of ${screen}`)
    }
    expect(missed).toEqual([])
  },
  900_000,
)
