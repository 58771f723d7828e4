import { ActivityLog, type Cap, type CapName } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Point, Screen } from '@deskhand/core/model'
import type { DisplayServer } from '../display-server.ts'

/** What needs a display server; the rest is done through the accessibility bus. */
const SERVED = [
  'hit',
  'capture',
  'clipboard',
  'humanInput',
  'step:pointer',
  'step:keys',
  'step:text',
  'step:clipboard',
  'step:window',
] as const satisfies readonly CapName[]

/** What cannot be done while a display server is closed for one reason. */
export const closedBy = (gap: Cap): DisplayServer['gaps'] => Object.fromEntries(SERVED.map((name) => [name, gap]))

/** A Wayland compositor that offers us nothing: elements can be read and acted on by their own actions. */
export class ClosedServer implements DisplayServer {
  readonly isOpen = true
  readonly isLocal = false
  readonly gaps: DisplayServer['gaps']
  readonly activity = new ActivityLog({ x: 0, y: 0, w: 0, h: 0 })

  constructor(gap: Cap) {
    this.gaps = closedBy(gap)
  }

  screens(): Promise<Screen[]> {
    return Promise.resolve([])
  }

  async mustReach(): Promise<void> {}

  pointer(): Promise<Point> {
    return Promise.reject(new DeskhandError('NOT_CAPABLE', 'this compositor does not tell where the pointer is'))
  }

  async sync(): Promise<void> {}

  takenIn(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async watch(): Promise<void> {}

  close(): void {
    this.activity.close()
  }
}
