import type { Rect } from '@deskhand/core/model'

/** A word as it was read, in pixels of the picture. */
export interface Word {
  text: string
  rect: Rect
  confidence: number
}

/** What stands in one line, without a large gap in it. */
export interface Line extends Word {
  words: Word[]
  /** Which engine read it. */
  engine: 'ppocr' | 'tesseract'
}
