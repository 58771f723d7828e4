import { DeskhandError } from '@deskhand/core/errors'
import type { Rect } from '@deskhand/core/model'
import { cropped, type Picture } from '../image/picture.ts'
import { effortAt, type Effort } from '../effort.ts'
import { merged } from './accents.ts'
import { enginesFor, readingCap, type Engines } from './engines.ts'
import { KnownPictures } from './known-pictures.ts'
import { PpOcr, type Checked } from './ppocr.ts'
import type { Glyph } from './recognize.ts'
import { HARD, joined, lostKey, withKey } from './second-reading.ts'
import type { Line } from './text.ts'
import { Tesseract } from './tesseract.ts'

/** A line that is read with less certainty than this is worth a second look. */
const UNSURE = 0.9
/** Tesseract wants some air around a text. */
const EDGE = 4
const AIR = 6
/** In percent: what the other engine has read, too, need not be more certain than this. */
const DOUBTFUL = 25

interface Wanted {
  again?: boolean
  also?: readonly Rect[]
  effort?: Effort
}

/** Reads text with what is installed: PP-OCR, and tesseract where that is absent, or where a second look is asked for. */
export class Reader {
  readonly #languages: readonly string[]
  #ppocr: Promise<PpOcr> | undefined
  #tesseract: Promise<Tesseract> | undefined
  #accents: Promise<Tesseract> | undefined
  #scripts: Promise<Tesseract> | undefined
  readonly #again = new KnownPictures<Line[]>()
  readonly #symbols = new KnownPictures<Glyph[]>()

  constructor(languages: readonly string[]) {
    this.#languages = languages
  }

  /** `again`: what was looked for was not found, so the other engine reads the lines of which the first is not sure. `also`: places to read where no line is noticed. */
  async read(picture: Picture, { again = false, also = [], effort = effortAt(0) }: Wanted = {}): Promise<Line[]> {
    const engines = enginesFor(this.#languages)
    const { ppocr, tesseract } = engines
    const cap = readingCap(engines)
    if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
    if (ppocr === undefined) return tesseract === undefined ? [] : (await this.#second(tesseract)).read(picture)
    const { scripts } = engines
    const engine = await (this.#ppocr ??= PpOcr.open(ppocr, effort.threads))
    await engine.limit(effort.threads)
    const other = scripts && (await (this.#scripts ??= Tesseract.open(scripts)))
    const checked = other && ((...line: Parameters<Checked>) => this.#checked(engine, other, ...line))
    const first = await engine.read(picture, also, checked)
    if (engines.accents) return this.#accented(picture, first, await (this.#accents ??= Tesseract.open(engines.accents)))
    if (!again || tesseract === undefined) return first
    const second: Line[] = []
    for (const { rect } of first.filter((line) => line.confidence < UNSURE).slice(0, effort.secondLooks)) {
      const [x, y] = [Math.max(0, Math.floor(rect.x) - EDGE), Math.max(0, Math.floor(rect.y) - EDGE)]
      const part = cropped(picture, x, y, Math.ceil(rect.w) + 2 * EDGE, Math.ceil(rect.h) + 2 * EDGE)
      for (const line of await (await this.#second(tesseract)).read(part)) second.push(moved(line, x, y))
    }
    return [...first, ...second.filter((line) => !first.some((l) => isSame(l, line)))]
  }

  /** Every line with letters once more, by the engine that knows the accents of the language. */
  async #accented(picture: Picture, lines: readonly Line[], tesseract: Tesseract): Promise<Line[]> {
    const result: Line[] = []
    for (const line of lines) {
      if (!/\p{L}/u.test(line.text)) {
        result.push(line)
        continue
      }
      const [x, y] = [Math.max(0, Math.floor(line.rect.x) - AIR), Math.max(0, Math.floor(line.rect.y) - AIR)]
      const part = cropped(picture, x, y, Math.ceil(line.rect.w) + 2 * AIR, Math.ceil(line.rect.h) + 2 * AIR)
      const read = await this.#again.of(part, () => tesseract.read(part, DOUBTFUL))
      const words = merged(
        line.words,
        read.map((l) => moved(l, x, y)).flatMap((l) => l.words),
      )
      result.push({ ...line, words, text: words.map((w) => w.text).join(' ') })
    }
    return result
  }

  /** A line in a script that the first engine often misreads, with the characters of which the second one is certain. */
  async #checked(engine: PpOcr, tesseract: Tesseract, ...[glyphs, picture, box]: Parameters<Checked>): Promise<readonly Glyph[]> {
    if (!glyphs.some((g) => HARD.test(g.text))) return glyphs
    const [x, y] = [Math.max(0, box.x - AIR), Math.max(0, box.y - AIR)]
    const part = cropped(picture, x, y, box.w + 2 * AIR, box.h + 2 * AIR)
    const symbols = await this.#symbols.of(part, () => tesseract.glyphs(part))
    const second = symbols.map((g) => ({ ...g, x: g.x - (box.x - x) }))
    const both = joined(glyphs, second)
    const from = lostKey(both, second)
    if (from === undefined) return both
    const left = Math.max(0, Math.round(from - box.h / 4))
    const end = await engine.plain(picture, { ...box, x: box.x + left, w: Math.max(1, box.w - left) })
    return withKey(
      both,
      from - box.h / 4,
      end.map((g) => ({ ...g, x: g.x + left })),
    )
  }

  #second(tesseract: NonNullable<Engines['tesseract']>): Promise<Tesseract> {
    return (this.#tesseract ??= Tesseract.open(tesseract))
  }
}

const moved = (line: Line, x: number, y: number): Line => {
  const at = <T extends { rect: Rect }>(part: T): T => ({ ...part, rect: { ...part.rect, x: part.rect.x + x, y: part.rect.y + y } })
  return { ...at(line), words: line.words.map(at) }
}

/** The same words at the same place, as both engines read them. */
function isSame(a: Line, b: Line): boolean {
  const overlapY = Math.min(a.rect.y + a.rect.h, b.rect.y + b.rect.h) - Math.max(a.rect.y, b.rect.y)
  const overlapX = Math.min(a.rect.x + a.rect.w, b.rect.x + b.rect.w) - Math.max(a.rect.x, b.rect.x)
  return overlapX > 0 && overlapY * 2 > Math.min(a.rect.h, b.rect.h) && folded(a.text) === folded(b.text)
}

const folded = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, '')
