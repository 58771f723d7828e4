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

/** Whether an object is the field in which an entry of a container is edited: containers list their entries and not that. */
async function editsIn(app: App, path: string, container: MirrorNode): Promise<boolean> {
  if (!(await isOpenEditor(app, path))) return false
  container.editors.add(path)
  return true
}

/** The fields in a container in which entries are edited, those that are gone left out. */
export async function openEditors(app: App, container: MirrorNode): Promise<string[]> {
  const open = await Promise.all(
    [...container.editors].map(async (path) => [path, await isOpenEditor(app, path).catch(() => false)] as const),
  )
  for (const [path, isOpen] of open) if (!isOpen) container.editors.delete(path)
  return [...container.editors]
}

async function isOpenEditor(app: App, path: string): Promise<boolean> {
  const [[low = 0, high = 0]] = await app.call(path, ACCESSIBLE, 'GetState', '', [], 'au')
  return hasState({ low, high }, 'showing') && hasState({ low, high }, 'editable')
}

/** The nearest known node above an object; undefined where it belongs to no tree, or to a container that makes its children on demand. */
export async function knownAbove(app: App, path: string): Promise<MirrorNode | undefined> {
  for (let steps = 0, at = path; steps < MAX_STEPS; steps++) {
    const [bus, above] = await app.get(at, ACCESSIBLE, 'Parent', '(so)')
    if (bus !== app.name || above === NULL_PATH || above === at) return undefined
    const node = app.nodes.get(above)
    if (node !== undefined) return !hasState(node, 'manages-descendants') || (await editsIn(app, path, node)) ? node : undefined
    at = above
  }
  return undefined
}
