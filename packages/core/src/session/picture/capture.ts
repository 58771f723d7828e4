import { createHash, randomBytes } from 'node:crypto'
import { within, type Frame, type Observe, type WindowOwner } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { intersect, WINDOWS, type AppIdentity, type Principal, type Rect, type Result, type UiNode } from '../../model/index.ts'
import { maskedAreas, passwordAreas } from '../../redaction/index.ts'
import { LOOKED, type Outcome } from '../outcome.ts'
import type { Ports } from '../ports.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { See } from '../see/see.ts'
import type { HiddenAreas } from './hidden-areas.ts'
import type { Images } from './images.ts'

const CAPTURE_MS = 5_000
/** An application that takes its time over its tree does not hold a picture up: what may hold a password there is black instead. */
const SETTLE_MS = 40
/** One that never told its whole tree yet would be black altogether, so it gets more time. */
const MEET_MS = 1_000

/** raw: RGBA rows without padding. */
export type Format = 'raw' | 'png' | 'jpeg' | 'webp'

/** A picture in the format that was asked for, and which parts of the desktop are black in it. */
export interface Exposure {
  frame: Frame
  masked: Rect[]
}

export interface PictureRequest {
  rect?: Rect
  /** One window alone, by its key. */
  window?: string
  format: Format
  /** Also hides what looks private. */
  redact?: boolean
}

type Redactions = NonNullable<NonNullable<Result['evidence']>['redactions']>

const place = ({ x, y, w, h }: Rect): string => `${x} ${y} ${w} ${h}`

interface CaptureNeeds {
  observe: Observe
  driver: DriverState
  tree: LiveTree
  see: See
  /** Whether this principal's pictures may show a window, a page or an application. */
  pictured(place: UiNode | AppIdentity, who: Principal): boolean
  hidden: HiddenAreas
  images: Images
  encode: Ports['encode']
}

/** Takes pictures as a principal may see them: what must be hidden is black before the pixels leave the driver. */
export class Capture {
  readonly #on: CaptureNeeds

  constructor(needs: CaptureNeeds) {
    this.#on = needs
  }

  async take(who: Principal, { rect, window, format, redact = false }: PictureRequest): Promise<Exposure> {
    const { observe, driver, tree, see, hidden } = this.#on
    driver.need('capture')
    let settled = true
    const hide = (owners?: WindowOwner[]): Rect[] => [...this.hiddenAreas(who, owners, settled), ...(redact ? maskedAreas(see(who)) : [])]
    const before = hide()
    const { id, windows, ...shot } = await observe.capture({ rect, window }, within(CAPTURE_MS))
    // What appeared while the picture was taken is hidden as well.
    settled = await tree.syncWithin(redact || hidden.hasStrangers(tree, windows) ? MEET_MS : SETTLE_MS)
    const masked = [...before, ...hide(windows)]
    const data = await observe.render(id, { hide: masked, as: format === 'png' ? 'png' : 'rgba' }, within(CAPTURE_MS))
    return { frame: { ...shot, data: await this.#encoded({ ...shot, data }, format) }, masked }
  }

  /** A picture as the answer of a call; its id maps points in it back to the desktop. */
  async answer(who: Principal, request: PictureRequest, of?: UiNode): Promise<Outcome> {
    // Of a window only what is its own; of anything else what lies there.
    const area =
      request.rect === undefined && of !== undefined && WINDOWS.has(of.role) ? { window: of.key } : { rect: request.rect ?? of?.bounds }
    const { frame, masked } = await this.take(who, { ...request, ...area })
    if (request.format === 'raw') return { ...LOOKED, data: frame }
    const image: NonNullable<Result['images']>[number] = {
      id: `i${randomBytes(6).toString('hex')}`,
      mimeType: `image/${request.format}`,
      ...frame,
    }
    this.#on.images.put(image)
    const { data, ...about } = image
    const screenshotHash = createHash('sha256').update(data).digest('base64url')
    const redactions = this.#redactions(who, request, frame, masked)
    return { ...LOOKED, data: about, images: [image], evidence: { screenshotHash, ...(redactions && { redactions }) } }
  }

  /** Why how many areas of a picture are black; undefined where none is. */
  #redactions(who: Principal, { redact }: PictureRequest, { origin, width, height, scale }: Frame, masked: Rect[]): Redactions | undefined {
    const shown: Rect = { ...origin, w: width / scale, h: height / scale }
    const passwords = new Set(passwordAreas(this.#on.tree.passwords).rects.map(place))
    const personal = new Set((redact ? maskedAreas(this.#on.see(who)) : []).map(place))
    const counts: Redactions = {}
    for (const [at, rect] of new Map(masked.map((r) => [place(r), r]))) {
      if (intersect(rect, shown) === undefined) continue
      const why = passwords.has(at) ? 'password' : personal.has(at) ? 'private' : 'hidden'
      counts[why] = (counts[why] ?? 0) + 1
    }
    return Object.keys(counts).length > 0 ? counts : undefined
  }

  /** What a picture for this principal must not show now. */
  hiddenAreas(who: Principal, owners?: WindowOwner[], settled = true): Rect[] {
    const { tree, see, hidden, pictured } = this.#on
    return hidden.of(tree, { seen: see(who), pictured: (place) => pictured(place, who) }, owners, settled)
  }

  async #encoded(frame: Frame, format: Format): Promise<Frame['data']> {
    if (format === 'png') return frame.data
    if (frame.data.length !== frame.width * frame.height * 4)
      throw new DeskhandError('PROTOCOL', 'the driver gave a picture of another size than it said')
    if (format === 'raw') return frame.data
    if (this.#on.encode === undefined) throw new DeskhandError('NOT_CAPABLE', `no encoder for ${format} is set up`)
    return this.#on.encode(frame, format)
  }
}
