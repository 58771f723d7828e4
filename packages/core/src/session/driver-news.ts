import { DeskhandError } from '../errors.ts'
import type { LeaseQueue } from './act/lease.ts'
import type { Events } from './events.ts'
import type { HostRequests } from './host-requests.ts'
import type { DriverState } from './see/driver-state.ts'
import type { DesktopConsent } from './human/desktop-consent.ts'
import type { LiveTree, News } from './see/live-tree.ts'
import type { Screens } from './see/screens.ts'

/** A tree that changes all the time is told of this often. */
const TELL_MS = 100

interface DriverNewsNeeds {
  tree: LiveTree
  driver: DriverState
  screens: Screens
  leases: LeaseQueue
  hostRequests: HostRequests
  events: Events
  consent: DesktopConsent
}

/** Passes on what a driver tells beside the tree, and that the tree changed. */
export class DriverNews {
  readonly #on: DriverNewsNeeds
  #isSeeded = false
  #telling?: NodeJS.Timeout

  constructor(needs: DriverNewsNeeds) {
    this.#on = needs
    needs.tree.onNews = (news) => this.#hear(news)
  }

  #hear(news: News): void {
    const { screens, leases, hostRequests, events } = this.#on
    switch (news.type) {
      case 'can':
        return this.#refresh()
      case 'screens':
        return screens.forget()
      case 'host':
        return void hostRequests.run(news.request).catch(() => {})
      case 'reset':
        screens.forget()
        leases.giveBack()
        if (this.#isSeeded) {
          events.publish({ type: 'driver', state: 'restarted' })
          // It may be another driver than before, or one more.
          this.#refresh()
        }
        this.#isSeeded = true
        return this.#tellTree()
      case 'changed':
        return this.#tellTree()
      default:
        news satisfies never
    }
  }

  #refresh(): void {
    const { driver, events, consent } = this.#on
    void driver.refresh().then(
      () => {
        events.publish({ type: 'driver', state: 'changed' })
        if (driver.asksForConsent) void consent.endedByDesktop().catch(() => {})
      },
      (thrown: unknown) => events.publish({ type: 'driver', state: 'failed', message: DeskhandError.from(thrown).message }),
    )
  }

  #tellTree(): void {
    if (this.#telling !== undefined) return
    this.#telling = setTimeout(() => {
      this.#telling = undefined
      this.#on.events.publish({ type: 'tree', generation: this.#on.tree.generation })
    }, TELL_MS).unref()
  }
}
