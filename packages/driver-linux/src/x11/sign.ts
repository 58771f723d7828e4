import type { Point, Rect } from '@deskhand/core/model'
import type { Shape } from 'x11'
import type { Env } from '../display-server.ts'
import { Display } from './display.ts'

/** What agents do with this desktop now. */
export type SignState = 'acting' | 'waiting' | 'paused' | 'idle'

const THICK = 4
/** How long the mark of a place on the border is. */
const MARK = 24
const COLOURS: Record<Exclude<SignState, 'idle'>, number> = { acting: 0x1f6feb, waiting: 0xd29922, paused: 0xcf222e }
const MARK_COLOUR = 0xffffff
const INPUT_OUTPUT = 1
const ABOVE = 0

/** Whether something was drawn within the border, where only the border itself changes. */
export const isOnEdge = ({ x, y, w, h }: Rect, { width, height }: { width: number; height: number }): boolean =>
  x + w <= THICK || y + h <= THICK || x >= width - THICK || y >= height - THICK

interface Edge {
  strip: number
  /** A part of the strip, at the height or the column of what is clicked. */
  mark: number
  isColumn: boolean
}

/**
 * A thin border around a person's own screen that shows what agents do there, with marks on all four sides where they will click. It takes no
 * input: to the X server the pointer is never in it.
 */
export class Sign {
  readonly #display: Display
  readonly #shape: Shape
  #edges: Edge[] = []
  #state: SignState = 'idle'
  #size = ''

  static async open(env: Env): Promise<Sign> {
    const display = await Display.open(env)
    try {
      const shape = await display.ask<Shape>((reply) => display.client.require('shape', reply))
      return new Sign(display, shape)
    } catch (thrown) {
      display.close()
      throw thrown
    }
  }

  private constructor(display: Display, shape: Shape) {
    this.#display = display
    this.#shape = shape
  }

  /** Shows this; on the screen when it returns. */
  async show(state: SignState, at?: Point): Promise<void> {
    if (!this.#display.isOpen) return
    const { client } = this.#display
    this.#fit()
    const isNew = state !== this.#state
    this.#state = state
    for (const { strip, mark, isColumn } of this.#edges) {
      if (state === 'idle') {
        client.UnmapWindow(strip)
        continue
      }
      if (isNew) {
        client.ChangeWindowAttributes(strip, { backgroundPixel: COLOURS[state] })
        client.ConfigureWindow(strip, { stackMode: ABOVE })
        client.MapWindow(strip)
        client.ClearArea(strip, 0, 0, 0, 0, 0)
      }
      if (at === undefined) client.UnmapWindow(mark)
      else {
        const from = Math.round((isColumn ? at.y : at.x) - MARK / 2)
        client.ConfigureWindow(mark, isColumn ? { x: 0, y: from } : { x: from, y: 0 })
        client.MapWindow(mark)
      }
    }
    await this.#display.sync()
  }

  close(): void {
    this.#display.close()
  }

  /** Makes the border for the screen as it is now. */
  #fit(): void {
    const { client, width, height } = this.#display
    const size = `${width}x${height}`
    if (size === this.#size) return
    for (const { strip } of this.#edges) client.DestroyWindow(strip)
    this.#size = size
    this.#state = 'idle'
    this.#edges = [
      this.#edge(0, 0, width, THICK),
      this.#edge(0, height - THICK, width, THICK),
      this.#edge(0, 0, THICK, height),
      this.#edge(width - THICK, 0, THICK, height),
    ]
  }

  #edge(x: number, y: number, w: number, h: number): Edge {
    const { client, root } = this.#display
    const isColumn = h > w
    const strip = client.AllocID()
    client.CreateWindow(strip, root, x, y, w, h, 0, 0, INPUT_OUTPUT, 0, { overrideRedirect: 1 })
    const { Op, Kind } = this.#shape
    this.#shape.Rectangles(Op.Set, Kind.Input, strip, 0, 0, [])
    const mark = client.AllocID()
    const [wide, high] = isColumn ? [THICK, MARK] : [MARK, THICK]
    client.CreateWindow(mark, strip, 0, 0, wide, high, 0, 0, INPUT_OUTPUT, 0, { backgroundPixel: MARK_COLOUR })
    return { strip, mark, isColumn }
  }
}
