import { DeskhandError } from '../../errors.ts'
import type { Handlers, Principal } from '../../model/index.ts'

interface ConsentNeeds {
  /** Opens or closes the desktop to input and pictures; absent where the desktop asks for no consent. */
  admit?(isGiven: boolean): Promise<void>
  /** Asks the driver anew what it can do; false where the desktop's own dialog was answered with no. */
  changed(): Promise<boolean>
  /** Takes the controls from every caller and has the driver release what is held. */
  release(): Promise<void>
  /** Writes down what an operator did. */
  record(what: string, by: Principal, detail?: unknown): Promise<void>
}

/** In whose name it is written down that a person took back in the desktop's own dialogs what they had allowed there. */
const DESKTOP: Principal = { id: 'the desktop', role: 'operator' }
const COVERS = ['input', 'pictures', 'clipboard'] as const

/** The consent of the person whose desktop it is: for a time, written down before it holds, and over at once when it is withdrawn. */
export class DesktopConsent {
  readonly methods: Handlers<'consent.give' | 'consent.withdraw'>
  readonly #on: ConsentNeeds
  #expiry: NodeJS.Timeout | undefined
  /** It was given, and the driver has said that the desktop is open. */
  #isOpen = false

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
        this.#isOpen = await needs.changed()
        if (this.#isOpen) return { until }
        await this.#end(DESKTOP, { by: 'the desktop' })
        throw new DeskhandError('DENIED', 'the person at the desktop did not allow it in the dialog that the desktop itself shows', {
          next: 'Answer the dialog of the desktop when it asks: deskhand consent give',
        })
      },
      'consent.withdraw': async (_, { who }) => {
        await this.#end(who)
        return null
      },
    }
  }

  /** A person took back in the desktop's own dialogs what they had allowed there. */
  async endedByDesktop(): Promise<void> {
    if (this.#isOpen) await this.#end(DESKTOP, { by: 'the desktop' })
  }

  close(): void {
    clearTimeout(this.#expiry)
    this.#isOpen = false
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
