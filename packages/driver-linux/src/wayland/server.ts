import { ActivityLog, type Cap, type CapName } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type PointerEvent, type Screen, center, contains } from '@deskhand/core/model'
import type { DisplayServer, Env, Grab, ScreenListener, Windows } from '../display-server.ts'
import { quiet } from '../quiet.ts'
import { WaylandClipboard } from './clipboard.ts'
import { Connection } from './connection.ts'
import { HumanWatch } from './human.ts'
import type { WaylandInput } from './input.ts'
import { Outputs } from './outputs.ts'
import { type Parts, openParts } from './parts.ts'

/** A Wayland compositor, by the protocols that it offers. */
export class WaylandServer implements DisplayServer {
  readonly isLocal = true
  readonly gaps: Partial<Record<CapName, Cap>>
  readonly activity: ActivityLog
  readonly input: WaylandInput | undefined
  readonly windows: Windows | undefined
  readonly clipboard: WaylandClipboard | undefined
  readonly grab: Grab | undefined
  readonly #connection: Connection
  readonly #outputs: Outputs
  readonly #parts: Parts

  static async open(env: Env): Promise<WaylandServer> {
    const connection = await Connection.open(env)
    try {
      const outputs = await Outputs.open(connection)
      return new WaylandServer(connection, outputs, await openParts(connection, outputs, env), env)
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(connection: Connection, outputs: Outputs, parts: Parts, env: Env) {
    this.#connection = connection
    this.#outputs = outputs
    this.#parts = parts
    this.gaps = parts.gaps
    this.input = parts.input
    this.windows = parts.windows
    this.clipboard = parts.found.clipboard === undefined ? undefined : new WaylandClipboard(env)
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
    if (this.gaps.humanInput === undefined && this.input !== undefined) new HumanWatch(this.#connection, this.input, this.activity)
    await this.#connection.sync()
  }

  close(): void {
    this.activity.close()
    this.#parts.close()
    this.clipboard?.close()
    this.#connection.close()
  }

  #reaches(at: Point): boolean {
    return this.#outputs.all.some((o) => contains(o.bounds, at))
  }
}
