import { within, type Observe } from '../../driver/driver.ts'
import {
  contains,
  intersect,
  PRESSED,
  TRAITS,
  WINDOWS,
  type Action,
  type Completeness,
  type Point,
  type Rect,
  type UiNode,
} from '../../model/index.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { Resolved } from '../see/targets.ts'

const LOOK_MS = 2_000
/** A ring around the focus, or a shadow, is drawn so far outside an element. */
const RIM = 8
/** A blinking caret is this narrow. */
const CARET = 3
/** Elements that answer to the pointer over them are no higher, as a rule. */
const LOW = 80
/** How far what is drawn again and again may wander. */
const SLACK = 4

/** Where the drawing stood before an action, what was being drawn all the time, and where the pointer was. */
export interface Canvas {
  cursor: string
  restless: readonly Rect[]
  pointer: Point
}

/** Where the effect of an action is looked for. */
export interface Place {
  /** The target's window; anywhere where that is unknown. */
  area?: Rect
  /** What is drawn here says nothing: a button that is pressed, a caret that blinks. */
  ignored: readonly Rect[]
  /** What is drawn here may be the effect, or a caret that blinks. */
  doubtful?: Rect
  /** The pointer moves away from where it was. */
  leaves: boolean
}

/** `doubtful`: what was drawn may be the effect or not. */
export type Drawn = 'effect' | 'doubtful' | 'nothing'

interface DrawingNeeds {
  observe: Observe
  driver: DriverState
}

/** What the pixels say of an action: whether its window was drawn anew right after it, beside what was being drawn before. */
export class Drawing {
  readonly #on: DrawingNeeds

  constructor(needs: DrawingNeeds) {
    this.#on = needs
  }

  /** Undefined where the desktop does not tell what is drawn. */
  async before(): Promise<Canvas | undefined> {
    const { observe, driver } = this.#on
    if (!driver.can('capture')) return undefined
    const [{ cursor, restless = [] }, pointer] = await Promise.all([
      observe.watch('drawing', undefined, 0, within(LOOK_MS)),
      observe.pointer(within(LOOK_MS)),
    ])
    return { cursor, restless, pointer }
  }

  /** Waits up to `waitMs` for the effect to be drawn. */
  async drawn(canvas: Canvas | undefined, { area, ignored, doubtful, leaves }: Place, waitMs: number): Promise<Drawn> {
    if (canvas === undefined) return 'nothing'
    const { restless, pointer } = canvas
    const noise = [...restless.map((r) => grown(r, SLACK)), ...ignored.map((r) => grown(r, RIM))]
    const doubt = doubtful && grown(doubtful, RIM)
    const isDoubt = (r: Rect): boolean => doubt !== undefined && holds(doubt, r)
    // What the pointer has left is drawn anew, too.
    const isLeft = (r: Rect): boolean => leaves && r.h < LOW && contains(grown(r, RIM), pointer)
    const isNoise = (r: Rect): boolean => !isDoubt(r) && (r.w <= CARET || isLeft(r) || noise.some((n) => holds(n, r)))
    const end = performance.now() + waitMs
    let isDoubtful = false
    for (let { cursor } = canvas; ;) {
      const left = Math.max(0, end - performance.now())
      const seen = await this.#on.observe.watch('drawing', cursor, left, within(left + LOOK_MS))
      const here = seen.damage.map((r) => (area === undefined ? r : intersect(r, area))).filter((r) => r !== undefined)
      const drawn = here.filter((r) => !isNoise(r))
      if (drawn.some((r) => !isDoubt(r))) return 'effect'
      isDoubtful ||= drawn.length > 0
      if (performance.now() >= end) return isDoubtful ? 'doubtful' : 'nothing'
      cursor = seen.cursor
    }
  }
}

/** `focus`: the element that had the focus before. */
export function placeOf(action: Action, [target]: readonly Resolved[], focus: UiNode | undefined, isBlind: boolean): Place {
  const { key, window, bounds, role = '', states } = target?.facts ?? {}
  const clicks = action.do === 'click' || action.do === 'click_xy'
  const leaves = TRAITS[action.do].device === 'mouse' || clicks
  const pressed = clicks && PRESSED.has(role) ? bounds : undefined
  const caret = focus?.states?.editable === true && focus.key !== key ? focus.bounds : undefined
  const ignored = [pressed, caret].filter((r) => r !== undefined)
  return { area: window?.bounds, ignored, doubtful: !isBlind && states?.editable === true ? bounds : undefined, leaves }
}

/** Whether no tree tells what becomes of a target: it is drawn, or its application tells nothing. */
export function isBlind([target]: readonly Resolved[], { reasons }: Completeness): boolean {
  if (target?.node === undefined || target.facts.region !== undefined) return true
  const { role, children, app } = target.node
  const isBare = WINDOWS.has(role) && children.length === 0
  const isDrawn = role === 'canvas' || role === 'image' || (target.facts.source === 'pixel' && PLAIN.has(role))
  return isBare || isDrawn || reasons.some((r) => r.app === app.id && r.kind === 'degraded')
}

/** What lies under a pixel where no element does. */
const PLAIN: ReadonlySet<string> = new Set(['window', 'dialog', 'panel', 'group', 'document', 'unknown'])

const grown = ({ x, y, w, h }: Rect, by: number): Rect => ({ x: x - by, y: y - by, w: w + 2 * by, h: h + 2 * by })

const holds = (a: Rect, b: Rect): boolean => a.x <= b.x && a.y <= b.y && a.x + a.w >= b.x + b.w && a.y + a.h >= b.y + b.h
