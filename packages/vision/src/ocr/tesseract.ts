import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'tesseract.js'
import type { Picture } from '../image/picture.ts'
import { resizedTo } from '../image/resize.ts'
import { localContrast } from './contrast.ts'
import { bitmap } from './bitmap.ts'
import type { Engines } from './engines.ts'
import type { Glyph } from './recognize.ts'
import type { Line, Word } from './text.ts'
import { around } from './words.ts'

/** It was trained on print: text of a screen is too small for it. */
const ZOOM = 3
const LEAST_CONFIDENCE = 60

/** Tesseract, compiled for Node; its data comes from packages, and it writes nothing down. */
export class Tesseract {
  readonly #worker: Worker

  static async open({ languages, folders }: NonNullable<Engines['tesseract']>): Promise<Tesseract> {
    const { createWorker } = await import('tesseract.js')
    // It looks for all languages in one folder, and each package has its own.
    const folder = mkdtempSync(join(tmpdir(), 'deskhand-ocr-'))
    try {
      for (const name of languages)
        copyFileSync(join(folders[name] ?? '', `${name}.traineddata.gz`), join(folder, `${name}.traineddata.gz`))
      return new Tesseract(await createWorker(languages, 1, { langPath: folder, cacheMethod: 'none', gzip: true }))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  /** Words of which it is less certain than `least`, in percent, are left out. */
  async read(picture: Picture, least = LEAST_CONFIDENCE): Promise<Line[]> {
    return (await this.#lines(picture)).flatMap((line): Line[] => {
      const words = line.words
        .filter((w) => w.confidence >= least && w.text.trim() !== '')
        .map(({ text, confidence, bbox: { x0, y0, x1, y1 } }): Word => ({
          text,
          confidence: confidence / 100,
          rect: { x: x0 / ZOOM, y: y0 / ZOOM, w: (x1 - x0) / ZOOM, h: (y1 - y0) / ZOOM },
        }))
      if (words.length === 0) return []
      const confidence = Math.min(...words.map((w) => w.confidence))
      return [{ text: words.map((w) => w.text).join(' '), rect: around(words), confidence, words, engine: 'tesseract' }]
    })
  }

  /** Each character of one line in its order, without spaces; its place is only about right. */
  async glyphs(picture: Picture): Promise<Glyph[]> {
    const symbols = (await this.#lines(picture)).flatMap((line) => line.words.flatMap((word) => word.symbols))
    return symbols.map(({ text, confidence, bbox: { x0, x1 } }) => ({ text, x: (x0 + x1) / 2 / ZOOM, confidence: confidence / 100 }))
  }

  async #lines(picture: Picture) {
    const large = resizedTo(localContrast(picture), picture.width * ZOOM, picture.height * ZOOM)
    const { data } = await this.#worker.recognize(bitmap(large), {}, { blocks: true })
    return (data.blocks ?? []).flatMap((b) => b.paragraphs.flatMap((p) => p.lines))
  }
}
