import type { Cap, Frame } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Rect, Region } from '@deskhand/core/model'
import type { Part, Recognizer } from '@deskhand/core/session'
import { Analyst } from './analyze/analyst.ts'
import type { ModelOptions } from './analyze/provider.ts'
import type { Effort } from './effort.ts'
import { exactPlaces } from './image/exact.ts'
import { ImageFolders } from './image/folders.ts'
import { grey, type Picture } from './image/picture.ts'
import type { Hit, SearchOptions } from './image/search.ts'
import { enginesFor, readingCap } from './ocr/engines.ts'
import { VisionProcess } from './process.ts'

export interface VisionOptions {
  /** What answers questions about pictures; without it elements and text do. */
  model?: ModelOptions
  /** What is written on the screen, by two letters; English and Chinese are always read. */
  languages?: readonly string[]
  /** The share of time in which something waits for a processor, in percent: the more, the less recognition takes. */
  pressure?: () => number
  /** Folders of pictures that selectors and scripts may look for. */
  images: readonly string[]
}

export const CONFIDENCE = 0.9
const MOST_HITS = 50

/** A picture to look for: by the name of a file that the operator lends, or by its pixels. */
export type Needle = { name: string } | { pixels: Picture }

/** The eyes of a desktop: finds pictures and text in pixels that were masked before. */
export class Vision implements Recognizer {
  readonly analyst: Analyst
  readonly #folders: ImageFolders
  readonly #languages: readonly string[]
  readonly #process: VisionProcess

  constructor({ images, languages = ['en'], model, pressure }: VisionOptions) {
    this.#process = new VisionProcess({ pressure })
    this.analyst = new Analyst(model)
    this.#folders = new ImageFolders(images)
    this.#languages = languages
  }

  /** Whether text can be read; what is installed later counts from the next start. */
  get canRead(): Cap {
    return (this.#canRead ??= readingCap(enginesFor(this.#languages)))
  }
  #canRead: Cap | undefined

  /** How much recognition takes of the machine now, and why. */
  get effort(): Effort {
    return this.#process.effort
  }

  /** The process that reads, while it runs. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  async recognize(frame: Frame, wanted: Parameters<Recognizer['recognize']>[1], signal: AbortSignal): Promise<readonly Region[]> {
    const found: Region[] = wanted.ocr ? await this.#read(frame, wanted.again === true, signal) : []
    for (const image of wanted.images) {
      const hits = await this.locate(frame, { name: image }, { confidence: CONFIDENCE, limit: MOST_HITS }, signal)
      for (const { rect, confidence } of hits) found.push({ rect: onDesktop(frame, rect), source: 'image', confidence, image })
    }
    return found
  }

  async #read(frame: Frame, again: boolean, signal: AbortSignal): Promise<Region[]> {
    if (!this.canRead.ok) throw new DeskhandError('NOT_CAPABLE', this.canRead.reason, { next: this.canRead.fix })
    const { width, height, data } = frame
    const lines = await this.#process.ask('read', { picture: { width, height, data }, languages: this.#languages, again }, signal)
    return lines.map(({ text, rect, confidence, words }): Region => ({
      source: 'ocr',
      text,
      confidence,
      rect: onDesktop(frame, rect),
      words: words.map((w) => ({ ...w, rect: onDesktop(frame, w.rect) })),
    }))
  }

  async structure(frame: Frame, signal: AbortSignal): Promise<readonly Part[]> {
    const { width, height, data } = frame
    const parts = await this.#process.ask('structure', { picture: { width, height, data }, languages: this.#languages }, signal)
    const placed = (part: Part): Part => ({ ...part, rect: onDesktop(frame, part.rect), children: part.children.map(placed) })
    return parts.map(placed)
  }

  /** Where a picture lies in another, in its pixels, best first; identical pixels are found here, anything else by the process. */
  async locate(pixels: Picture, needle: Needle, options: SearchOptions, signal: AbortSignal): Promise<Hit[]> {
    const wanted = 'pixels' in needle ? needle.pixels : await this.#folders.load(needle.name)
    const { width, height, data } = pixels
    const [hay, picture] = options.grey ? [grey(pixels), grey(wanted)] : [{ width, height, data }, wanted]
    const same = exactPlaces(hay, picture, options.limit)
    if (same.length > 0 || options.confidence >= 1)
      return same.map(({ x, y }) => ({ rect: { x, y, w: picture.width, h: picture.height }, confidence: 1 }))
    return this.#process.ask('similar', { hay, needle: picture, options }, signal)
  }

  async close(): Promise<void> {
    this.#process.close()
  }
}

/** From pixels of a frame to the desktop. */
const onDesktop = ({ origin, scale }: Frame, { x, y, w, h }: Rect): Rect => ({
  x: origin.x + x / scale,
  y: origin.y + y / scale,
  w: w / scale,
  h: h / scale,
})
