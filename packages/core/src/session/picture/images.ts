import type { Result } from '../../model/index.ts'

type Image = NonNullable<Result['images']>[number]
type Place = Pick<Image, 'origin' | 'scale'>

const KEEP = 20

/** Where the pixels of the last screenshots lie, so that a point in one can be mapped back to the desktop. */
export class Images {
  readonly #given = new Map<string, Place>()

  put({ id, origin, scale }: Image): void {
    this.#given.set(id, { origin, scale })
    const [oldest] = this.#given.keys()
    if (this.#given.size > KEEP && oldest !== undefined) this.#given.delete(oldest)
  }

  get(id: string): Place | undefined {
    return this.#given.get(id)
  }
}
