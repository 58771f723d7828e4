// Cuts the Noto fonts of the devDependencies into packages/driver-virtual/fonts; with --check, exits 1 when those differ.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { create } from 'fontkit'
import { decompress } from 'wawoff2'

const OUT = new URL('../packages/driver-virtual/fonts/', import.meta.url)
/** A character comes from the first font that has it: Latin, Cyrillic, kana and Chinese, then hangul, then symbols and emoji. */
const FONTS = ['noto-sans-sc', 'noto-sans-kr', 'noto-emoji']
const WEIGHT = 400
const EM = 1000
/** Noto Emoji gives control characters below the space a width. */
const FIRST = 0x20
const COMMANDS = { moveTo: 'm', lineTo: 'l', quadraticCurveTo: 'q', closePath: 'z' }

const blocks = await cutBlocks()
if (process.argv.includes('--check')) check()
else write()

/** By block of 256 code points (`4e` has U+4E00 to U+4EFF): each character's advance and path, as JSON. */
async function cutBlocks() {
  const glyphs = new Map()
  for (const font of FONTS) {
    const folder = new URL(`../node_modules/@fontsource-variable/${font}/files/`, import.meta.url)
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('-wght-normal.woff2'))
      .sort(namedFirst)) {
      const slice = create(Buffer.from(await decompress(readFileSync(new URL(file, folder))))).getVariation({ wght: WEIGHT })
      const scale = EM / slice.unitsPerEm
      for (const code of slice.characterSet) {
        const glyph = slice.glyphForCodePoint(code)
        if (code >= FIRST && glyph.id !== 0 && !glyphs.has(code))
          glyphs.set(code, [Math.round(glyph.advanceWidth * scale), svgPath(glyph.path.commands, scale)])
      }
    }
  }
  const byBlock = new Map()
  for (const [code, glyph] of [...glyphs].sort(([a], [b]) => a - b)) {
    const name = (code >> 8).toString(16).padStart(2, '0')
    if (!byBlock.has(name)) byBlock.set(name, {})
    byBlock.get(name)[String.fromCodePoint(code)] = glyph
  }
  return new Map([...byBlock].map(([name, block]) => [`${name}.json.br`, JSON.stringify(block)]))
}

/** The files of an alphabet before the numbered ones of Chinese and hangul, which repeat some of its characters. */
function namedFirst(a, b) {
  const isNumbered = (file) => /-\d+-wght/.test(file)
  return isNumbered(a) - isNumbered(b) || (a < b ? -1 : 1)
}

/** SVG path data with relative coordinates, which compress best. */
function svgPath(commands, scale) {
  let [start, at] = [
    [0, 0],
    [0, 0],
  ]
  const parts = commands.map(({ command, args }) => {
    const points = args.map((n) => Math.round(n * scale))
    const relative = points.map((n, i) => n - at[i % 2])
    at = command === 'closePath' ? start : points.slice(-2)
    if (command === 'moveTo') start = at
    return COMMANDS[command] + relative.join(' ')
  })
  return parts.join('').replaceAll(' -', '-')
}

function check() {
  const shipped = readdirSync(OUT).filter((name) => name.endsWith('.br'))
  const differing = [...new Set([...shipped, ...blocks.keys()])].filter(
    (name) => !shipped.includes(name) || brotliDecompressSync(readFileSync(new URL(name, OUT))).toString() !== blocks.get(name),
  )
  if (differing.length) {
    console.error(`packages/driver-virtual/fonts is out of date (run node scripts/make-fonts.mjs): ${differing.join(', ')}`)
    process.exitCode = 1
  }
}

function write() {
  mkdirSync(OUT, { recursive: true })
  for (const name of readdirSync(OUT)) if (name.endsWith('.br')) rmSync(new URL(name, OUT))
  for (const [name, json] of blocks) writeFileSync(new URL(name, OUT), brotliCompressSync(json))
}
