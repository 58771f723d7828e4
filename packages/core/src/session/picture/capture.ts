import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { within, type Frame, type Observe, type RenderOptions, type WindowOwner } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { WINDOWS, type AppIdentity, type Principal, type Rect, type Result, type UiNode } from '../../model/index.ts'
import { LOOKED, type Outcome } from '../outcome.ts'
import type { Ports } from '../ports.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { See } from '../see/see.ts'
import { blackIn, countsOf, explain } from './black-areas.ts'
import type { HiddenArea } from './hidden-area.ts'
import type { HiddenAreas } from './hidden-areas.ts'
import type { Images } from './images.ts'

const CAPTURE_MS = 5_000
/** An application that takes its time over its tree does not hold a picture up: what may hold a password there is black instead. */
const SETTLE_MS = 40
/** One that never told its whole tree yet would be black altogether, so it gets more time. */
const MEET_MS = 1_000

/** While a password field moves, more is black than need be: a picture that an agent asked for is taken again so often, after so long. */
const RETAKES = 3
const RETAKE_MS = 200

/** raw: RGBA rows without padding. */
export type Format = 'raw' | 'png' | 'jpeg' | 'webp'

/** A picture in the format that was asked for, and which parts of the desktop are black in it. */
export interface Exposure {
  frame: Frame
  masked: HiddenArea[]
  /** Where other windows of the same application are in the picture of one. */
  over: readonly Rect[]
  /** It is of one colour: nothing is painted there. */
  blank: boolean
}

export interface PictureRequest {
  rect?: Rect
  /** One window alone, by its key. */
  window?: string
  format: Format
  /** Also hides what looks private. */
  redact?: boolean
  /** The window of which a person allowed this picture. */
  agreed?: UiNode
  /** What had to be hidden a moment ago, where nothing private is known: then the tree is waited for after the picture, however long it takes. */
  plainBefore?: readonly HiddenArea[]
  /** Where pixels of the format `raw` may be written: `data` is empty where they were. */
  into?: RenderOptions['into']
}

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

  async take(who: Principal, { rect, window, format, agreed, redact = false, plainBefore, into }: PictureRequest): Promise<Exposure> {
    const { observe, driver, tree, hidden } = this.#on
    driver.need('capture')
    let settled = true
    const hide = async (owners?: WindowOwner[]): Promise<HiddenArea[]> => [
      ...this.hiddenAreas(who, owners, settled, agreed),
      ...(redact ? await hidden.privately(who) : []),
    ]
    const before = plainBefore ?? [...(await hide()), ...(await hidden.passwords.look())]
    const { id, windows, covered = [], over = [], blank = false, ...shot } = await observe.capture({ rect, window }, within(CAPTURE_MS))
    // What appeared while the picture was taken is hidden as well.
    if (plainBefore !== undefined) await tree.sync()
    else settled = await tree.syncWithin(redact || hidden.hasStrangers(tree, windows) ? MEET_MS : SETTLE_MS)
    const masked = [
      ...before,
      ...(await hide(windows)),
      ...(await hidden.passwords.look(windows)),
      ...covered.map((area): HiddenArea => ({ rect: area, why: 'covered' })),
    ]
    const data = await observe.render(
      id,
      { hide: masked.map((m) => m.rect), as: format === 'png' ? 'png' : 'rgba', into: format === 'raw' ? into : undefined },
      within(CAPTURE_MS),
    )
    return { frame: { ...shot, data: await this.#encoded({ ...shot, data }, format) }, masked, over, blank }
  }

  /** A picture as the answer of a call; its id maps points in it back to the desktop. */
  async answer(who: Principal, request: PictureRequest, of?: UiNode): Promise<Outcome> {
    // Without its place the picture would be of the whole screen, for which nothing was decided.
    if (request.rect === undefined && of !== undefined && of.bounds === undefined)
      throw new DeskhandError('NOT_CAPABLE', 'the element does not tell where it is, so there is no picture of it')
    // Of a window only what is its own; of anything else what lies there.
    const area =
      request.rect === undefined && of !== undefined && WINDOWS.has(of.role) ? { window: of.key } : { rect: request.rect ?? of?.bounds }
    let exposure = await this.take(who, { ...request, ...area })
    for (let more = RETAKES; more > 0 && this.#on.hidden.passwords.isMoving; more--) {
      await sleep(RETAKE_MS)
      exposure = await this.take(who, { ...request, ...area })
    }
    const { frame, masked, blank } = exposure
    if (request.format === 'raw') return { ...LOOKED, data: frame }
    const image: NonNullable<Result['images']>[number] = {
      id: `i${randomBytes(6).toString('hex')}`,
      mimeType: `image/${request.format}`,
      ...frame,
    }
    this.#on.images.put(image)
    const { data, ...about } = image
    const screenshotHash = createHash('sha256').update(data).digest('base64url')
    const black = blackIn(frame, masked)
    const redactions = black.length > 0 ? countsOf(black) : undefined
    const text = explain(blank, black, (app) => this.#on.pictured(app, who))
    return {
      ...LOOKED,
      data: { ...about, ...(text !== undefined && { note: text }) },
      images: [image],
      text,
      evidence: { screenshotHash, ...(redactions && { redactions }) },
    }
  }

  /** The same, and where password fields are or were a moment ago though no event told of it; where `redact` says so, what looks private, too. */
  async hiddenNow(who: Principal, redact = false): Promise<HiddenArea[]> {
    const areas = [...this.hiddenAreas(who), ...(await this.#on.hidden.passwords.look())]
    return redact ? [...areas, ...(await this.#on.hidden.privately(who))] : areas
  }

  /** What a picture for this principal must not show, by what the tree tells. */
  hiddenAreas(who: Principal, owners?: WindowOwner[], settled = true, agreed?: UiNode): HiddenArea[] {
    const { tree, see, hidden, pictured } = this.#on
    return hidden.of(tree, { seen: see(who), pictured: (place) => pictured(place, who), agreed }, owners, settled)
  }

  async #encoded(frame: Frame, format: Format): Promise<Frame['data']> {
    if (format === 'png' || (format === 'raw' && frame.data.length === 0)) return frame.data
    if (frame.data.length !== frame.width * frame.height * 4)
      throw new DeskhandError('PROTOCOL', 'the driver gave a picture of another size than it said')
    if (format === 'raw') return frame.data
    if (this.#on.encode === undefined) throw new DeskhandError('NOT_CAPABLE', `no encoder for ${format} is set up`)
    return this.#on.encode(frame, format)
  }
}
