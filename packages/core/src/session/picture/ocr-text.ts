import { DeskhandError } from '../../errors.ts'
import {
  center,
  contains,
  intersect,
  union,
  walk,
  type ActionOf,
  type DesktopKind,
  type Principal,
  type Rect,
  type Region,
  type VisualDOMSnapshot,
} from '../../model/index.ts'
import type { PrivateText } from '../../redaction/index.ts'
import type { Outcome } from '../outcome.ts'
import { folded } from '../see/folded.ts'
import type { See } from '../see/see.ts'
import { unreadPlaces } from '../see/unread.ts'
import { privateRun } from './private-run.ts'
import type { Recognition } from './recognition.ts'

type TextIndex = NonNullable<VisualDOMSnapshot['textIndex']>

interface OcrTextNeeds {
  desktop: DesktopKind
  see: See
  recognition: Recognition
  /** What looks private by the policy as it is now, and whether it asks to hide that in what this principal reads. */
  privateText(): Pick<PrivateText, 'text'>
  hidesPrivate(who: Principal): boolean
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
      const { text: mask } = this.#on.privateText()
      const hides = this.#on.hidesPrivate(who)
      const read = lines
        .flatMap((line) => wordsOf(line, mask, hides))
        .filter((w) => area === undefined || intersect(w.bounds, area) !== undefined)
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

/** The words of a line; those that look private as one, since masks know a card number by all of its words only. What was misread is plain where nothing is to be hidden. */
function wordsOf(line: Region, mask: (text: string) => string, hides: boolean): (TextIndex[number] & { bounds: Rect })[] {
  const { words, text = '', rect, confidence } = line
  const all = words ?? [{ text, rect, confidence }]
  const found = privateRun(line, mask)
  const run = found?.isWhole === true && !hides ? undefined : found
  const [first] = run?.words ?? []
  return all.flatMap((word) => {
    if (run === undefined || !run.words.includes(word)) return [entry(word)]
    const together = { text: run.text, rect: run.words.map((w) => w.rect).reduce(union), confidence: word.confidence }
    return word === first ? [entry(together)] : []
  })
}

const entry = (word: { text: string; rect: Rect; confidence: number }): TextIndex[number] & { bounds: Rect } => ({
  text: word.text,
  bounds: word.rect,
  source: 'ocr',
  confidence: word.confidence,
})
