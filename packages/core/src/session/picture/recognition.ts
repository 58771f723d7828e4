import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { Principal, Region } from '../../model/index.ts'
import { wants } from '../../selector/index.ts'
import type { Recognizer } from '../ports.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { Capture } from './capture.ts'

const LOOK_MS = 5_000
const RECOGNIZE_MS = 30_000
const KEEP = 16

interface RecognitionNeeds {
  observe: Observe
  driver: DriverState
  capture: Capture
  recognizer?: Recognizer
}

interface Recognised {
  cursor: string
  regions: Promise<readonly Region[]>
}

/** Asks the recognizer for what a selector wants of pixels. What was recognised holds until something is drawn. */
export class Recognition {
  readonly #on: RecognitionNeeds
  readonly #kept = new Map<string, Recognised>()

  constructor(needs: RecognitionNeeds) {
    this.#on = needs
  }

  /** The regions that a selector may match, on pixels masked for this principal; none for a selector that asks for structure alone. */
  async regions(selector: string, who: Principal): Promise<readonly Region[]> {
    const wanted = wants(selector, this.#on.driver.prefixes)
    if (!wanted.ocr && wanted.images.length === 0) return []
    const { recognizer, observe } = this.#on
    if (recognizer === undefined)
      throw new DeskhandError('NOT_CAPABLE', `${selector} asks for what is seen in pixels, and no recognizer is set up here`, {
        next: 'Name the element by its role and name; ui.snapshot shows them.',
      })
    const key = JSON.stringify([who.role, who.id, wanted])
    const known = this.#kept.get(key)
    const { cursor, damage } = await observe.watch('drawing', known?.cursor, 0, within(LOOK_MS))
    if (known !== undefined && damage.length === 0) return known.regions
    const regions = this.#recognize(recognizer, wanted, who)
    this.#keep(key, { cursor, regions })
    return regions
  }

  async #recognize(recognizer: Recognizer, wanted: ReturnType<typeof wants>, who: Principal): Promise<readonly Region[]> {
    const { frame } = await this.#on.capture.take(who, { format: 'raw' })
    return recognizer.recognize(frame, wanted, AbortSignal.timeout(RECOGNIZE_MS))
  }

  #keep(key: string, recognised: Recognised): void {
    recognised.regions.catch(() => this.#kept.delete(key))
    this.#kept.delete(key)
    this.#kept.set(key, recognised)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEEP && oldest !== undefined) this.#kept.delete(oldest)
  }
}
