import { within, type Frame, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { center, contains, intersect, walk, type Principal, type Rect, type UiNode } from '../../model/index.ts'
import type { Part, Recognizer } from '../ports.ts'
import { windowOf, type LiveTree } from '../see/live-tree.ts'
import type { See, Sight } from '../see/see.ts'
import { flat, PART_KEY, withCovered } from '../see/same-parts.ts'
import { unreadPlaces } from '../see/unread.ts'
import { isUnread, withParts, type MadeOut } from '../see/with-parts.ts'
import type { Capture } from './capture.ts'

const LOOK_MS = 5_000
const READ_MS = 60_000
/** A look at the screen does not wait longer for what is being made out; it goes on by itself. */
const WAIT_MS = 8_000
/** One that was drawn anew during each of so many readings changes all the time: a look waits this long for it, and it is read anew only after so many times what a reading took, where the recognizer does not say how often. */
const RESTLESS = 2
const RESTLESS_MS = 1_000
const REST = 2
/** A blinking caret is this narrow. */
const CARET = 3
/** A place that is not looked at for so many others is forgotten. */
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
  /** A text that was read, as this principal may see it. */
  readable(text: string, who: Principal): string
}

/** A window or an area that tells nothing of itself, as a principal last saw it. */
interface Looked extends MadeOut {
  /** Whose look it was. */
  by: string
  cursor: string
  /** What was black, where it was and how large, and which elements lay in it. */
  face: string
  /** During how many readings in a row it was drawn anew; when the last one ended, and how long that took. */
  restless: number
  readAt: number
  tookMs: number
  /** How large the place was. */
  size: string
}

