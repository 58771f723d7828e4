import { existsSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { z } from 'zod'

/** A character's advance in parts of the em, and its outline: an SVG path of relative m, l, q and z in thousandths of the em, y upwards. */
export interface Glyph {
  advance: number
  path: string
}

/** Cut from the Noto fonts by scripts/make-fonts.mjs: one file for each 256 code points, read when a character of it is first drawn. */
const FOLDER = new URL('../../../fonts/', import.meta.url)
const blockSchema = z.record(z.string(), z.tuple([z.number(), z.string()]))
type Block = z.infer<typeof blockSchema>

const glyphs = new Map<number, Glyph>()
const blocks = new Map<number, Block>()

/** A character that no font has is an empty box. */
export function glyphOf(codePoint: number): Glyph {
  let glyph = glyphs.get(codePoint)
  if (!glyph) glyphs.set(codePoint, (glyph = read(codePoint)))
  return glyph
}

function read(codePoint: number): Glyph {
  const char = String.fromCodePoint(codePoint)
  const found = blockOf(codePoint >> 8)[char]
  if (found) return { advance: found[0] / 1000, path: found[1] }
  return char === '\t' ? TAB : INVISIBLE.test(char) ? NOTHING : BOX
}

function blockOf(number: number): Block {
  let block = blocks.get(number)
  if (!block) {
    const file = new URL(`${number.toString(16).padStart(2, '0')}.json.br`, FOLDER)
    block = existsSync(file) ? blockSchema.parse(JSON.parse(brotliDecompressSync(readFileSync(file)).toString())) : {}
    blocks.set(number, block)
  }
  return block
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Mn}\p{Zl}\p{Zp}]/u
const NOTHING: Glyph = { advance: 0, path: '' }
const TAB: Glyph = { advance: 1, path: '' }
/** A frame: an outer rectangle, and an inner one that runs the other way round. */
const BOX: Glyph = { advance: 1, path: 'm80 0l0 760l840 0l0-760zm60 60l720 0l0 640l-720 0z' }
