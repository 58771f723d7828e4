import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { intersect, union, type Principal, type Rect, type Region } from '../../model/index.ts'
import { wants } from '../../selector/index.ts'
import type { Recognizer, Sought } from '../ports.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { Capture } from './capture.ts'
import { phrasesIn } from './phrases.ts'

const LOOK_MS = 5_000
const RECOGNIZE_MS = 60_000
const KEEP = 16
/** What is read again reaches this far beyond what was drawn, so that a line that grew is read whole. */
const MARGIN = 24

interface RecognitionNeeds {
  observe: Observe
  driver: DriverState
  capture: Capture
  recognizer?: Recognizer
  /** Why this principal may not look at pixels; undefined where it may. */
  refusal(who: Principal): string | undefined
}

interface Recognised {
  cursor: string
  regions: Promise<readonly Region[]>
  /** What was black: when that changes, everything is looked at again. */
  hidden: string
}

/** Asks the recognizer for what a selector wants of pixels. What was recognised holds until something is drawn there. */
export class Recognition {
  readonly #on: RecognitionNeeds
  readonly #kept = new Map<string, Recognised>()

  constructor(needs: RecognitionNeeds) {
    this.#on = needs
  }

  /** Whether text on the screen can be read for this principal. */
  canRead(who: Principal): boolean {
    const { recognizer, refusal } = this.#on
    return recognizer !== undefined && recognizer.canRead?.ok !== false && refusal(who) === undefined
  }

  /**
   * The regions that a selector may match, on pixels masked for this principal; none for a selector that asks for structure alone.
   * `fallback`: no element has the text that a step asks for.
   */
  async regions(selector: string, who: Principal, fallback = false): Promise<readonly Region[]> {
    const { images, texts, ...wanted } = wants(selector, this.#on.driver.prefixes)
    const ocr = wanted.ocr || (fallback && wanted.fallback)
    if (!ocr && images.length === 0) return []
    const found: Region[] = images.length === 0 ? [] : [...(await this.#found(who, { ocr: false, images }, selector))]
    if (!ocr) return found
    const lines = await this.lines(who, selector)
    const phrases = texts.flatMap((text) => phrasesIn(lines, text))
    if (phrases.length > 0 || texts.length === 0) return [...found, ...withoutTwins(lines, phrases), ...phrases]
    const again = await this.#found(who, { ocr: true, images: [], again: true }, selector)
    return [...found, ...again, ...texts.flatMap((text) => phrasesIn(again, text))]
  }

  /** Every line of text on the screen, as this principal may see it. `what` asks for it, for the error where that is not possible. */
  lines(who: Principal, what = 'this call'): Promise<readonly Region[]> {
    return this.#found(who, { ocr: true, images: [] }, what)
  }

  /** The same for what is to be hidden in pictures, also for a principal that may not look: none of it is told. Empty where nothing can be read. */
  async forMasks(who: Principal): Promise<readonly Region[]> {
    const { recognizer } = this.#on
    if (recognizer === undefined || recognizer.canRead?.ok === false) return []
    return this.#current(recognizer, who, { ocr: true, images: [] })
  }

  async #found(who: Principal, wanted: Sought, what: string): Promise<readonly Region[]> {
    const { recognizer, refusal } = this.#on
    if (recognizer === undefined)
      throw new DeskhandError('NOT_CAPABLE', `${what} asks for what is seen in pixels, and no recognizer is set up here`, {
        next: 'Name the element by its role and name; ui.snapshot shows them.',
      })
    const refused = refusal(who)
    if (refused !== undefined) throw new DeskhandError('DENIED', `${what} asks for what is seen in pixels: ${refused}`)
    return this.#current(recognizer, who, wanted)
  }

  /** What was recognised and still holds, or is recognised now. */
  async #current(recognizer: Recognizer, who: Principal, wanted: Sought): Promise<readonly Region[]> {
    const { observe, capture } = this.#on
    const key = JSON.stringify([who.role, who.id, wanted])
    const known = this.#kept.get(key)
    const hidden = JSON.stringify(capture.hiddenAreas(who))
    const { cursor, damage } = await observe.watch('drawing', known?.cursor, 0, within(LOOK_MS))
    const holds = known !== undefined && known.hidden === hidden
    if (holds && damage.length === 0) return known.regions
    const regions =
      holds && wanted.ocr && wanted.again !== true
        ? this.#renewed(recognizer, wanted, who, known.regions, damage)
        : this.#recognize(recognizer, wanted, who)
    this.#keep(key, { cursor, regions, hidden })
    return regions
  }

  async #recognize(recognizer: Recognizer, wanted: Sought, who: Principal, rect?: Rect): Promise<readonly Region[]> {
    const { frame } = await this.#on.capture.take(who, { rect, format: 'raw' })
    return recognizer.recognize(frame, wanted, AbortSignal.timeout(RECOGNIZE_MS))
  }

  /** Reads again what was drawn, with every line that it touches; the others stay. */
  async #renewed(
    recognizer: Recognizer,
    wanted: Sought,
    who: Principal,
    before: Promise<readonly Region[]>,
    damage: readonly Rect[],
  ): Promise<readonly Region[]> {
    let kept = await before
    const areas: Rect[] = []
    for (const drawn of damage) {
      let area: Rect = {
        x: Math.floor(drawn.x - MARGIN),
        y: Math.floor(drawn.y - MARGIN / 2),
        w: Math.ceil(drawn.w + 2 * MARGIN),
        h: Math.ceil(drawn.h + MARGIN),
      }
      for (const line of kept) if (intersect(line.rect, area)) area = union(area, line.rect)
      for (let at = areas.findIndex((a) => intersect(a, area)); at >= 0; at = areas.findIndex((a) => intersect(a, area)))
        area = union(areas.splice(at, 1)[0] ?? area, area)
      areas.push(area)
    }
    const screen = await this.#screen()
    for (const part of areas) {
      const area = intersect(part, screen)
      if (area === undefined) continue
      const read = await this.#recognize(recognizer, wanted, who, area)
      kept = [...kept.filter((line) => intersect(line.rect, area) === undefined), ...read]
    }
    return kept
  }

  async #screen(): Promise<Rect> {
    const screens = await this.#on.observe.screens(within(LOOK_MS))
    return screens.map((s) => s.bounds).reduce(union, screens[0]?.bounds ?? { x: 0, y: 0, w: 0, h: 0 })
  }

  #keep(key: string, recognised: Recognised): void {
    recognised.regions.catch(() => this.#kept.delete(key))
    this.#kept.delete(key)
    this.#kept.set(key, recognised)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEEP && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** A line that a phrase stands for is not listed a second time. */
const withoutTwins = (lines: readonly Region[], phrases: readonly Region[]): Region[] =>
  lines.filter((line) => !phrases.some((p) => p.rect.x === line.rect.x && p.rect.y === line.rect.y && p.rect.w === line.rect.w))
