import { within, type Observe } from '../../driver/driver.ts'
import type { Point, Screen } from '../../model/index.ts'

const ASK_MS = 10_000

/** The screens of a desktop, asked for once until the driver tells that they changed. */
export class Screens {
  readonly #observe: Observe
  #known?: Promise<readonly Screen[]>

  constructor(observe: Observe) {
    this.#observe = observe
  }

  list(): Promise<readonly Screen[]> {
    const asked = (this.#known ??= this.#observe.screens(within(ASK_MS)))
    asked.catch(() => {
      if (this.#known === asked) this.#known = undefined
    })
    return asked
  }

  /** Where the pointer is. */
  pointer(): Promise<Point> {
    return this.#observe.pointer(within(ASK_MS))
  }

  forget(): void {
    this.#known = undefined
  }
}
