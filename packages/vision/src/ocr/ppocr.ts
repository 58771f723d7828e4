import { readFileSync } from 'node:fs'
import { intersect, type Rect } from '@deskhand/core/model'
import { cropped, type Picture } from '../image/picture.ts'
import { flatsIn } from '../structure/flats.ts'
import { marksIn, withoutMarks, type Mark } from '../structure/marks.ts'
import { detectLines, type InferenceSession, type Ort } from './detect.ts'
import { KnownPictures } from './known-pictures.ts'
import { Noticed } from './noticed.ts'
import { readLines, type Alphabet, type Glyph } from './recognize.ts'
import { withLatin } from './second-reading.ts'
import type { Line } from './text.ts'
import { lineOf } from './words.ts'

/** Files of one model: the network, and the characters that it knows, one per line. */
export interface ModelFiles {
  model: string
  characters: string
}

export interface PpOcrFiles {
  detection: string
  /** The first is asked for every line; the others where they are more certain. */
  recognition: readonly ModelFiles[]
}

/** A thread that has nothing to do sleeps: on a busy machine spinning makes everything ten times slower. */
const PATIENT = { session: { intra_op: { allow_spinning: '0' } } }

/** So far around a line its marks are looked for. */
const EDGE = 6

/** A glyph less certain than this is no text. */
const LEAST_CONFIDENCE = 0.5

/** A reading of a line, which stands in this box, as another engine makes of it. */
export type Checked = (glyphs: readonly Glyph[], picture: Picture, box: Rect) => Promise<readonly Glyph[]>

interface Models {
  detection: InferenceSession
  alphabets: readonly Alphabet[]
}

async function modelsOf(ort: Ort, files: PpOcrFiles, threads: number): Promise<Models> {
  const load = (file: string): Promise<InferenceSession> =>
    ort.InferenceSession.create(file, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      enableMemPattern: false,
      logSeverityLevel: 3,
      extra: PATIENT,
    })
  const alphabets = await Promise.all(
    files.recognition.map(async ({ model, characters }) => ({ model: await load(model), characters: charactersIn(characters) })),
  )
  return { detection: await load(files.detection), alphabets }
}

/** PP-OCR: one network finds lines, others read them. */
export class PpOcr {
  readonly #ort: Ort
  readonly #files: PpOcrFiles
  readonly #known: readonly KnownPictures<Glyph[]>[]
  readonly #familiar: ReadonlySet<string>
  readonly #noticed = new Noticed()
  readonly #marks = new KnownPictures<Mark[]>()
  /** By their threads: readings under way go on with theirs, and what was loaded once is loaded for good. */
  readonly #loaded = new Map<number, Promise<Models>>()
  #models: Models

  static async open(files: PpOcrFiles, threads: number): Promise<PpOcr> {
    const ort = await import('onnxruntime-node')
    return new PpOcr(ort, files, threads, await modelsOf(ort, files, threads))
  }

  private constructor(ort: Ort, files: PpOcrFiles, threads: number, models: Models) {
    this.#ort = ort
    this.#files = files
    this.#models = models
    this.#loaded.set(threads, Promise.resolve(models))
    this.#known = models.alphabets.map(() => new KnownPictures<Glyph[]>())
    this.#familiar = new Set(models.alphabets[0]?.characters)
  }

  /** From now on with so many threads; what is known of lines stays. */
  async limit(threads: number): Promise<void> {
    const models = this.#loaded.get(threads) ?? modelsOf(this.#ort, this.#files, threads)
    this.#loaded.set(threads, models)
    try {
      this.#models = await models
    } catch (error) {
      this.#loaded.delete(threads)
      throw error
    }
  }

