import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { covers, intersect, union, type Principal, type Rect, type Result, type Screen } from '../../model/index.ts'
import type { Call } from '../call.ts'
import type { Decider } from '../decide/decide.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Screens } from '../see/screens.ts'
import type { Capture, Format } from './capture.ts'
import type { HiddenArea } from './hidden-area.ts'

/** Who watches. A stream is decided and recorded as a capture once; what is hidden from its principal is hidden in every part of it. */
export type FrameCall = Pick<Call, 'principal' | 'intent'>

interface FrameNeeds {
  observe: Observe
  tree: LiveTree
  screens: Screens
  capture: Capture
  decider: Decider
  /** Makes the one call under which the stream is decided and recorded. */
  call(call: Call): Promise<Result>
}

export interface FrameOptions {
  encoding?: Format
  /** At least so long between two updates. */
  restMs?: number
  signal?: AbortSignal
  /** A file of this machine into which raw pixels may be written, for a reader that is done with an update before it asks for the next. */
  file?: string
}

/** A part of the screen as it looks now. */
export interface FramePart {
  rect: Rect
  /** All of the screen, at the time. */
  screen: Rect
  encoding: Format
  /** Empty where the pixels are in the file, from the byte `at` on. */
  bytes: Uint8Array
  at: number
  /** What of it is black because it must not be seen. */
  masked: Rect[]
}

const REST_MS = 30
/** Even where nothing is drawn, what has to be hidden may change: it is looked at this often, */
const LOOK_MS = 500
/** and after a look that found nothing drawn and nothing hidden, when the tree changed, and so often for what the policy says. */
const REST_LOOK_MS = 2_000
const MORE_MS = 5_000
/** So many pixels more cost less than one more picture. */
const LITTLE = 16_384
/** Areas that are told apart in one update. */
const MOST_PARTS = 8

/**
 * The whole screen first, and again when the screens changed; then what was drawn. Nothing is queued: a viewer that takes longer over an
 * update gets everything that was drawn meanwhile as one. Ends with the signal, or with an error when watching is denied from now on.
 */
export async function* frames(on: FrameNeeds, call: FrameCall, options: FrameOptions): AsyncGenerator<FramePart[], void, undefined> {
  const { encoding = 'png', restMs = REST_MS, signal = NEVER, file } = options
  const { principal } = call
  let { cursor, damage } = await on.observe.watch('drawing', undefined, 0, within(MORE_MS, signal))
  const { error } = await on.call({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, ...call })
  if (error !== undefined) throw DeskhandError.revive(error)
  let seen: readonly Screen[] = []
  /** What is black in what was sent so far. */
  let hidden: Rect[] = []
  let isResting = false
  while (!signal.aborted) {
    const { refused, redact } = on.decider.captureTerms(call, 'ui.capture')
    if (refused !== undefined) throw new DeskhandError('DENIED', refused)
    // Without anything private on the desktop one whole look at the tree is enough, the one after the picture.
    const isPlain = !redact && !hasPasswords(on.tree)
    if (!isPlain || damage.length === 0) await on.tree.sync()
    const { generation } = on.tree
    const before = await on.capture.hiddenNow(principal, redact)
    const now = rectsOf(before)
    const screens = await on.screens.list()
    const screen = screens.map((one) => one.bounds).reduce(union, screens[0]?.bounds ?? NOWHERE)
    const drawn = screens === seen ? damage : [screen]
    seen = screens
    const areas = merged([...drawn, ...different(hidden, now)], screen)
    if (areas.length > 0) {
      const how = { screen, redact, plainBefore: isPlain ? before : undefined }
      let end = 0
      const places = areas.map((rect) => ({ rect, at: (end += sizeOf(rect) * 4) - sizeOf(rect) * 4 }))
      const taken = await Promise.all(places.map((place) => part(on.capture, principal, { ...place, ...how, file }, encoding)))
      // A password field has come, or the screen has become smaller: what was taken goes nowhere, and is taken anew with that known.
      if (taken.includes(undefined) || (isPlain && hasPasswords(on.tree))) {
        await on.tree.sync()
        await turn()
        continue
      }
      const parts = taken.filter((p) => p !== undefined)
      // What was hidden only while these were taken is looked at again.
      hidden = [...now, ...parts.flatMap((p) => p.masked).filter((area) => !now.some((rect) => covers(rect, area)))]
      yield parts
    }
    // What the look after the pictures hides beside them is sent at once.
    const isNews = on.tree.generation !== generation && different(now, rectsOf(await on.capture.hiddenNow(principal, redact))).length > 0
    try {
      if (areas.length > 0 && restMs > 0) await sleep(restMs, undefined, { signal })
      const mayRest: boolean = !isNews && hidden.length === 0
      ;({ cursor, damage } =
        isResting && mayRest ? await rest(on, cursor, signal) : await drawing(on, cursor, isNews ? 0 : LOOK_MS, signal))
      isResting = mayRest && damage.length === 0
      // The watch of a closed driver answers at once: without a turn of the event loop the signal would never come.
      await turn()
    } catch (thrown) {
      if (signal.aborted) return
      throw thrown
    }
  }
}

