import { within, type Observe, type WindowOwner } from '../../driver/driver.ts'
import { covers, intersect, union, type AppIdentity, type Rect, type UiNode } from '../../model/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { HiddenArea } from './hidden-area.ts'

/** An application that takes longer to say where its fields are is black instead. */
const ASK_MS = 60
/** What was told or drawn so long ago is on the screen by now. */
const SETTLED_MS = 500
/** A place that was left and not drawn over since may still show the field; an application that draws nothing for so long has nothing to draw. */
const UNDRAWN_MS = 1_000
/** With more fields than this their windows are black altogether. */
const MOST_FIELDS = 50
/** Of a field's width and height, how much a drawn area has at least that may show the field at a new place. */
const LEAST_SHARE = 0.5

interface Place {
  rect: Rect
  /** Whether it was in view there. */
  isShown: boolean
  pid: number | undefined
  /** When it was last told. */
  at: number
  /** When something was drawn over it after it was left. */
  drawnOver?: number
}

interface PlaceNeeds {
  observe: Observe
  tree: LiveTree
  /** A simulated desktop draws what its tree says, at the same moment. */
  isSimulated: boolean
}

/**
 * Where password fields really are. A field that scrolls, moves or is resized makes no event in most toolkits, so that its application is
 * asked around every picture. The answer and the pixels are still of two moments: an application whose field or window moves is hidden whole
 * until it rests, and of pages, which are drawn before their places are told, whatever was drawn large enough to be the field.
 */
export class PasswordPlaces {
  readonly #on: PlaceNeeds
  readonly #lately = new Map<string, Place[]>()
  readonly #windows = new Map<string, Place[]>()
  /** Since when a window of a process lies at a place. */
  #seen = new Map<string, number>()
  #drawn: Place[] = []
  #cursor?: string
  /** Whether the last look hid more than the fields themselves, as something moved. */
  isMoving = false

  constructor(needs: PlaceNeeds) {
    this.#on = needs
  }

  /** What must be hidden in a picture that was or will be taken about now; `owners` are the windows that were on the screen in it. */
  async look(owners: readonly WindowOwner[] = []): Promise<HiddenArea[]> {
    const { tree, isSimulated } = this.#on
    const fields = [...tree.passwords]
    if (isSimulated) return []
    this.isMoving = false
    if (fields.length === 0) return this.#recent(owners)
    const left = [...this.#lately.values()].flatMap((places) => places.slice(0, -1))
    const told = await this.#ask(fields)
    const isHeard = await this.#hearDrawing(left)
    if (told === undefined || !isHeard) return [...this.#recent(owners), ...fields.flatMap((f) => this.#windowsOf(f, owners))]
    const at = performance.now()
    fields.forEach((field, i) => {
      const { bounds: rect, states } = told[i] ?? {}
      if (rect !== undefined) this.#keep(this.#lately, field.key, { rect, isShown: states?.visible !== false, pid: field.app.pid, at })
    })
    for (const field of fields) {
      const { key, bounds: rect, app } = topOf(field)
      if (rect !== undefined) this.#keep(this.#windows, key, { rect, isShown: true, pid: app.pid, at })
    }
    const moved = this.#moved(new Set(fields.map((f) => f.app.pid)), owners, at)
    const pages = fields.filter((f) => isPage(f.app))
    const large = pages.flatMap((field) => this.#large(field, owners))
    this.isMoving ||= large.length > 0 || moved.length > 0
    return [...this.#recent(owners), ...moved, ...large]
  }

  /** What the applications themselves say; undefined where one does not answer in time. */
  async #ask(fields: readonly UiNode[]): Promise<readonly ({ bounds?: Rect; states?: UiNode['states'] } | null | undefined)[] | undefined> {
    if (fields.length > MOST_FIELDS) return undefined
    const keys = fields.map((f) => f.key)
    return this.#on.observe.check(keys, within(ASK_MS)).catch(() => undefined)
  }

  /** Where fields are, and all of an application whose field or window moved lately: between two answers it may have been anywhere in it. */
  #recent(owners: readonly WindowOwner[]): HiddenArea[] {
    const now = performance.now()
    const areas: HiddenArea[] = []
    const moving = new Set<number | undefined>()
    for (const places of settled(this.#lately, now, UNDRAWN_MS)) {
      const shown = places.filter((p) => p.isShown).map((p) => p.rect)
      if (shown.length === 0) continue
      areas.push({ rect: shown.reduce(union), why: 'password' })
      if (places.length > 1) moving.add(places[0]?.pid)
    }
    for (const places of settled(this.#windows, now, SETTLED_MS)) {
      if (places.length < 2 && !moving.has(places[0]?.pid)) continue
      moving.add(places[0]?.pid)
      areas.push({ rect: places.map((p) => p.rect).reduce(union), why: 'password' })
    }
    this.isMoving ||= moving.size > 0
    for (const { app, rect } of owners) if (moving.has(app.pid)) areas.push({ rect, why: 'password' })
    return areas
  }

  /**
   * Windows of these processes that lie since lately where none of theirs lay before. The X server moves the pixels of a window at once, long
   * before a busy application knows of it: what that tells of its fields is of the place before.
   */
  #moved(pids: ReadonlySet<number | undefined>, owners: readonly WindowOwner[], at: number): HiddenArea[] {
    if (owners.length === 0) return []
    const before = this.#seen
    this.#seen = new Map()
    const areas: HiddenArea[] = []
    for (const { app, rect } of owners) {
      if (!pids.has(app.pid)) continue
      const place = `${app.pid} ${rect.x} ${rect.y} ${rect.w} ${rect.h}`
      const isFirst = ![...before.keys()].some((known) => known.startsWith(`${app.pid} `))
      const since = before.get(place) ?? (isFirst ? -Infinity : at)
      this.#seen.set(place, since)
      if (since > at - SETTLED_MS) areas.push({ rect, why: 'password' })
    }
    return areas
  }

  /** What was lately drawn in the window of a field and could be the field, but for what is typed into another one. */
  #large({ key, bounds, app }: UiNode, owners: readonly WindowOwner[]): HiddenArea[] {
    const { tree } = this.#on
    const focus = tree.focus === undefined || tree.focus === key ? undefined : tree.node(tree.focus)
    const typed = focus?.states?.editable === true ? focus.bounds : undefined
    const windows = [
      ...owners.filter((o) => o.app.pid === app.pid).map((o) => o.rect),
      ...tree.roots.flatMap((r) => (r.app.id === app.id ? (r.bounds ?? []) : [])),
    ]
    return this.#drawn.flatMap(({ rect }): HiddenArea[] => {
      if (bounds !== undefined && (rect.w < bounds.w * LEAST_SHARE || rect.h < bounds.h * LEAST_SHARE)) return []
      if (typed !== undefined && covers(typed, rect)) return []
      return windows.flatMap((window) => intersect(window, rect) ?? []).map((area) => ({ rect: area, why: 'password' }))
    })
  }

