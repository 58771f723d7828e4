import { DeskhandError } from '@deskhand/core/errors'
import type { ServedDesktop } from './desktop.ts'

/** What an operator says to bring up one more desktop. */
export interface DesktopSpec {
  name: string
  kind: 'virtual' | 'sandbox' | 'host'
  preset?: string
}

/** The desktops of one server, each behind a broker of its own: one that ends takes no other with it. */
export class Desktops {
  readonly #served = new Map<string, ServedDesktop>()
  readonly #bring: ((spec: DesktopSpec) => Promise<void>) | undefined

  constructor(bring?: (spec: DesktopSpec) => Promise<void>) {
    this.#bring = bring
  }

  add(desktop: ServedDesktop): void {
    if (this.#served.has(desktop.name)) throw new DeskhandError('BROKER_BUSY', `there is a desktop ${desktop.name} already`)
    this.#served.set(desktop.name, desktop)
    void desktop.closed.then(() => this.#served.delete(desktop.name))
  }

  find(name: string): ServedDesktop | undefined {
    return this.#served.get(name)
  }

  all(): ServedDesktop[] {
    return [...this.#served.values()]
  }

  async bring(spec: DesktopSpec): Promise<ServedDesktop> {
    if (this.#bring === undefined) throw new DeskhandError('NOT_CAPABLE', 'this server cannot bring up desktops')
    if (this.#served.has(spec.name)) throw new DeskhandError('BROKER_BUSY', `there is a desktop ${spec.name} already`)
    await this.#bring(spec)
    const desktop = this.#served.get(spec.name)
    if (desktop === undefined) throw new DeskhandError('NO_DESKTOP', `${spec.name} did not come up`)
    return desktop
  }
}