type Drawn = Pick<Awaited<ReturnType<Observe['watch']>>, 'cursor' | 'damage'>

const drawing = ({ observe }: FrameNeeds, cursor: string, waitMs: number, signal: AbortSignal): Promise<Drawn> =>
  observe.watch('drawing', cursor, waitMs, within(waitMs + MORE_MS, signal))

/** The same for longer, until something is drawn or the tree is another one. */
async function rest(on: FrameNeeds, cursor: string, signal: AbortSignal): Promise<Drawn> {
  const end = new AbortController()
  const either = AbortSignal.any([signal, end.signal])
  const changed = on.tree.changed(REST_LOOK_MS, either).then(
    (isOther) => isOther && end.abort(),
    () => {},
  )
  try {
    return await drawing(on, cursor, REST_LOOK_MS, either)
  } catch (thrown) {
    if (!end.signal.aborted) throw thrown
    return { cursor, damage: [] }
  } finally {
    end.abort()
    await changed
  }
}

/** A desktop may be without a screen for a while. */
const NOWHERE: Rect = { x: 0, y: 0, w: 0, h: 0 }
const NEVER = new AbortController().signal

interface PartNeeds extends Pick<FramePart, 'rect' | 'screen' | 'at'> {
  redact: boolean
  plainBefore?: readonly HiddenArea[]
  file?: string
}

/** Undefined where less was there than was asked for. */
async function part(
  capture: Capture,
  who: Principal,
  { rect, screen, at, file, ...how }: PartNeeds,
  encoding: Format,
): Promise<FramePart | undefined> {
  const { frame, masked } = await capture.take(who, { rect, format: encoding, ...how, into: file === undefined ? undefined : { file, at } })
  if (frame.width < rect.w || frame.height < rect.h) return undefined
  const inside = masked.flatMap((m) => intersect(m.rect, rect) ?? [])
  return { rect, screen, encoding, bytes: frame.data, at, masked: [...byPlace(inside).values()] }
}

const hasPasswords = ({ passwords }: LiveTree): boolean => passwords[Symbol.iterator]().next().done !== true

const rectsOf = (areas: readonly { rect: Rect }[]): Rect[] => areas.map((a) => a.rect)

/** Areas that are in one list only. */
function different(a: readonly Rect[], b: readonly Rect[]): Rect[] {
  const [was, is] = [byPlace(a), byPlace(b)]
  return [...[...was].filter(([k]) => !is.has(k)), ...[...is].filter(([k]) => !was.has(k))].map(([, rect]) => rect)
}

const byPlace = (rects: readonly Rect[]): Map<string, Rect> => new Map(rects.map((r) => [`${r.x},${r.y},${r.w},${r.h}`, r]))

/** The same areas in whole pixels of the screen, those that overlap or lie close together as one, and not too many of them. */
function merged(areas: readonly Rect[], screen: Rect): Rect[] {
  const parts: Rect[] = []
  for (const area of areas) {
    let next = intersect(whole(area), screen)
    if (next === undefined) continue
    for (let at = touching(parts, next); at >= 0; at = touching(parts, next)) next = union(parts.splice(at, 1)[0] ?? next, next)
    parts.push(next)
  }
  return parts.length <= MOST_PARTS ? parts : [parts.reduce(union)]
}

const touching = (parts: readonly Rect[], area: Rect): number =>
  parts.findIndex((p) => intersect(p, area) !== undefined || sizeOf(union(p, area)) - sizeOf(p) - sizeOf(area) < LITTLE)
const sizeOf = ({ w, h }: Rect): number => w * h

function whole({ x, y, w, h }: Rect): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  return { x: left, y: top, w: Math.ceil(x + w) - left, h: Math.ceil(y + h) - top }
}
