import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { intersect, type Principal, type Rect, type UiNode } from '../../model/index.ts'
import type { Part, Recognizer } from '../ports.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { See, Sight } from '../see/see.ts'
import { flat, keepKeys, PART_KEY, type KnownPart } from '../see/same-parts.ts'
import { withParts, type PartsOf } from '../see/with-parts.ts'
import type { Capture } from './capture.ts'

const LOOK_MS = 5_000
const READ_MS = 60_000
/** A look at the screen does not wait longer for what is being made out; it goes on by itself. */
const WAIT_MS = 8_000
/** A blinking caret is this narrow. */
const CARET = 3
/** A window that is not looked at for so many others is forgotten. */
const KEEP = 16

interface SeenPartsNeeds {
  observe: Observe
  capture: Capture
  /** The tree as a principal may see it, without what only pixels show. */
  see: See
  recognizer?: Recognizer
  /** Whether this principal may look at pixels, and they can be read. */
  canRead(who: Principal): boolean
  tree: Pick<LiveTree, 'activeWindow' | 'generation'>
}

/** A window that tells nothing of itself, as a principal last saw it. */
interface Looked {
  cursor: string
  /** What was black, and how large the window was. */
  face: string
  parts: readonly KnownPart[]
}

/** What is made out in the pixels of windows that tell nothing of themselves. It holds until something is drawn there. */
export class SeenParts {
  readonly #on: SeenPartsNeeds
  readonly #looked = new Map<string, Looked>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #views = new WeakMap<Sight, { version: number; seen: Sight }>()
  #version = 0
  #next = 1

  constructor(needs: SeenPartsNeeds) {
    this.#on = needs
  }

  /** What a principal sees, with what was made out for it. */
  over(seen: Sight, who: Principal): Sight {
    if (this.#looked.size === 0) return seen
    const known = this.#views.get(seen)
    if (known?.version === this.#version) return known.seen
    const of: PartsOf = (window) => (isUnread(window) ? this.#looked.get(keyOf(window, who))?.parts : undefined)
    const view = withParts(seen, of, () => this.#on.tree.generation)
    this.#views.set(seen, { version: this.#version, seen: view })
    return view
  }

  /** Whether a window that this principal sees tells nothing of itself and can be read. */
  isNeeded(who: Principal): boolean {
    return this.#unread(who).length > 0
  }

  /** Whether a key is that of a part which is still there. */
  has(key: string): boolean {
    return [...this.#looked.values()].some(({ parts }) => [...flat(parts)].some((p) => p.key === key))
  }

  /**
   * Brings what is known up to date: of the active window and of popups, of windows that were looked at before, and of all where `all` says so.
   * Waits a while at most, where nothing else is said.
   */
  async look(who: Principal, { all = false, waitMs = WAIT_MS }: { all?: boolean; waitMs?: number } = {}): Promise<void> {
    const active = this.#on.tree.activeWindow
    const windows = this.#unread(who).filter(
      (w) => all || w.key === active || w.attributes?.['unread'] === 'popup' || this.#looked.has(keyOf(w, who)),
    )
    if (windows.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)))
    const looks = Promise.all(windows.map((window) => this.#lookAt(window, who)))
    try {
      await Promise.race([looks, late])
    } finally {
      clearTimeout(timer)
      looks.catch(() => {})
    }
  }

  #unread(who: Principal): UiNode[] {
    const { see, recognizer, canRead } = this.#on
    if (recognizer?.structure === undefined) return []
    const found = see(who).roots.filter((r) => isUnread(r) && r.states?.visible !== false && r.bounds !== undefined)
    return found.length > 0 && canRead(who) ? found : []
  }

  #lookAt(window: UiNode, who: Principal): Promise<void> {
    const key = keyOf(window, who)
    const running = (this.#running.get(key) ?? Promise.resolve())
      .catch(() => {})
      .then(() => this.#renew(key, window, who))
      .catch((thrown: unknown) => {
        // A window that has gone meanwhile shows nothing, and is no failure of a look at the others.
        if (DeskhandError.from(thrown).code !== 'STALE_REF') throw thrown
        this.#looked.delete(key)
      })
      .finally(() => {
        if (this.#running.get(key) === running) this.#running.delete(key)
      })
    this.#running.set(key, running)
    return running
  }

  async #renew(key: string, { key: window, bounds }: UiNode, who: Principal): Promise<void> {
    const { observe, capture, recognizer } = this.#on
    if (bounds === undefined || recognizer?.structure === undefined) return
    const known = this.#looked.get(key)
    const hidden = capture.hiddenAreas(who).filter((area) => intersect(area.rect, bounds) !== undefined)
    const face = JSON.stringify([bounds, hidden])
    const { cursor, damage } = await observe.watch('drawing', known?.cursor, 0, within(LOOK_MS))
    const isDrawn = damage.some((rect) => rect.w > CARET && intersect(rect, bounds) !== undefined)
    if (known !== undefined && known.face === face && !isDrawn) {
      known.cursor = cursor
      return
    }
    const { frame } = await capture.take(who, { window, format: 'raw' })
    const found = await recognizer.structure(frame, AbortSignal.timeout(READ_MS))
    const parts = keepKeys(
      found.map((part) => from(part, bounds)),
      known?.parts ?? [],
      () => `${PART_KEY}${window}:${this.#next++}`,
    )
    this.#looked.delete(key)
    this.#looked.set(key, { cursor, face, parts })
    this.#version++
    const [oldest] = this.#looked.keys()
    if (this.#looked.size > KEEP && oldest !== undefined) this.#looked.delete(oldest)
  }
}

const keyOf = (window: UiNode, who: Principal): string => `${who.role} ${who.id} ${window.key}`

const isUnread = ({ attributes, children }: UiNode): boolean => attributes?.['unread'] !== undefined && children.length === 0

/** A part with its places counted from the corner of its window. */
const from = (part: Part, corner: Rect): Part => ({
  ...part,
  rect: { ...part.rect, x: part.rect.x - corner.x, y: part.rect.y - corner.y },
  children: part.children.map((child) => from(child, corner)),
})
