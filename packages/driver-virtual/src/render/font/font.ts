import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openSlice, type Glyph, type Slice } from './slice.ts'

/**
 * Noto Sans SC (SIL Open Font License 1.1), as its npm package splits it: a hundred small files by characters, of which only those are read
 * whose characters are drawn. It has Latin, Cyrillic, kana and the Chinese characters.
 */
const PACKAGE = '@fontsource-variable/noto-sans-sc/package.json'
const WEIGHT = 400

interface Range {
  from: number
  to: number
  file: string
}

const glyphs = new Map<number, Glyph>()
const slices = new Map<string, Slice>()
let ranges: Range[] | undefined
let folder = ''

/** The curves of a character; one that the font does not have is an empty box. */
export function glyphOf(codePoint: number): Glyph {
  let glyph = glyphs.get(codePoint)
  if (!glyph) glyphs.set(codePoint, (glyph = find(codePoint) ?? box(codePoint)))
  return glyph
}

function find(codePoint: number): Glyph | undefined {
  for (const { from, to, file } of index()) {
    if (codePoint < from || codePoint > to) continue
    let slice = slices.get(file)
    if (!slice) slices.set(file, (slice = openSlice(readFileSync(join(folder, file)), WEIGHT)))
    const glyph = slice.glyph(codePoint)
    if (glyph) return glyph
  }
  return undefined
}

/** Which file has which characters, the alphabets first. */
function index(): Range[] {
  if (ranges) return ranges
  folder = dirname(createRequire(import.meta.url).resolve(PACKAGE))
  const table: unknown = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'))
  const named: Range[] = []
  const numbered: Range[] = []
  for (const [name, list] of Object.entries(table ?? {})) {
    const file = `files/noto-sans-sc-${name.replaceAll(/[[\]]/g, '')}-wght-normal.woff2`
    for (const range of String(list).split(',')) {
      const [from, to] = range
        .replace('U+', '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16))
      if (from !== undefined) (name.startsWith('[') ? numbered : named).push({ from, to: to ?? from, file })
    }
  }
  return (ranges = [...named, ...numbered])
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Mn}\p{Zl}\p{Zp}]/u

function box(codePoint: number): Glyph {
  const char = codePoint > 0x10ffff ? '?' : String.fromCodePoint(codePoint)
  if (char === '\t') return { xs: [], ys: [], on: [], ends: [], advance: 1 }
  if (INVISIBLE.test(char)) return { xs: [], ys: [], on: [], ends: [], advance: 0 }
  const rect = (l: number, b: number, r: number, t: number): [number, number][] => [
    [l, b],
    [l, t],
    [r, t],
    [r, b],
  ]
  const points = [...rect(0.08, 0, 0.92, 0.76), ...rect(0.14, 0.06, 0.86, 0.7).reverse()]
  return { xs: points.map((p) => p[0]), ys: points.map((p) => p[1]), on: points.map(() => true), ends: [3, 7], advance: 1 }
}
