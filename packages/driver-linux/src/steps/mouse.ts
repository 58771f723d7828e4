import { DeskhandError } from '@deskhand/core/errors'
import type { Point } from '@deskhand/core/model'
import type { MirrorNode } from '../atspi/node.ts'
import type { LinuxDesktop } from '../desktop.ts'
import { brokenGuard } from '../guard.ts'
import { spotOf } from '../hit.ts'
import type { XTestInput } from '../x11/input.ts'
import { type Pace, pointerEvents } from './events.ts'

/** The real mouse, for elements that offer no way of their own. It never acts blindly: the node meant has to lie at the point. */
export class Mouse {
  readonly #desk: LinuxDesktop
  readonly #input: () => XTestInput
  readonly #pace: Pace

  /** `input` throws where no pointer can be sent. */
  constructor(desk: LinuxDesktop, input: () => XTestInput, pace: Pace) {
    this.#desk = desk
    this.#input = input
    this.#pace = pace
  }

  /** Clicks a node where a click on it as a whole belongs. Says which way was taken. */
  async click(node: MirrorNode): Promise<string> {
    const input = this.#input()
    if (node.bounds === undefined) throw new DeskhandError('NOT_ACTIONABLE', 'the element does not tell where it is')
    const at = spotOf(node, node.bounds)
    if (!(await this.#lies(node, at))) throw new DeskhandError('NOT_ACTIONABLE', 'something else lies over the element')
    const { units, total } = await pointerEvents(
      input,
      [
        { type: 'move', ...at },
        { type: 'down', button: 'left' },
        { type: 'up', button: 'left' },
      ],
      this.#pace,
    )
    if (units < total) throw new DeskhandError('LEASE_LOST', 'the click was interrupted')
    return 'pointer'
  }

  /** Turns the wheel over a node; false when something else lies there. */
  async wheel(at: Point, over: MirrorNode, dx: number, dy: number): Promise<boolean> {
    const input = this.#input()
    if (!(await this.#lies(over, at))) return false
    const { units, total } = await pointerEvents(
      input,
      [
        { type: 'move', ...at },
        { type: 'wheel', dx, dy },
      ],
      this.#pace,
    )
    if (units < total) throw new DeskhandError('LEASE_LOST', 'the scrolling was not finished')
    if (!(await this.#pace.caughtUp())) throw new DeskhandError('APP_HUNG', `${over.app.identity.name} does not answer`)
    return true
  }

  async #lies(node: MirrorNode, at: Point): Promise<boolean> {
    return (await brokenGuard(this.#desk, { hit: { at, key: node.key } })) === undefined
  }
}
