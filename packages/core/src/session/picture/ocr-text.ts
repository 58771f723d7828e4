import { DeskhandError } from '../../errors.ts'
import {
  center,
  contains,
  intersect,
  walk,
  type ActionOf,
  type DesktopKind,
  type Principal,
  type Rect,
  type Region,
  type VisualDOMSnapshot,
} from '../../model/index.ts'
import type { Outcome } from '../outcome.ts'
import { folded } from '../see/folded.ts'
import type { See } from '../see/see.ts'
import { unreadPlaces } from '../see/unread.ts'
import type { Recognition } from './recognition.ts'

type TextIndex = NonNullable<VisualDOMSnapshot['textIndex']>

interface OcrTextNeeds {
  desktop: DesktopKind
  see: See
  recognition: Recognition
}

/** Text on the screen that no tree has: for looks that ask for it, and for conditions on windows that tell nothing of themselves. */
export class OcrText {
  readonly #on: OcrTextNeeds

  constructor(needs: OcrTextNeeds) {
    this.#on = needs
  }

  /** Whether something that this principal sees tells nothing of what is in it, and its pixels can be read. */
  isNeeded(who: Principal): boolean {
    const { desktop, see, recognition } = this.#on
    return desktop !== 'virtual' && unreadPlaces(see(who)).length > 0 && recognition.canRead(who)
  }

  /** The lines on the screen where they are needed. */
  read(who: Principal): Promise<readonly string[]> | undefined {
    if (!this.isNeeded(who)) return undefined
    return this.#on.recognition.lines(who).then((lines) => lines.map((line) => line.text ?? ''))
  }

  /** Adds to a snapshot's text index what is only seen; where pixels cannot be read or may not, it says why. */
  async index(outcome: Outcome, { scope }: ActionOf<'snapshot'>, who: Principal): Promise<Outcome> {
    const data = outcome.data as VisualDOMSnapshot
    try {
      const lines = await this.#on.recognition.lines(who, 'includeTextIndex')
      const known = data.textIndex ?? []
      const area = scope === 'desktop' ? undefined : data.activeApp?.bounds
      const read = lines.flatMap((line) => wordsOf(line)).filter((w) => area === undefined || intersect(w.bounds, area) !== undefined)
      return { ...outcome, data: { ...data, textIndex: [...known, ...read.filter((w) => !this.#isKnown(w, who))] } }
    } catch (thrown) {
      const { message, next } = DeskhandError.from(thrown)
      return { ...outcome, data: { ...data, textIndexReason: next === undefined ? message : `${message}. ${next}` } }
    }
  }

  /** Whether an element around the middle of a word says it. */
  #isKnown({ text, bounds }: { text: string; bounds: Rect }, who: Principal): boolean {
    const [middle, wanted] = [center(bounds), folded(text)]
    for (const { bounds: box, name, value, states } of walk(this.#on.see(who).roots))
      if (
        box !== undefined &&
        states?.visible !== false &&
        contains(box, middle) &&
        folded(`${name ?? ''} ${value ?? ''}`).includes(wanted)
      )
        return true
    return false
  }
}

const wordsOf = ({ words, text = '', rect, confidence }: Region): (TextIndex[number] & { bounds: Rect })[] =>
  (words ?? [{ text, rect, confidence }]).map((w) => ({ text: w.text, bounds: w.rect, source: 'ocr', confidence: w.confidence }))
