import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openSlice, type Glyph, type Slice } from './slice.ts'

/**
 * The Noto fonts (SIL Open Font License 1.1), as their npm packages split them: small files by characters, of which only those are read whose
 * characters are drawn. The first has Latin, Cyrillic, kana and the Chinese characters, the second hangul, the third symbols and emoji.
 */
const require = createRequire(import.meta.url)
const FONTS = [
  { name: 'noto-sans-sc', at: () => require.resolve('@fontsource-variable/noto-sans-sc/package.json') },
  { name: 'noto-sans-kr', at: () => require.resolve('@fontsource-variable/noto-sans-kr/package.json') },
  { name: 'noto-emoji', at: () => require.resolve('@fontsource-variable/noto-emoji/package.json') },
]
type Font = (typeof FONTS)[number]
const WEIGHT = 400

interface Range {
  from: number
  to: number
  file: string
}

const glyphs = new Map<number, Glyph>()
const slices = new Map<string, Slice>()
const indexes = new Map<string, Range[]>()

/** The curves of a character; one that no font has is an empty box. */
export function glyphOf(codePoint: number): Glyph {
  let glyph = glyphs.get(codePoint)
  if (!glyph) glyphs.set(codePoint, (glyph = find(codePoint) ?? box(codePoint)))
  return glyph
}

function find(codePoint: number): Glyph | undefined {
  for (const font of FONTS) {
    for (const { from, to, file } of indexOf(font)) {
      if (codePoint < from || codePoint > to) continue
      let slice = slices.get(file)
      if (!slice) slices.set(file, (slice = openSlice(readFileSync(file), WEIGHT)))
      const glyph = slice.glyph(codePoint)
      if (glyph) return glyph
    }
  }
  return undefined
}

/** Which file has which characters, the alphabets first. */
function indexOf({ name: font, at }: Font): Range[] {
  const known = indexes.get(font)
  if (known) return known
  const folder = dirname(at())
  const table: unknown = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'))
  const named: Range[] = []
  const numbered: Range[] = []
  for (const [name, list] of Object.entries(table ?? {})) {
    const file = join(folder, 'files', `${font}-${name.replaceAll(/[[\]]/g, '')}-wght-normal.woff2`)
    for (const range of String(list).split(',')) {
      const [from, to] = range
        .replace('U+', '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16))
      if (from !== undefined) (name.startsWith('[') ? numbered : named).push({ from, to: to ?? from, file })
    }
  }
  const all = [...named, ...numbered]
  indexes.set(font, all)
  return all
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Mn}\p{Zl}\p{Zp}]/u
const NOTHING: Glyph = { xs: [], ys: [], on: [], ends: [], advance: 0 }
const TAB: Glyph = { ...NOTHING, advance: 1 }
/** A frame: an outer rectangle, and an inner one that runs the other way round. */
const BOX: Glyph = {
  xs: [0.08, 0.08, 0.92, 0.92, 0.86, 0.86, 0.14, 0.14],
  ys: [0, 0.76, 0.76, 0, 0.06, 0.7, 0.7, 0.06],
  on: Array.from({ length: 8 }, () => true),
  ends: [3, 7],
  advance: 1,
}

function box(codePoint: number): Glyph {
  const char = String.fromCodePoint(codePoint)
  return char === '\t' ? TAB : INVISIBLE.test(char) ? NOTHING : BOX
}
