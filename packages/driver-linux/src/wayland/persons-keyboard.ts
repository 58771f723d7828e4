import { DeskhandError } from '@deskhand/core/errors'
import type { Keymap } from '../display-server.ts'
import { type Stroke, US } from './keymap.ts'

/** A person's keyboard, whose layout is US and stays as it is. */
export class PersonsKeyboard implements Keymap {
  readonly #next: string
  readonly #takesOthers: () => boolean

  /** `takesOthers`: whether characters that no key gives can be typed in another way now. */
  constructor(next: string, takesOthers: () => boolean = () => false) {
    this.#next = next
    this.#takesOthers = takesOthers
  }

  load(): Promise<void> {
    return Promise.resolve()
  }

  find(symbol: number): Stroke | undefined {
    return US.get(symbol)
  }

  /** Looks at all of a text at once, so that nothing of one that cannot be typed is sent. */
  reach(symbols: readonly number[]): number {
    return symbols.length
  }

  borrow(symbols: readonly number[]): Promise<boolean> {
    if (symbols.every((symbol) => US.has(symbol)) || this.#takesOthers()) return Promise.resolve(true)
    throw new DeskhandError('NOT_CAPABLE', "the person's keyboard has no key for some of these characters, and this desktop lends none", {
      next: this.#next,
    })
  }

  restore(): void {}
}