  /** Everything that the field's application shows. */
  #windowsOf(field: UiNode, owners: readonly WindowOwner[]): HiddenArea[] {
    const { app } = field
    const window = topOf(field).bounds
    const rects = [...owners.filter((o) => o.app.pid === app.pid).map((o) => o.rect), ...(window === undefined ? [] : [window])]
    const isHung = this.#on.tree.completeness.reasons.some((r) => r.app === app.id && r.kind === 'hung')
    return rects.map((rect) => ({ rect, why: isHung ? 'hung' : 'unread', app }))
  }

  /** Only what is drawn after a place was left takes the field from the screen there: `left` are those of earlier looks. False where it was not told in time. */
  async #hearDrawing(left: readonly Place[]): Promise<boolean> {
    const { observe } = this.#on
    const isFirst = this.#cursor === undefined
    const heard = await observe.watch('drawing', this.#cursor, 0, within(ASK_MS)).catch(() => undefined)
    if (heard === undefined) return false
    const { cursor, damage } = heard
    this.#cursor = cursor
    const at = performance.now()
    const fresh = isFirst ? [] : damage.map((rect) => ({ rect, isShown: true, pid: undefined, at }))
    for (const place of left) if (fresh.some(({ rect }) => intersect(rect, place.rect) !== undefined)) place.drawnOver ??= at
    this.#drawn = [...this.#drawn.filter((d) => d.at > at - SETTLED_MS), ...fresh]
    return true
  }

  /** Remembers where something is; a place that did not change is the same one, seen again. */
  #keep(places: Map<string, Place[]>, key: string, place: Place): void {
    const known = places.get(key) ?? []
    const last = known.at(-1)
    if (last !== undefined && isSame(last.rect, place.rect) && last.isShown === place.isShown) last.at = place.at
    else known.push(place)
    places.set(key, known)
  }
}

/** The places of each thing that may be on the screen now; what has none any more is forgotten. */
function* settled(places: Map<string, Place[]>, now: number, undrawnMs: number): Generator<Place[]> {
  for (const [key, known] of places) {
    const recent = known.filter((p, i) => {
      const isLeft = i < known.length - 1
      const end = !isLeft || p.drawnOver !== undefined ? Math.max(p.at, p.drawnOver ?? 0) + SETTLED_MS : p.at + undrawnMs
      return end > now
    })
    if (recent.length === 0) places.delete(key)
    else places.set(key, recent)
    if (recent.length > 0) yield recent
  }
}

function topOf(node: UiNode): UiNode {
  let top = node
  while (top.parent !== undefined) top = top.parent
  return top
}

/** Whether an application draws what it scrolls before it tells where things are. */
const isPage = ({ toolkit, name, executable }: AppIdentity): boolean =>
  /chrom|gecko|webkit|electron|firefox/i.test(`${toolkit} ${name} ${executable}`)

const isSame = (a: Rect, b: Rect): boolean => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h
