import type { App } from './app.ts'
import { ACCESSIBLE, NULL_PATH } from './names.ts'
import type { MirrorNode } from './node.ts'
import { hasState } from './states.ts'

/** How far up the nearest known node may be. */
const MAX_STEPS = 60
/** An object that stays outside of the tree is asked for no more often than this. */
const AGAIN_MS = 1000
const MAX_KEPT = 2000
/** So many are asked in one go; the rest is known afterwards, or has its turn with the next look. */
const AT_ONCE = 8

/** Objects of an application that spoke and that no node stands for: something changed that was not told. */
export class Strangers {
  #waiting = new Set<string>()
  readonly #asked = new Map<string, number>()

  get any(): boolean {
    return this.#waiting.size > 0
  }

  add(path: string): void {
    const before = this.#asked.get(path)
    if (before !== undefined && performance.now() - before < AGAIN_MS) return
    if (this.#waiting.size < MAX_KEPT) this.#waiting.add(path)
  }

  /** Those to be asked now where they belong; those that are known meanwhile are forgotten. */
  take(isKnown: (path: string) => boolean): string[] {
    const unknown = [...this.#waiting].filter((path) => !isKnown(path))
    const now = unknown.slice(0, AT_ONCE)
    this.#waiting = new Set(unknown.slice(AT_ONCE))
    if (this.#asked.size > MAX_KEPT) this.#asked.clear()
    for (const path of now) this.#asked.set(path, performance.now())
    return now
  }
}

/** The nearest known node above an object; undefined where it belongs to no tree, or to a container that makes its children on demand. */
export async function knownAbove(app: App, path: string): Promise<MirrorNode | undefined> {
  for (let steps = 0, at = path; steps < MAX_STEPS; steps++) {
    const [bus, above] = await app.get(at, ACCESSIBLE, 'Parent', '(so)')
    if (bus !== app.name || above === NULL_PATH || above === at) return undefined
    const node = app.nodes.get(above)
    if (node !== undefined) return hasState(node, 'manages-descendants') ? undefined : node
    at = above
  }
  return undefined
}
