import { loadDetails } from './details.ts'
import type { MirrorNode } from './node.ts'

/** A value that changes with every typed character is read so often at most, unless a reader asks. */
const REREAD_MS = 25

/** Values that are others than were read last, until they are read again. */
export class Values {
  readonly #onReading: (node: MirrorNode, read: Promise<void>) => void
  readonly #outdated = new Set<MirrorNode>()
  readonly #readAt = new WeakMap<MirrorNode, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(onReading: (node: MirrorNode, read: Promise<void>) => void) {
    this.#onReading = onReading
  }

  outdate(node: MirrorNode): void {
    this.#outdated.add(node)
    if (performance.now() - (this.#readAt.get(node) ?? -Infinity) >= REREAD_MS) this.read()
    else this.#timer ??= setTimeout(() => this.read(), REREAD_MS)
  }

  /** Asks for all of them now. */
  read(): void {
    this.close()
    for (const node of this.#outdated) {
      this.#readAt.set(node, performance.now())
      this.#onReading(node, loadDetails(node.app, [node], { value: true }))
    }
    this.#outdated.clear()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
