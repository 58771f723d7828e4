import type { Bus } from '../../dbus/index.ts'

const MONITOR = 'org.gnome.Mutter.IdleMonitor'
const PATH = '/org/gnome/Mutter/IdleMonitor/Core'

/** The shell's own clock of input, a person's and ours alike. */
export class IdleMonitor {
  readonly #bus: Bus
  #armed: number | undefined
  /** Watches that went off before their number was known. */
  readonly #early = new Set<number>()

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** For how many milliseconds there was no input. */
  async idleMs(): Promise<number> {
    const [idle] = await this.#bus.call(MONITOR, PATH, MONITOR, 'GetIdletime', '', [], 't')
    return Number(idle)
  }

  /** Tells of input again and again, once for each time that it was heard of. */
  async onInput(told: () => void): Promise<void> {
    await this.#bus.match(`type='signal',sender='${MONITOR}',interface='${MONITOR}'`)
    const arm = async (): Promise<void> => {
      const [id] = await this.#bus.call(MONITOR, PATH, MONITOR, 'AddUserActiveWatch', '', [], 'u')
      this.#armed = id
      if (this.#early.delete(id)) fired(id)
    }
    const fired = (id: number): void => {
      if (id !== this.#armed) return void this.#early.add(id)
      this.#armed = undefined
      told()
      void arm().catch(() => {})
    }
    this.#bus.onSignal((signal) => {
      const [id] = signal.member === 'WatchFired' && signal.iface === MONITOR ? (signal.read('u') ?? []) : []
      if (id !== undefined) fired(id)
    })
    await arm()
  }
}
