import { ActivityLog, type Cap, type CapName } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type PointerEvent, type Screen, center, contains } from '@deskhand/core/model'
import type { DisplayServer, Env, Grab, ScreenListener } from '../display-server.ts'
import { quiet } from '../quiet.ts'
import { WaylandClipboard } from './clipboard.ts'
import { Connection } from './connection.ts'
import { HumanWatch } from './human.ts'
import { WaylandInput } from './input.ts'
import { type Needs, negotiate, swaySocket } from './negotiate.ts'
import { Outputs } from './outputs.ts'
import { WaylandScreen } from './screen.ts'
import { SwayWindows } from './sway-windows.ts'

/** A Wayland compositor, by the protocols that it offers. */
export class WaylandServer implements DisplayServer {
  readonly isLocal = true
  readonly gaps: Partial<Record<CapName, Cap>>
  readonly activity: ActivityLog
  readonly input: WaylandInput | undefined
  readonly windows: SwayWindows | undefined
  readonly clipboard: WaylandClipboard | undefined
  readonly grab: Grab | undefined
  readonly #connection: Connection
  readonly #outputs: Outputs
  readonly #screen: WaylandScreen | undefined

  static async open(env: Env): Promise<WaylandServer> {
    const connection = await Connection.open(env)
    try {
      const { gaps, can } = negotiate(connection, env)
      const outputs = await Outputs.open(connection)
      const area = (): typeof outputs.area => outputs.area
      const input = can.input ? await WaylandInput.open(connection, area) : undefined
      const windows = can.windows ? await SwayWindows.open(swaySocket(env) ?? '', area, () => input?.at) : undefined
      return new WaylandServer(connection, outputs, { gaps, input, windows, can, env })
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(
    connection: Connection,
    outputs: Outputs,
    found: { gaps: WaylandServer['gaps']; input?: WaylandInput; windows?: SwayWindows; can: Needs; env: Env },
  ) {
    this.#connection = connection
    this.#outputs = outputs
    this.gaps = found.gaps
    this.input = found.input
    this.windows = found.windows
    this.clipboard = found.can.clipboard ? new WaylandClipboard(found.env) : undefined
    this.#screen = found.can.capture ? new WaylandScreen(connection, outputs) : undefined
    this.grab = this.#screen && ((area, allocate) => this.#screen?.grab(area, allocate) ?? Promise.reject(new Error()))
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
    await this.#screen?.watch((area) => {
      this.activity.draw(area)
      listener.drawn(area)
    })
    if (this.gaps.humanInput === undefined && this.input !== undefined) new HumanWatch(this.#connection, this.input, this.activity)
    await this.#connection.sync()
  }

  close(): void {
    this.activity.close()
    this.windows?.close()
    this.clipboard?.close()
    this.#connection.close()
  }

  #reaches(at: Point): boolean {
    return this.#outputs.all.some((o) => contains(o.bounds, at))
  }
}
