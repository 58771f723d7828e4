import { DeskhandError } from '@deskhand/core/errors'
import { VisualDOMSnapshot, type PointerEvent, type Point, type Rect, type Result } from '@deskhand/core/model'
import { NOTCH } from '../metrics.ts'
import { elementTarget, required } from './arguments.ts'
import type { Ending } from './log.ts'
import type { AvisDesktop, AvisPort } from './port.ts'
import type { VirtualMouseCommand } from './types.ts'

/** Scrolling without an amount moves by a tenth of what can be seen. */
const DEFAULT_SCROLL = 0.1

interface Place {
  element: Rect
  window: Rect
}

interface Grabbed {
  id: string
  at: Point
  /** Whether the command said where in the element. */
  exact: boolean
}

/** Turns mouse commands into governed actions. A drag is remembered from its start to its end. */
export class Mouse {
  readonly #port: AvisPort
  readonly #desktop: AvisDesktop
  #grabbed: Grabbed | undefined

  constructor(port: AvisPort, desktop: AvisDesktop) {
    this.#port = port
    this.#desktop = desktop
  }

  async process(command: VirtualMouseCommand): Promise<Result | Ending> {
    const { action_type, target_element_id: id } = command
    switch (action_type) {
      case 'move_relative_to_element':
        return this.#atElement(required(id, 'target_element_id'), command, (at) => this.moveTo(at))
      case 'move_relative_to_window':
        return this.#at(id, ({ window }) => this.moveTo(inside(window, command.relative_x, command.relative_y)))
      case 'hover':
        if (!isExact(command)) return this.#hover(required(id, 'target_element_id'))
        return this.#atElement(required(id, 'target_element_id'), command, (at) => this.moveTo(at))
      case 'click':
        return this.#click(command)
      case 'scroll':
        return this.#scroll(command)
      case 'drag_start':
        return this.#grab(command)
      case 'drag_end':
        return this.#release(command)
      default:
        return action_type satisfies never
    }
  }

  async moveTo(at: Point): Promise<Result | Ending> {
    const result = await this.#port.perform('pointer', { events: [{ type: 'move', ...at }] })
    const { cursor } = this.#desktop.state()
    return result.error ? result : arrived(result, cursor.x === at.x && cursor.y === at.y)
  }

  async #hover(id: string): Promise<Result | Ending> {
    const result = await this.#port.perform('hover', { target: elementTarget(id), timeoutMs: 0 })
    return result.error ? result : arrived(result, this.#desktop.state().hovered === id)
  }

