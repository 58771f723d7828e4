import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { contains, type CoordinateSpace, type Point, type PointerEvent, type Principal } from '../../model/index.ts'
import type { LiveTree } from './live-tree.ts'
import { pressTargets } from './press-targets.ts'
import type { Screens } from './screens.ts'
import type { Resolved, Targets } from './targets.ts'

const HIT_MS = 2_000

type Place = Point & { coordinateSpace?: CoordinateSpace; imageId?: string }

/** Where the pixels of a screenshot that was handed out lie. */
export type ImagePlaces = (id: string) => { origin: Point; scale: number } | undefined

interface PixelNeeds {
  tree: LiveTree
  observe: Observe
  screens: Screens
  images: ImagePlaces
  targets: Targets
}

/** Lifts pixels to the elements under them, before anything is decided. */
export class Pixels {
  readonly #on: PixelNeeds

  constructor(needs: PixelNeeds) {
    this.#on = needs
  }

  async under(at: Place, who: Principal, synced?: Promise<void>): Promise<Resolved> {
    const { tree, observe, targets } = this.#on
    if (at.coordinateSpace === 'window') await synced
    const point = await this.#toDesktop(at, who)
    // The events of a script stop at the edge, and were told so.
    if (at.coordinateSpace !== undefined) await this.#mustBeOnScreen(point)
    const [hit] = await Promise.all([observe.hit(point, within(HIT_MS)), synced])
    const key = hit.node ?? hit.window
    // It may be newer than what the tree had been told by then.
    if (key !== undefined && tree.node(key) === undefined) await tree.sync()
    const node = key === undefined ? undefined : tree.node(key)
    if (node === undefined) {
      const { facts } = targets.nothing('desktop', undefined, 'no element lies under this pixel')
      return { facts: { ...facts, source: 'pixel', at: point } }
    }
    const confidence = hit.node === undefined ? 0.3 : 0.6
    return targets.of(node, who, { source: 'pixel', confidence, why: [`it lies under (${point.x}, ${point.y})`], at: point })
  }

  /** What a run of raw events touches: first what it presses, then where it lets go. */
  async pressed(events: readonly PointerEvent[], who: Principal, synced?: Promise<void>): Promise<Resolved[]> {
    let at: Point | undefined
    const found = { press: new Array<Resolved>(), release: new Array<Resolved>() }
    const touches = pressTargets(events)
    for (const [i, event] of events.entries()) {
      if (event.type === 'move') at = { x: event.x, y: event.y }
      const touch = touches[i]
      if (touch === undefined) continue
      at ??= await this.#on.observe.pointer(within(HIT_MS))
      found[touch].push(await this.under(at, who, synced))
    }
    return [...found.press, ...found.release]
  }

  async #mustBeOnScreen({ x, y }: Point): Promise<void> {
    const screens = await this.#on.screens.list()
    if (screens.length === 0 || screens.some((s) => contains(s.bounds, { x, y }))) return
    const sizes = screens.map(({ bounds: b }) => `${b.w}x${b.h}${screens.length > 1 ? ` at (${b.x}, ${b.y})` : ''}`).join(' and ')
    throw new DeskhandError('BAD_ARGS', `(${x}, ${y}) is outside the screen, which is ${sizes}`, {
      next: 'Name a point on the screen; a capture shows it.',
    })
  }

  async #toDesktop(at: Place, who: Principal): Promise<Point> {
    const { x, y, coordinateSpace = 'desktop' } = at
    switch (coordinateSpace) {
      case 'desktop':
        return { x, y }
      case 'image': {
        const image = this.#on.images(at.imageId ?? '')
        if (image === undefined)
          throw new DeskhandError('STALE_REF', `no screenshot ${at.imageId ?? ''} is kept`, { next: 'Capture again and use its id.' })
        return { x: image.origin.x + x / image.scale, y: image.origin.y + y / image.scale }
      }
      case 'window': {
        const { bounds } = this.#on.targets.active(who).facts
        if (bounds === undefined) throw new DeskhandError('NOT_CAPABLE', 'the active window does not tell where it is')
        return { x: bounds.x + x, y: bounds.y + y }
      }
      case 'unit': {
        const screens = await this.#on.screens.list()
        const screen = screens.find((s) => s.primary) ?? screens[0]
        if (screen === undefined) throw new DeskhandError('NOT_CAPABLE', 'this desktop has no screen')
        return { x: screen.bounds.x + x * screen.bounds.w, y: screen.bounds.y + y * screen.bounds.h }
      }
      default:
        return coordinateSpace satisfies never
    }
  }
}
