import { DeskhandError } from '@deskhand/core/errors'
import type { Point } from '@deskhand/core/model'
import type { MirrorNode } from '../atspi/node.ts'
import type { LinuxDesktop } from '../desktop.ts'
import { checkGuard, isFreeOfValues, sendTo, wheelControls } from '../guard.ts'
import { spotOf } from '../hit.ts'
import type { Input } from '../display-server.ts'
import { type Pace, pointerEvents } from './events.ts'

/** The real mouse, for elements that offer no way of their own. It never acts blindly: the node meant has to lie at the point. */
export class Mouse {
  readonly #desk: LinuxDesktop
  readonly #input: () => Input
  readonly #pace: Pace

  /** `input` throws where no pointer can be sent. */
  constructor(desk: LinuxDesktop, input: () => Input, pace: Pace) {
    this.#desk = desk
    this.#input = input
    this.#pace = pace
  }

  /** Clicks a node where a click on it as a whole belongs. Says which way was taken. */
  async click(node: MirrorNode): Promise<string> {
    const input = this.#input()
    if (node.bounds === undefined) throw new DeskhandError('NOT_ACTIONABLE', 'the element does not tell where it is')
    const at = spotOf(node, node.bounds)
    await this.#desk.ready(at)
    const pace = await this.#paceOver(node, at)
    if (pace === undefined) throw new DeskhandError('NOT_ACTIONABLE', 'something else lies over the element')
    const { units, total } = await pointerEvents(
      input,
      [
        { type: 'move', ...at },
        { type: 'down', button: 'left' },
        { type: 'up', button: 'left' },
      ],
      pace,
    )
    if (units < total) throw new DeskhandError('LEASE_LOST', 'the click was interrupted')
    return 'pointer'
  }

  /** Turns the wheel over a node; false when something else lies there. */
  async wheel(at: Point, over: MirrorNode, dx: number, dy: number): Promise<boolean> {
    const input = this.#input()
    const pace = await this.#paceOver(over, at)
    if (pace === undefined) return false
    const { units, total } = await pointerEvents(
      input,
      [
        { type: 'move', ...at },
        { type: 'wheel', dx, dy },
      ],
      pace,
    )
    // Something came under the pointer that the wheel would change: the caller looks for another place.
    if (units < total && this.#pace.mayGoOn()) return true
    if (units < total) throw new DeskhandError('LEASE_LOST', 'the scrolling was not finished')
    if (!(await this.#pace.caughtUp())) throw new DeskhandError('APP_HUNG', `${over.app.identity.name} does not answer`)
    return true
  }

  /** For events at a point that belongs to the node; none where something else lies there. */
  async #paceOver(node: MirrorNode, at: Point): Promise<Pace | undefined> {
    const { broken, chain } = await checkGuard(this.#desk, { hit: { at, key: node.key } })
    if (broken !== undefined) return undefined
    return {
      ...this.#pace,
      sendTo: (point, send) => sendTo(this.#desk, chain, point, send),
      mindsWheel: () => wheelControls(this.#desk, node.key).length > 0,
      mayTurn: async (point) =>
        (await this.#pace.caughtUp()) && (point === undefined || (await isFreeOfValues(this.#desk, point, node.key))),
    }
  }
}
