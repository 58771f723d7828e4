import type { Frame } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Rect, Region } from '@deskhand/core/model'
import type { Recognizer } from '@deskhand/core/session'
import { exactPlaces } from './image/exact.ts'
import { ImageFolders } from './image/folders.ts'
import { grey, type Picture } from './image/picture.ts'
import type { Hit, SearchOptions } from './image/search.ts'
import { VisionProcess } from './process.ts'

export interface VisionOptions {
  /** Folders of pictures that selectors and scripts may look for. */
  images: readonly string[]
}

export const CONFIDENCE = 0.9
const MOST_HITS = 50

/** A picture to look for: by the name of a file that the operator lends, or by its pixels. */
export type Needle = { name: string } | { pixels: Picture }

/** The eyes of a desktop: finds pictures in pixels that were masked before. */
export class Vision implements Recognizer {
  readonly #folders: ImageFolders
  readonly #process = new VisionProcess()

  constructor({ images }: VisionOptions) {
    this.#folders = new ImageFolders(images)
  }

  async recognize(frame: Frame, wanted: Parameters<Recognizer['recognize']>[1], signal: AbortSignal): Promise<readonly Region[]> {
    if (wanted.ocr)
      throw new DeskhandError('NOT_CAPABLE', 'nothing here reads text in pixels', {
        next: 'Name the element by its role and name; ui.snapshot shows them.',
      })
    const found: Region[] = []
    for (const image of wanted.images) {
      const hits = await this.locate(frame, { name: image }, { confidence: CONFIDENCE, limit: MOST_HITS }, signal)
      for (const { rect, confidence } of hits) found.push({ rect: onDesktop(frame, rect), source: 'image', confidence, image })
    }
    return found
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
