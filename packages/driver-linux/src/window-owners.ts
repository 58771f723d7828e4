import type { WindowOwner } from '@deskhand/core/driver'
import type { AppIdentity } from '@deskhand/core/model'
import { identify } from './atspi/identity.ts'
import type { LinuxDesktop } from './desktop.ts'
import type { Windows } from './display-server.ts'

/** Whose windows lie where, with their frames, and menus too. The X server is asked again only when something changed. */
export class WindowOwners {
  readonly #desk: LinuxDesktop
  readonly #windows: Windows
  #known: { version: number; owners: Promise<WindowOwner[]> } | undefined

  constructor(desk: LinuxDesktop, windows: Windows) {
    this.#desk = desk
    this.#windows = windows
  }

  now(): Promise<WindowOwner[]> {
    const { version } = this.#windows
    if (this.#known?.version !== version) this.#known = { version, owners: this.#read() }
    return this.#known.owners
  }

  async #read(): Promise<WindowOwner[]> {
    const [managed, popups] = await Promise.all([this.#windows.list(), this.#windows.popups()])
    const shown = managed.filter((w) => !w.isMinimized).map((w) => ({ pid: w.pid, rect: w.outer }))
    return [...shown, ...popups.map((p) => ({ pid: p.pid, rect: p.bounds }))].map(({ pid, rect }) => ({ app: this.#ownerOf(pid), rect }))
  }

  #ownerOf(pid: number | undefined): AppIdentity {
    const [app] = pid === undefined ? [] : this.#desk.mirror.ofPid(pid)
    return app?.identity ?? identify(`pid${pid ?? 0}`, pid, '', undefined)
  }
}