  /** From an element to another one, or to a place in its window. */
  async drag(id: string, to: { element: string } | { x: number; y: number }): Promise<Result | Ending> {
    const before = this.#contents()
    const done =
      'element' in to
        ? await this.#port.perform('drag', { from: elementTarget(id), to: elementTarget(to.element), timeoutMs: 0 })
        : await this.#at(id, ({ window }) =>
            this.#port.perform('drag', { from: elementTarget(id), to: inside(window, to.x, to.y), timeoutMs: 0 }),
          )
    // The press alone may have moved the focus, which is not what a drag is for.
    return 'status' in done && done.error === undefined && this.#contents() === before ? { ...done, effect: 'no_effect' } : done
  }

  /** Everything on the desktop but where the focus is. */
  #contents(): string {
    return JSON.stringify(this.#desktop.describe(), (name, value: unknown) => (name === 'is_focused' ? undefined : value))
  }

  async #click(command: VirtualMouseCommand): Promise<Result | Ending> {
    const button = command.click_type === 'right' ? 'right' : 'left'
    const clickCount = command.click_type === 'double' ? 2 : 1
    const at = (point: Point): Promise<Result> =>
      this.#port.perform('click_xy', { ...point, coordinateSpace: 'desktop', button, clickCount })
    const { target_element_id: id } = command
    if (!id) return at(this.#desktop.state().cursor)
    if (isExact(command)) return this.#atElement(id, command, at)
    return this.#port.perform('click', { target: elementTarget(id), button, clickCount, timeoutMs: 0 })
  }

  /** A page is what can be seen of the element at once; without an element, of the window. */
  async #scroll(command: VirtualMouseCommand): Promise<Result | Ending> {
    const direction = required(command.scroll_direction, 'scroll_direction')
    const { target_element_id: id } = command
    return this.#at(id, ({ element, window }) => this.#scrollBy(command, direction, id ? element : window))
  }

  async #scrollBy(command: VirtualMouseCommand, direction: 'up' | 'down' | 'left' | 'right', view: Rect): Promise<Result> {
    const { target_element_id: id, scroll_pages, scroll_amount_ratio } = command
    const none = scroll_pages === undefined || scroll_pages === null ? DEFAULT_SCROLL : 0
    const amount = (scroll_pages ?? 0) + (scroll_amount_ratio ?? none)
    const sign = direction === 'up' || direction === 'left' ? -1 : 1
    const sideways = direction === 'left' || direction === 'right'
    const notches = (sign * amount * (sideways ? view.w : view.h)) / NOTCH
    const deltas = sideways ? { deltaX: notches, deltaY: 0 } : { deltaX: 0, deltaY: notches }
    if (id) return this.#port.perform('scroll', { target: elementTarget(id), ...deltas, timeoutMs: 0 })
    const events: PointerEvent[] = [
      { type: 'move', ...inside(view, 0.5, 0.5) },
      { type: 'wheel', dx: deltas.deltaX, dy: deltas.deltaY },
    ]
    return this.#port.perform('pointer', { events })
  }

  async #grab(command: VirtualMouseCommand): Promise<Result | Ending> {
    const id = required(command.target_element_id, 'target_element_id')
    return this.#atElement(id, command, async (at) => {
      this.#grabbed = { id, at, exact: isExact(command) }
      const moved = await this.moveTo(at)
      const ends = command.drag_to_element_id ?? command.drag_to_relative_x ?? command.drag_to_relative_y
      return 'outcome' in moved && moved.outcome === 'success' && ends !== null && ends !== undefined ? this.#release(command) : moved
    })
  }

  async #release(command: VirtualMouseCommand): Promise<Result | Ending> {
    const grabbed = this.#grabbed
    if (!grabbed) throw new DeskhandError('BAD_ARGS', 'drag_end: no drag was started.')
    this.#grabbed = undefined
    const { drag_to_element_id: onto, drag_to_relative_x: x, drag_to_relative_y: y } = command
    const exactEnd = x !== undefined && x !== null && y !== undefined && y !== null
    if (onto && !grabbed.exact && !exactEnd) return this.drag(grabbed.id, { element: onto })
    return this.#at(onto ?? grabbed.id, ({ element, window }) => this.#carry(grabbed, inside(onto ? element : window, x, y)))
  }

  async #carry(grabbed: Grabbed, to: Point): Promise<Result> {
    const middle = { x: (grabbed.at.x + to.x) / 2, y: (grabbed.at.y + to.y) / 2 }
    const events: PointerEvent[] = [
      { type: 'move', ...grabbed.at },
      { type: 'down', button: 'left' },
      { type: 'move', ...middle },
      { type: 'move', ...to },
      { type: 'up', button: 'left' },
    ]
    return this.#port.perform('pointer', { events })
  }

  #atElement(id: string, command: VirtualMouseCommand, act: (at: Point) => Promise<Result | Ending>): Promise<Result | Ending> {
    return this.#at(id, ({ element }) => act(inside(element, command.relative_x, command.relative_y)))
  }

  /** Where an element and its window lie, or the active window without an id; only if the session lets the caller know of it. */
  async #at(id: string | null | undefined, act: (place: Place) => Promise<Result | Ending>): Promise<Result | Ending> {
    const seen = id
      ? await this.#port.perform('describe', { element: elementTarget(id) })
      : await this.#port.perform('snapshot', { scope: 'window', maxDepth: 1 })
    if (seen.error) return seen
    const isKnown = id || VisualDOMSnapshot.parse(seen.data).activeApp !== undefined
    const place = isKnown ? this.#desktop.boundsOf(id ?? undefined) : undefined
    return place ? act(place) : lost(id)
  }
}

const isExact = (command: VirtualMouseCommand): boolean => typeof command.relative_x === 'number' || typeof command.relative_y === 'number'

/** A place in a rectangle, on a pixel of it; the middle where nothing is said. */
function inside(rect: Rect, x: number | null | undefined, y: number | null | undefined): Point {
  return { x: rect.x + Math.min((x ?? 0.5) * rect.w, rect.w - 1), y: rect.y + Math.min((y ?? 0.5) * rect.h, rect.h - 1) }
}

/** Moving the pointer changes nothing on the desktop; where it is now tells whether it worked. */
const arrived = ({ op }: Result, there: boolean): Ending =>
  there
    ? { outcome: 'success', outcome_message: 'the pointer is there', op }
    : { outcome: 'no_effect', outcome_message: 'the pointer is elsewhere', op }

function lost(id: string | null | undefined): Ending {
  const what = id ? `"${id}" is not there or cannot be seen.` : 'No window is open.'
  return { outcome: 'element_not_found', outcome_message: what, error_code: 'NOT_FOUND' }
}
