import { within, type Observe } from '../../driver/driver.ts'
import { intersect, union, type DesktopKind, type Rect, type Result, type UiNode } from '../../model/index.ts'
import type { Call } from '../call.ts'
import type { Decider } from '../decide/decide.ts'
import { windowOf, type LiveTree } from '../see/live-tree.ts'
import type { Refs } from '../see/refs.ts'
import type { See } from '../see/see.ts'
import { isBare } from '../see/snapshots.ts'
import { label } from '../words.ts'

/** How long nothing more may be drawn, and how long that is waited for. */
const DRAWN_MS = 60
const MOST_MS = 300
const LOOK_MS = 2_000
const SMALLEST = { w: 240, h: 80 }
const RIM = 8

interface DrawnPartNeeds {
  observe: Observe
  tree: LiveTree
  see: See
  refs: Refs
  decider: Decider
  desktop: DesktopKind
  /** The session's own path: the picture is a call of the same caller. */
  call(call: Call): Promise<Result>
}

/** What an action drew in a window that no tree tells of. */
export class DrawnPart {
  readonly #on: DrawnPartNeeds

  constructor(needs: DrawnPartNeeds) {
    this.#on = needs
  }

  /** Where the drawing stands. */
  async now(): Promise<string> {
    return (await this.#on.observe.watch('drawing', undefined, 0, within(LOOK_MS))).cursor
  }

  /** Where there is no tree: that there is none, and the part of the picture that was drawn anew, where the policy allows one. */
  async told(call: Call, node: UiNode | undefined, drawing: string | undefined): Promise<Pick<Result, 'text' | 'images'>> {
    const { tree, see, decider, desktop, refs, call: onCall } = this.#on
    const { principal } = call
    const window = (node && windowOf(node)) ?? see(principal).see(tree.activeWindow)
    if (desktop === 'virtual' || window === undefined || !isBare(window)) return {}
    const what = `${refs.show(window, principal)} ${label(window)} has no tree`
    const refused = decider.captureRefusal(call, 'ui.capture')
    if (refused !== undefined) return { text: `${what}, and a picture is refused: ${refused}` }
    const region = drawing === undefined ? window.bounds : await this.#drawn(drawing, window.bounds)
    if (region === undefined) return { text: `${what}, and nothing was drawn in it` }
    const { images, error } = await onCall({ tool: call.tool, kind: 'capture', args: { region }, principal })
    if (error !== undefined || images === undefined) return { text: what }
    const { x, y, w, h } = region
    return { text: `${what}; the picture shows what was drawn, at ${x},${y} ${w}x${h} of the desktop`, images }
  }

  /** The area in a window that was drawn since, once nothing more is. */
  async #drawn(since: string, bounds: Rect | undefined): Promise<Rect | undefined> {
    const areas: Rect[] = []
    const end = performance.now() + MOST_MS
    for (let cursor = since; ;) {
      const seen = await this.#on.observe.watch('drawing', cursor, DRAWN_MS, within(LOOK_MS))
      areas.push(...seen.damage.map((r) => (bounds === undefined ? r : intersect(r, bounds))).filter((r) => r !== undefined))
      if (seen.damage.length === 0 || performance.now() > end) break
      cursor = seen.cursor
    }
    return areas.length === 0 ? undefined : around(areas, bounds)
  }
}

/** One area around several, large enough to be read, within the window. */
function around(areas: readonly Rect[], bounds: Rect | undefined): Rect {
  const { x, y, w, h } = areas.reduce(union)
  const [dx, dy] = [Math.max(RIM, (SMALLEST.w - w) / 2), Math.max(RIM, (SMALLEST.h - h) / 2)]
  const area = { x: Math.round(x - dx), y: Math.round(y - dy), w: Math.round(w + 2 * dx), h: Math.round(h + 2 * dy) }
  return bounds === undefined ? area : (intersect(area, bounds) ?? area)
}
