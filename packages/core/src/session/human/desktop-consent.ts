import { DeskhandError } from '../../errors.ts'
import type { Handlers, Principal } from '../../model/index.ts'

type Admit = (isGiven: boolean) => Promise<void>

interface ConsentNeeds {
  /** Opens or closes the desktop to input and pictures; absent where the desktop asks for no consent. */
  admit?: Admit
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
  /** The consent that was given last, until it ends. The desktop may still be asking its person. */
  #given: symbol | undefined
  #ending: Promise<void> = Promise.resolve()
  /** It was given, and the driver has said that the desktop is open. */
  #isOpen = false

  constructor(needs: ConsentNeeds) {
    this.#on = needs
    this.methods = {
      'consent.give': async ({ minutes }, { who }) => {
        const admit = this.#admit()
        const mine = Symbol('consent')
        this.#given = mine
        await needs.record('consent', who, { covers: COVERS, minutes })
        if (this.#given !== mine) throw over()
        this.#shut()
        if (!(await this.#open(mine, admit, who))) {
          await this.#end(DESKTOP, { by: 'the desktop' })
          throw new DeskhandError('DENIED', 'the person at the desktop did not allow it in the dialog that the desktop itself shows', {
            next: 'Answer the dialog of the desktop when it asks: deskhand consent give',
          })
        }
        this.#isOpen = true
        this.#expiry = setTimeout(() => void this.#end(who, { expired: true }).catch(() => {}), minutes * 60_000).unref()
        return { until: new Date(Date.now() + minutes * 60_000).toISOString() }
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
    this.#given = undefined
    this.#shut()
  }

  #shut(): void {
    clearTimeout(this.#expiry)
    this.#isOpen = false
  }

  /** Whether the person at the desktop lets it be opened. Throws where the consent ended while they were asked: nothing is open then. */
  async #open(mine: symbol, admit: Admit, who: Principal): Promise<boolean> {
    try {
      await admit(true)
      const isOpen = this.#given === mine && (await this.#on.changed())
      if (this.#given === mine) return isOpen
    } catch (thrown) {
      if (this.#given === mine) await this.#end(who, { failed: true }).catch(() => {})
      throw thrown
    }
    await this.#ending
    // It may have been opened after it was closed.
    if (this.#given === undefined) await admit(false)
    throw over()
  }

  #end(by: Principal, detail?: unknown): Promise<void> {
    const ended = this.#endNow(by, detail)
    this.#ending = ended.catch(() => {})
    return ended
  }

  /** The desktop is closed first and written down then: nothing is to happen in between. */
  async #endNow(by: Principal, detail?: unknown): Promise<void> {
    const admit = this.#admit()
    this.close()
    await this.#on.release().catch(() => {})
    await admit(false)
    await this.#on.changed()
    await this.#on.record('consent withdrawn', by, detail)
  }

  #admit(): Admit {
    const { admit } = this.#on
    if (admit === undefined) throw new DeskhandError('NOT_CAPABLE', 'this desktop asks for no consent')
    return admit
  }
}

const over = (): DeskhandError =>
  new DeskhandError('CANCELLED', 'the consent ended, or was given anew, before the desktop was open', {
    next: 'Give it again if it is still wanted: deskhand consent give',
  })
