import { passwordAreas } from '../journal/index.ts'
import type { Rect, Result } from '../model/index.ts'
import type { LiveTree } from './tree.ts'
import type { Sight } from './view.ts'

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

  /** Where password fields lie, and the windows and documents that the viewer may not know of. */
  hiddenAreas(tree: LiveTree, seen: Sight): Rect[] {
    const { rects: areas, unplaced } = passwordAreas(tree)
    for (const place of tree.places) if (place.bounds !== undefined && seen.see(place.key) === undefined) areas.push(place.bounds)
    // A password field that nobody can place may be anywhere.
    return unplaced > 0 ? [EVERYWHERE] : areas
  }
}

const EVERYWHERE: Rect = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }
