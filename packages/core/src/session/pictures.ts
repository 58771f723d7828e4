import type { Frame } from '../driver/driver.ts'
import { walk, WINDOWS, type Rect, type Result, type UiTree } from '../model/index.ts'

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
    const secret: Rect[] = []
    for (const n of walk(tree.roots)) if (n.states?.password && n.bounds !== undefined) secret.push(n.bounds)
    if (seen !== tree) {
      const known = new Set(seen.roots.map((r) => r.app.id))
      for (const n of walk(tree.roots)) if (WINDOWS.has(n.role) && n.bounds !== undefined && !known.has(n.app.id)) secret.push(n.bounds)
    }
    for (const rect of secret) blank(frame, rect)
    return frame
  }
}

function blank(frame: Frame, rect: Rect): void {
  const { origin, scale, width, height, data } = frame
  const x0 = Math.max(0, Math.floor((rect.x - origin.x) * scale))
  const x1 = Math.min(width, Math.ceil((rect.x + rect.w - origin.x) * scale))
  const y0 = Math.max(0, Math.floor((rect.y - origin.y) * scale))
  const y1 = Math.min(height, Math.ceil((rect.y + rect.h - origin.y) * scale))
  for (let y = y0; y < y1; y++) if (x1 > x0) data.fill(0x40, (y * width + x0) * 4, (y * width + x1) * 4)
}
