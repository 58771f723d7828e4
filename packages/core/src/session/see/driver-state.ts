import { within, type CapName, type DriverInfo, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { prefixesOf, type Prefixes } from '../../selector/index.ts'

const ASK_MS = 10_000

/** What the driver last said of itself. */
export class DriverState {
  readonly #observe: Observe
  #info: DriverInfo
  #prefixes: Prefixes

  static async ask(observe: Observe): Promise<DriverState> {
    return new DriverState(observe, await observe.info(within(ASK_MS)))
  }

  private constructor(observe: Observe, info: DriverInfo) {
    this.#observe = observe
    this.#info = info
    this.#prefixes = prefixesOf(info.parts ?? [info])
  }

  get info(): DriverInfo {
    return this.#info
  }

  /** Which selector prefixes the driver claims, or each of the drivers that serve the desktop together. */
  get prefixes(): Prefixes {
    return this.#prefixes
  }

  can(name: CapName): boolean {
    return this.#info.can[name].ok
  }

  /** Whether the desktop is closed until its person consents. */
  get asksForConsent(): boolean {
    return Object.values(this.#info.can).some((cap) => !cap.ok && cap.consent)
  }

  /** Throws with the reason and the fix where the desktop cannot do this. */
  need(name: CapName): void {
    const cap = this.#info.can[name]
    if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', `this desktop cannot do ${name}: ${cap.reason}`, { next: cap.fix })
  }

  async refresh(): Promise<void> {
    this.#info = await this.#observe.info(within(ASK_MS))
    this.#prefixes = prefixesOf(this.#info.parts ?? [this.#info])
  }
}
