import type { ActionOf, Principal, Region } from '../../model/index.ts'
import type { Outcome } from '../outcome.ts'
import type { InPixels } from '../see/names.ts'
import type { OcrText } from './ocr-text.ts'
import type { Recognition } from './recognition.ts'
import type { SeenParts } from './seen-parts.ts'

/** What pixels show beside the tree: regions, parts of windows that tell nothing of themselves, and text. */
export class ScreenPixels implements InPixels {
  readonly #recognition: Recognition
  readonly #parts: SeenParts
  readonly #text: OcrText

  constructor(recognition: Recognition, parts: SeenParts, text: OcrText) {
    this.#recognition = recognition
    this.#parts = parts
    this.#text = text
  }

  async regions(selector: string, who: Principal, fallback = false): Promise<readonly Region[]> {
    return fallback && !this.#text.isNeeded(who) ? [] : await this.#recognition.regions(selector, who, fallback)
  }

  isNeeded(who: Principal): boolean {
    return this.#parts.isNeeded(who)
  }

  look(who: Principal, options?: { all?: boolean; glance?: boolean }): Promise<void> {
    return this.#parts.look(who, options)
  }

  index(outcome: Outcome, action: ActionOf<'snapshot'>, who: Principal): Promise<Outcome> {
    return this.#text.index(outcome, action, who)
  }
}
