import type { Cap } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Keymap } from '../display-server.ts'
import { type Stroke, US } from './keymap.ts'

/** What a desktop tells of a person's keyboard. */
interface KeyboardState {
  look(): Promise<unknown>
  /** Why no key can be struck, as it was seen last. */
  gap(): Cap | undefined
  /** Whether characters that no key gives can be typed in another way, as it was seen last. */
  takesOthers(): boolean
}

/** Where nothing is told, the layout stays as it is. */
const UNTOLD: KeyboardState = { look: () => Promise.resolve(), gap: () => undefined, takesOthers: () => false }

/** A person's keyboard, which is used while its layout is US. */
export class PersonsKeyboard implements Keymap {
  readonly #next: string
  readonly #state: KeyboardState

  constructor(next: string, state = UNTOLD) {
    this.#next = next
    this.#state = state
  }

  async load(): Promise<void> {
    await this.#state.look()
  }

  /** Throws NOT_CAPABLE while the person's layout is another one. */
  find(symbol: number): Stroke | undefined {
    this.#mustBeKnown()
    return US.get(symbol)
  }

  /** Looks at all of a text at once, so that nothing of one that cannot be typed is sent. */
  reach(symbols: readonly number[]): number {
    return symbols.length
  }

  borrow(symbols: readonly number[]): Promise<boolean> {
    this.#mustBeKnown()
    if (symbols.every((symbol) => US.has(symbol)) || this.#state.takesOthers()) return Promise.resolve(true)
    throw new DeskhandError('NOT_CAPABLE', "the person's keyboard has no key for some of these characters, and this desktop lends none", {
      next: this.#next,
    })
  }

  restore(): void {}

  #mustBeKnown(): void {
    const gap = this.#state.gap()
    if (gap?.ok === false) throw new DeskhandError('NOT_CAPABLE', gap.reason, { next: gap.fix })
  }
}
