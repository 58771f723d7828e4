import { readFileSync } from 'node:fs'
import { intersect, type Rect } from '@deskhand/core/model'
import { cropped, type Picture } from '../image/picture.ts'
import { detectLines, type InferenceSession, type Ort } from './detect.ts'
import { KnownPictures } from './known-pictures.ts'
import { Noticed } from './noticed.ts'
import { readLines, type Alphabet, type Glyph } from './recognize.ts'
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

/** A glyph less certain than this is no text. */
const LEAST_CONFIDENCE = 0.5

/** PP-OCR: one network finds lines, others read them. */
export class PpOcr {
  readonly #ort: Ort
  readonly #detection: InferenceSession
  readonly #alphabets: readonly (Alphabet & { known: KnownPictures<Glyph[]> })[]
  readonly #known: ReadonlySet<string>
  readonly #noticed = new Noticed()

  static async open(files: PpOcrFiles, threads: number): Promise<PpOcr> {
    const ort = await import('onnxruntime-node')
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
    return new PpOcr(ort, await load(files.detection), alphabets)
  }

  private constructor(ort: Ort, detection: InferenceSession, alphabets: readonly Alphabet[]) {
    this.#ort = ort
    this.#detection = detection
    this.#alphabets = alphabets.map((alphabet) => ({ ...alphabet, known: new KnownPictures<Glyph[]>() }))
    this.#known = new Set(alphabets[0]?.characters)
  }

  /** `also`: places to read where no line was noticed. */
  async read(picture: Picture, also: readonly Rect[] = []): Promise<Line[]> {
    const noticed = await this.#noticed.in(picture, (part) => detectLines(this.#ort, this.#detection, part))
    const boxes = [...noticed, ...also.filter((place) => !noticed.some((line) => intersect(line, place) !== undefined))]
    const crops = boxes.map(({ x, y, w, h }) => cropped(picture, x, y, w, h))
    const readings: Glyph[][][] = []
    for (const { known, ...alphabet } of this.#alphabets)
      readings.push(
        await known.all(crops, (fresh) =>
          readLines(
            this.#ort,
            alphabet,
            picture,
            fresh.map((i) => boxes[i]!),
          ),
        ),
      )
    return boxes.flatMap((box, i) => {
      const best = this.#best(readings.map((r) => r[i] ?? []))
      const line = lineOf(picture, box, best)
      return line !== undefined && line.confidence >= LEAST_CONFIDENCE ? [line] : []
    })
  }

  /** The most certain reading; the first model takes letters that it does not know for others that look like them, and is certain of it. */
  #best([first = [], ...others]: readonly Glyph[][]): Glyph[] {
    const known = this.#known
    return others.reduce((best, other) => {
      const isForeign = other.some((g) => g.text.trim() !== '' && !known.has(g.text))
      return certainty(other) + (isForeign ? BENEFIT : 0) > certainty(best) ? other : best
    }, first)
  }
}

/** How much less certain a further model may be where it reads a character that the first does not know. */
const BENEFIT = 0.35

const certainty = (glyphs: readonly Glyph[]): number =>
  glyphs.length === 0 ? 0 : glyphs.reduce((sum, g) => sum + Math.log(Math.max(1e-6, g.confidence)), 0) / glyphs.length + 1

/** One character per line; a carriage return belongs to the file. */
const charactersIn = (file: string): string[] => readFileSync(file, 'utf8').replace(/\n$/, '').split(/\r?\n/)
