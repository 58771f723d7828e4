import { ActivityLog, type Cap, type CapName } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type PointerEvent, type Screen, center, contains } from '@deskhand/core/model'
import type { Clipboard, DisplayServer, Env, Grab, ScreenListener, Windows } from '../display-server.ts'
import { quiet } from '../quiet.ts'
import { closedBy } from './closed.ts'
import { Connection } from './connection.ts'
import type { WaylandInput } from './input.ts'
import { Outputs } from './outputs.ts'
import { type Parts, openParts } from './parts.ts'

const WITHDRAWN = {
  ok: false,
  consent: true,
  reason: 'the person ended the sharing of their screen, pointer and keyboard in the desktop itself',
  fix: 'Ask the operator to run: deskhand consent give --minutes 60',
} as const

/** A Wayland compositor, by the protocols that it offers. */
export class WaylandServer implements DisplayServer {
  readonly isLocal = true
  gaps: Partial<Record<CapName, Cap>>
  readonly activity: ActivityLog
  readonly input: WaylandInput | undefined
  readonly windows: Windows | undefined
  readonly clipboard: Clipboard | undefined
  readonly grab: Grab | undefined
  readonly #connection: Connection
  readonly #outputs: Outputs
  readonly #parts: Parts

  static async open(env: Env, asks = true): Promise<WaylandServer> {
    const connection = await Connection.open(env)
    try {
      const outputs = await Outputs.open(connection)
      return new WaylandServer(connection, outputs, await openParts(connection, outputs, env, asks))
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(connection: Connection, outputs: Outputs, parts: Parts) {
    this.#connection = connection
    this.#outputs = outputs
    this.#parts = parts
    this.gaps = parts.gaps
    this.input = parts.input
    this.windows = parts.windows
    this.clipboard = parts.clipboard
    this.grab = parts.eyes?.grab
    this.activity = new ActivityLog(outputs.area)
  }

  get isOpen(): boolean {
    return this.#connection.isOpen
  }

  screens(): Promise<Screen[]> {
    return Promise.resolve(this.#outputs.screens)
  }

  async mustReach(events: readonly PointerEvent[]): Promise<void> {
    let at: Point | undefined
    for (const event of events) {
      if (event.type === 'move') at = event
      else if (event.type !== 'pause' && at !== undefined && !this.#reaches(at))
        throw new DeskhandError('NOT_ACTIONABLE', `no screen reaches to ${at.x}, ${at.y}`, {
          next: 'Take a new picture; the screens may have changed.',
        })
    }
  }

  /** Where we sent it last; before that the middle, as a compositor tells no client where the pointer is. */
  pointer(): Promise<Point> {
    return Promise.resolve(this.input?.at ?? center(this.#outputs.area))
  }

  async sync(): Promise<void> {
    await this.#connection.sync()
  }

  /** No client can ask another one whether it is there, so its process is looked at. */
  async takenIn(window: number, ms: number): Promise<boolean> {
    return quiet(await this.windows?.pidOf(window), ms)
  }

  async watch(listener: ScreenListener): Promise<void> {
    this.#outputs.onChange = () => {
      this.activity.resize(this.#outputs.area)
      listener.screensChanged()
    }
    this.#parts.eyes?.watch((area) => {
      this.activity.draw(area)
      listener.drawn(area)
    })
    await this.#parts.watchPerson?.(this.activity)
    this.#parts.onWithdrawn?.(() => {
      this.gaps = closedBy(WITHDRAWN)
      listener.gapsChanged()
    })
    await this.#connection.sync()
  }

  close(): void {
    this.activity.close()
    this.#parts.close()
    this.#connection.close()
  }

  #reaches(at: Point): boolean {
    return this.#outputs.all.some((o) => contains(o.bounds, at))
  }
}
