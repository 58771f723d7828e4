import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { decodePng } from './png.ts'
import type { Picture } from './picture.ts'

const MOST_BYTES = 16 << 20
const KEEP = 32

/** Pictures by name, out of the folders that the operator lends; a link that leads out of them leads nowhere. */
export class ImageFolders {
  readonly #folders: readonly string[]
  readonly #kept = new Map<string, { stamp: string; picture: Picture }>()

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  get isEmpty(): boolean {
    return this.#folders.length === 0
  }

  /** `save`, `save.png`, `toolbar/save.png`, or the whole path of a file in such a folder. */
  async load(name: string): Promise<Picture> {
    const file = await this.#find(name)
    const { mtimeMs, size } = await stat(file)
    const stamp = `${mtimeMs} ${size}`
    const known = this.#kept.get(file)
    if (known?.stamp === stamp) return known.picture
    if (size > MOST_BYTES) throw new DeskhandError('BAD_ARGS', `the picture ${JSON.stringify(basename(file))} has more than 16 MB`)
    const picture = decodePng(await readFile(file))
    this.#kept.set(file, { stamp, picture })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEEP && oldest !== undefined) this.#kept.delete(oldest)
    return picture
  }

  async #find(name: string): Promise<string> {
    for (const folder of this.#folders) {
      const root = await realpath(folder).catch(() => undefined)
      if (root === undefined) continue
      for (const end of name.toLowerCase().endsWith('.png') ? [''] : ['.png', '']) {
        const file = await realpath(resolve(root, `${name}${end}`)).catch(() => undefined)
        if (file !== undefined && isInside(root, file) && (await stat(file)).isFile()) return file
      }
    }
    // Also for a file that is there and not lent: what else lies on the disk is not told.
    throw new DeskhandError('NOT_FOUND', `no picture ${JSON.stringify(name)} is in a folder that the operator lends`, {
      next: this.isEmpty
        ? 'The operator lends folders of PNG files with images = ["…"] under [vision] in deskhand.toml.'
        : 'Give the name of a PNG file in such a folder; or name the element, as ui.snapshot shows it.',
    })
  }
}

function isInside(root: string, file: string): boolean {
  const path = relative(root, file)
  return path !== '' && !isAbsolute(path) && path.split(sep)[0] !== '..'
}
