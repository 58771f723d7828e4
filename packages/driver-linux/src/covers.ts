import type { Shot } from '@deskhand/core/driver'
import type { AppIdentity } from '@deskhand/core/model'
import { identify } from './atspi/app.ts'
import type { Desk } from './desk.ts'
import type { Windows } from './x11/windows.ts'

type Cover = NonNullable<Shot['windows']>[number]

/** Whose windows lie where, with their frames, and menus too. The X server is asked again only when something changed. */
export class Covers {
  private readonly desk: Desk
  private readonly windows: Windows
  private known: { version: number; covers: Promise<Cover[]> } | undefined

  constructor(desk: Desk, windows: Windows) {
    this.desk = desk
    this.windows = windows
  }

  now(): Promise<Cover[]> {
    const { version } = this.windows
    if (this.known?.version !== version) this.known = { version, covers: this.read() }
    return this.known.covers
  }

  private async read(): Promise<Cover[]> {
    const [managed, popups] = await Promise.all([this.windows.list(), this.windows.popups()])
    const shown = managed.filter((w) => !w.isMinimized).map((w) => ({ pid: w.pid, rect: w.outer }))
    return [...shown, ...popups.map((p) => ({ pid: p.pid, rect: p.bounds }))].map(({ pid, rect }) => ({ app: this.ownerOf(pid), rect }))
  }

  private ownerOf(pid: number | undefined): AppIdentity {
    const [app] = pid === undefined ? [] : this.desk.mirror.ofPid(pid)
    return app?.identity ?? identify(`pid${pid ?? 0}`, pid, '', undefined)
  }
}
