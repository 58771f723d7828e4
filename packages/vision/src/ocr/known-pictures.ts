import { createHash } from 'node:crypto'
import type { Picture } from '../image/picture.ts'

const MOST = 4_000

/** What was made of pictures before, by their pixels: a line that did not change is not read again, wherever it stands now. */
export class KnownPictures<T> {
  readonly #known = new Map<string, T>()

  async of(picture: Picture, make: () => Promise<T>): Promise<T> {
    const [made] = await this.all([picture], async () => [await make()])
    return made!
  }

  /** What is known of these pictures; only those that are new go to `make`, by their places in the list. */
  async all(pictures: readonly Picture[], make: (fresh: readonly number[]) => Promise<readonly T[]>): Promise<T[]> {
    const keys = pictures.map(keyOf)
    const fresh = [...keys.keys()].filter((i) => !this.#known.has(keys[i]!))
    const made = fresh.length === 0 ? [] : await make(fresh)
    for (const [n, i] of fresh.entries()) this.#known.set(keys[i]!, made[n]!)
    const all = keys.map((key) => this.#known.get(key)!)
    for (const key of this.#known.keys()) {
      if (this.#known.size <= MOST) break
      this.#known.delete(key)
    }
    return all
  }
}

const keyOf = ({ width, height, data }: Picture): string => `${width}x${height} ${createHash('sha1').update(data).digest('base64')}`
