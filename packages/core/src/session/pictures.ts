import type { Frame } from '../driver/driver.ts'
import { maskFrame, passwordAreas } from '../journal/index.ts'
import { walk, WINDOWS, type Result, type UiTree } from '../model/index.ts'

type Image = NonNullable<Result['images']>[number]
const KEEP = 20

/** Screenshots that were handed out, so that a point in one can be mapped back; and what must not be seen in them. */
export class Pictures {
  readonly #given = new Map<string, Pick<Image, 'origin' | 'scale' | 'width' | 'height'>>()

  put({ id, origin, scale, width, height }: Image): void {
    this.#given.set(id, { origin, scale, width, height })
    const [oldest] = this.#given.keys()
    if (this.#given.size > KEEP && oldest !== undefined) this.#given.delete(oldest)
  }

  get(id: string): Pick<Image, 'origin' | 'scale' | 'width' | 'height'> | undefined {
    return this.#given.get(id)
  }

  /** Blanks password fields, and the windows of applications that the viewer may not know of. */
  mask(frame: Frame, tree: UiTree, seen: UiTree): Frame {
    const { rects: areas, unplaced } = passwordAreas(tree)
    // A password field that nobody can place may be anywhere.
    if (unplaced > 0) areas.push({ x: frame.origin.x, y: frame.origin.y, w: frame.width / frame.scale, h: frame.height / frame.scale })
    if (seen !== tree) {
      const known = new Set(seen.roots.map((r) => r.app.id))
      for (const n of walk(tree.roots)) if (WINDOWS.has(n.role) && n.bounds !== undefined && !known.has(n.app.id)) areas.push(n.bounds)
    }
    return maskFrame(frame, areas)
  }
}