  /** `also`: places to read where no line was noticed. `checked`: a reading, as another engine that looks at it once more has it. */
  async read(shown: Picture, also: readonly Rect[] = [], checked?: Checked): Promise<Line[]> {
    const { detection, alphabets } = this.#models
    const noticed = await this.#noticed.in(shown, (part) => detectLines(this.#ort, detection, part))
    const boxes = [...noticed, ...also.filter((place) => !noticed.some((line) => intersect(line, place) !== undefined))]
    const picture = await this.#withoutMarks(shown, boxes)
    const crops = boxes.map(({ x, y, w, h }) => cropped(picture, x, y, w, h))
    const readings: Glyph[][][] = []
    for (const [i, alphabet] of alphabets.entries())
      readings.push(
        await this.#known[i]!.all(crops, (fresh) =>
          readLines(
            this.#ort,
            alphabet,
            picture,
            fresh.map((n) => boxes[n]!),
          ),
        ),
      )
    const lines: Line[] = []
    for (const [i, box] of boxes.entries()) {
      const best = this.#best(
        readings.map((r) => r[i] ?? []),
        box.h,
      )
      const line = lineOf(picture, box, checked === undefined ? best : await checked(best, picture, box))
      if (line !== undefined && line.confidence >= LEAST_CONFIDENCE) lines.push(line)
    }
    return lines
  }

  /** The same picture without the marks of check boxes and radio buttons at the beginning of its lines: they are read as letters, and in Japanese as `口`. */
  async #withoutMarks(picture: Picture, boxes: readonly Rect[]): Promise<Picture> {
    const around = boxes.map(({ x, y, w, h }): Rect => ({
      x: Math.max(0, x - EDGE),
      y: Math.max(0, y - EDGE),
      w: w + 2 * EDGE,
      h: h + 2 * EDGE,
    }))
    const parts = around.map(({ x, y, w, h }) => cropped(picture, x, y, w, h))
    const found = await this.#marks.all(parts, async (fresh) =>
      fresh.map((i) => marksIn(parts[i]!, flatsIn(parts[i]!)).filter((m) => m.rect.x < boxes[i]!.h)),
    )
    const marks = found.flatMap((list, i) =>
      list.map((m) => ({ ...m, rect: { ...m.rect, x: m.rect.x + around[i]!.x, y: m.rect.y + around[i]!.y } })),
    )
    return withoutMarks(picture, marks)
  }

  /** What the first model alone reads in a box: Latin letters, digits and signs. */
  async plain(picture: Picture, box: Rect): Promise<Glyph[]> {
    const [alphabet] = this.#models.alphabets
    const [glyphs = []] = alphabet === undefined ? [] : await readLines(this.#ort, alphabet, picture, [box])
    return glyphs
  }

  /** The most certain reading; the first model takes letters that it does not know for others that look like them, and is certain of it. */
  #best([first = [], ...others]: readonly Glyph[][], height: number): Glyph[] {
    const known = this.#familiar
    const best = others.reduce((best, other) => {
      const isForeign = other.some((g) => g.text.trim() !== '' && !known.has(g.text))
      const isBetter = certainty(other) + (isForeign ? BENEFIT : 0) > certainty(best)
      return isBetter || (isForeign && isAccessKey(best)) ? other : best
    }, first)
    return best === first ? first : withLatin(first, best, height)
  }
}

/** An access key behind a character that the first model takes for a letter: a button in another script. */
const isAccessKey = (glyphs: readonly Glyph[]): boolean => /^.?.?\([A-Z\d]\)$/u.test(glyphs.map((g) => g.text).join(''))

/** How much less certain a further model may be where it reads a character that the first does not know. */
const BENEFIT = 0.35

const certainty = (glyphs: readonly Glyph[]): number =>
  glyphs.length === 0 ? 0 : glyphs.reduce((sum, g) => sum + Math.log(Math.max(1e-6, g.confidence)), 0) / glyphs.length + 1

/** One character per line; a carriage return belongs to the file. */
const charactersIn = (file: string): string[] => readFileSync(file, 'utf8').replace(/\n$/, '').split(/\r?\n/)