/** What is made out in the pixels of windows, and of areas inside of windows, that tell nothing of themselves. It holds until something is drawn there. */
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
    const found = [...this.#looked.values()].filter((looked) => looked.by === nameOf(who))
    const view = withParts(seen, found, () => this.#on.tree.generation)
    this.#views.set(seen, { version: this.#version, seen: view })
    return view
  }

  /** Whether something that this principal sees tells nothing of itself and can be read. */
  isNeeded(who: Principal): boolean {
    return this.#unread(who).length > 0
  }

  /** Whether a key is that of a part which is still there. */
  has(key: string): boolean {
    return [...this.#looked.values()].some(({ parts }) => [...flat(parts)].some((p) => p.key === key))
  }

  /**
   * Brings what is known up to date: of the active window and of popups, of places that were looked at before, and of all where `all` says so.
   * Waits a while at most; `glance`: what changes all the time is taken as it was read a moment ago.
   */
  async look(who: Principal, { all = false, glance = false }: { all?: boolean; glance?: boolean } = {}): Promise<void> {
    const active = this.#on.tree.activeWindow
    const places = this.#unread(who).filter(
      (p) => all || windowOf(p)?.key === active || p.attributes?.['unread'] === 'popup' || this.#looked.has(keyOf(p, who)),
    )
    await Promise.all(
      places.map((place) => {
        const isGlance = glance && (this.#looked.get(keyOf(place, who))?.restless ?? 0) >= RESTLESS
        return atMost(this.#lookAt(place, who, isGlance), isGlance ? RESTLESS_MS : WAIT_MS)
      }),
    )
  }

  #unread(who: Principal): UiNode[] {
    const { see, recognizer, canRead } = this.#on
    if (recognizer?.structure === undefined) return []
    const found = unreadPlaces(see(who)).filter((p) => isUnread(p) && p.bounds !== undefined)
    return found.length > 0 && canRead(who) ? found : []
  }

  #lookAt(place: UiNode, who: Principal, isGlance: boolean): Promise<void> {
    const key = keyOf(place, who)
    const running = (this.#running.get(key) ?? Promise.resolve())
      .catch(() => {})
      .then(() => (isGlance && this.#rests(key) ? undefined : this.#renew(key, place, who)))
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

  /** Whether what changes all the time was read just now. */
  #rests(key: string): boolean {
    const { readAt = -Infinity, tookMs = 0 } = this.#looked.get(key) ?? {}
    return performance.now() - readAt < (this.#on.recognizer?.effort?.rest ?? REST) * tookMs
  }

  async #renew(key: string, place: UiNode, who: Principal): Promise<void> {
    const { observe, capture, recognizer, readable } = this.#on
    const { key: window, bounds: inWindow = place.bounds } = windowOf(place) ?? place
    const bounds = place.bounds && inWindow && intersect(place.bounds, inWindow)
    if (place.bounds === undefined || bounds === undefined || recognizer?.structure === undefined) return
    const known = this.#looked.get(key)
    const hidden = capture.hiddenAreas(who).filter((area) => intersect(area.rect, bounds) !== undefined)
    const told = toldIn(place, bounds)
    const face = JSON.stringify([bounds, hidden, told])
    const { cursor, damage } = await observe.watch('drawing', known?.cursor, 0, within(LOOK_MS))
    const isDrawn = damage.some((rect) => rect.w > CARET && intersect(rect, bounds) !== undefined)
    if (known !== undefined && known.face === face && !isDrawn) {
      known.cursor = cursor
      return
    }
    const begun = performance.now()
    const { frame, over, masked } = await capture.take(who, { window, format: 'raw' })
    const found = await recognizer.structure(cut(frame, bounds), AbortSignal.timeout(READ_MS))
    const corner = place.bounds
    const placed = (rects: readonly Rect[]): Rect[] => rects.map((r) => ({ ...r, x: r.x - corner.x, y: r.y - corner.y }))
    const [others, secret] = [true, false].map((is) => masked.filter(({ why }) => (why === 'covered') === is).map(({ rect }) => rect))
    const before = known?.size === sizeOf(corner) ? known.parts : []
    const parts = withCovered(
      without([...told, ...over], found).map((part) => from(part, corner, (text) => readable(text, who))),
      { before, over: placed([...over, ...(others ?? [])]), hidden: placed(secret ?? []) },
      () => `${PART_KEY}${place.key}:${this.#next++}`,
    )
    const meanwhile = await observe.watch('drawing', cursor, 0, within(LOOK_MS))
    const wasDrawn = meanwhile.damage.some((rect) => rect.w > CARET && intersect(rect, bounds) !== undefined)
    const restless = wasDrawn ? (known?.restless ?? 0) + 1 : 0
    const readAt = performance.now()
    const changing = restless >= RESTLESS
    this.#looked.delete(key)
    const size = sizeOf(corner)
    this.#looked.set(key, {
      place: place.key,
      by: nameOf(who),
      cursor,
      face,
      size,
      parts,
      changing,
      restless,
      readAt,
      tookMs: readAt - begun,
    })
    this.#version++
    const [oldest] = this.#looked.keys()
    if (this.#looked.size > KEEP && oldest !== undefined) this.#looked.delete(oldest)
  }
}

/** The end of a look, or of the time for it; what goes on then goes on by itself. */
async function atMost(look: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  try {
    await Promise.race([look, late])
  } finally {
    clearTimeout(timer)
    look.catch(() => {})
  }
}

const nameOf = (who: Principal): string => `${who.role} ${who.id}`
const keyOf = (place: UiNode, who: Principal): string => `${nameOf(who)} ${place.key}`

/** Where elements lie in an area beside what is drawn there: what they show is told by them. */
function toldIn(place: UiNode, area: Rect): Rect[] {
  const beside = place.parent?.children.filter((n) => n.key !== place.key) ?? []
  return [...walk(beside)].flatMap(({ bounds, children, states }) =>
    bounds !== undefined && children.length === 0 && states?.visible !== false && intersect(bounds, area) !== undefined ? [bounds] : [],
  )
}

/** Parts without those that stand where an element or another window does. */
const without = (told: readonly Rect[], parts: readonly Part[]): Part[] =>
  parts
    .filter((part) => part.children.length > 0 || !told.some((rect) => contains(rect, center(part.rect))))
    .map((part) => ({ ...part, children: without(told, part.children) }))

/** The part of a picture that shows a place of the desktop. */
function cut(frame: Frame, { x, y, w, h }: Rect): Frame {
  const { width, height, origin, scale, data } = frame
  const [left, top] = [Math.max(0, Math.round((x - origin.x) * scale)), Math.max(0, Math.round((y - origin.y) * scale))]
  const [wide, high] = [Math.min(width - left, Math.round(w * scale)), Math.min(height - top, Math.round(h * scale))]
  if (wide === width && high === height) return frame
  const rows = new Uint8Array(Math.max(0, wide * high * 4))
  for (let row = 0; row < high; row++)
    rows.set(data.subarray(((top + row) * width + left) * 4, ((top + row) * width + left + wide) * 4), row * wide * 4)
  return { ...frame, width: wide, height: high, data: rows, origin: { x: origin.x + left / scale, y: origin.y + top / scale } }
}

const sizeOf = ({ w, h }: Rect): string => `${w}x${h}`

/** A part with its places counted from the corner of its place, and its texts as they may be read. */
const from = (part: Part, corner: Rect, readable: (text: string) => string): Part => ({
  ...part,
  ...(part.name !== undefined && { name: readable(part.name) }),
  ...(part.value !== undefined && { value: readable(part.value) }),
  rect: { ...part.rect, x: part.rect.x - corner.x, y: part.rect.y - corner.y },
  children: part.children.map((child) => from(child, corner, readable)),
})
