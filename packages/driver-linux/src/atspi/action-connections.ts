import { Bus } from '../dbus/index.ts'

/** Handlers that have not returned block so many connections at most; then actions wait for the application like questions do. */
const MOST_BLOCKED = 8
const CONNECT_MS = 300

/**
 * Connections that carry nothing but actions. An application of ATK takes nothing more from a connection while a handler runs that was
 * called from there, and a handler may run for as long as the dialog that it shows is open; its other connections are served meanwhile.
 */
export class ActionConnections {
  readonly #address: string
  readonly #idle: Bus[] = []
  readonly #blocked = new Set<Bus>()
  #isClosed = false

  constructor(address: string) {
    this.#address = address
  }

  /** A connection on which no handler runs; undefined when there is none. */
  async take(): Promise<Bus | undefined> {
    const idle = this.#idle.pop()
    if (idle?.isOpen === true) return idle
    if (this.#isClosed || this.#blocked.size >= MOST_BLOCKED) return undefined
    return Bus.connect(this.#address, { peerToPeer: true, deadlineMs: CONNECT_MS }).catch(() => undefined)
  }

  /** Gives a connection back. Whether it is free shows when it is asked something: ATK answers an action before its handler has run. */
  giveBack(bus: Bus, probe: () => Promise<unknown>): void {
    this.#blocked.add(bus)
    const free = (): void => {
      this.#blocked.delete(bus)
      if (this.#isClosed || this.#idle.length > 0) bus.close()
      else if (bus.isOpen) this.#idle.push(bus)
    }
    probe().then(free, free)
  }

  close(): void {
    this.#isClosed = true
    for (const bus of [...this.#idle, ...this.#blocked]) bus.close()
  }
}
