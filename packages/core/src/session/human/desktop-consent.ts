import { DeskhandError } from '../../errors.ts'
import type { Handlers, Principal } from '../../model/index.ts'

interface ConsentNeeds {
  /** Opens or closes the desktop to input and pictures; absent where the desktop asks for no consent. */
  admit?(isGiven: boolean): Promise<void>
  /** Asks the driver anew what it can do. */
  changed(): Promise<void>
  /** Takes the controls from every caller and has the driver release what is held. */
  release(): Promise<void>
  /** Writes down what an operator did. */
  record(what: string, by: Principal, detail?: unknown): Promise<void>
}

const COVERS = ['input', 'pictures', 'clipboard'] as const

/** The consent of the person whose desktop it is: for a time, written down before it holds, and over at once when it is withdrawn. */
export class DesktopConsent {
  readonly methods: Handlers<'consent.give' | 'consent.withdraw'>
  readonly #on: ConsentNeeds
  #expiry: NodeJS.Timeout | undefined

  constructor(needs: ConsentNeeds) {
    this.#on = needs
    this.methods = {
      'consent.give': async ({ minutes }, { who }) => {
        const admit = this.#admit()
        const until = new Date(Date.now() + minutes * 60_000).toISOString()
        await needs.record('consent', who, { covers: COVERS, until })
        this.close()
        this.#expiry = setTimeout(() => void this.#end(who, { expired: true }).catch(() => {}), minutes * 60_000).unref()
        await admit(true)
        await needs.changed()
        return { until }
      },
      'consent.withdraw': async (_, { who }) => {
        await this.#end(who)
        return null
      },
    }
  }

  close(): void {
    clearTimeout(this.#expiry)
  }

  /** The desktop is closed first and written down then: nothing is to happen in between. */
  async #end(by: Principal, detail?: unknown): Promise<void> {
    const admit = this.#admit()
    this.close()
    await this.#on.release().catch(() => {})
    await admit(false)
    await this.#on.changed()
    await this.#on.record('consent withdrawn', by, detail)
  }

  #admit(): NonNullable<ConsentNeeds['admit']> {
    const { admit } = this.#on
    if (admit === undefined) throw new DeskhandError('NOT_CAPABLE', 'this desktop asks for no consent')
    return admit
  }
}
