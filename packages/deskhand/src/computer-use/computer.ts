import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Button, Point, PointerEvent, Rect, Result } from '@deskhand/core/model'
import type { HoldingDesk } from '../sdk/desk.ts'
import { shrunken } from './shrink.ts'

/** The largest picture that a model takes without scaling it itself; coordinates come back in the pixels of what it was sent. */
export interface ComputerOptions {
  maxWidth?: number
  maxHeight?: number
}

export interface Picture {
  /** A PNG, as base64. */
  data: string
  mediaType: 'image/png'
  width: number
  height: number
}

interface View {
  origin: Point
  scale: number
  width: number
  height: number
}

type Modifier = 'Shift' | 'Control' | 'Alt' | 'Meta'
interface ClickOptions {
  button?: Button
  clickCount?: 1 | 2 | 3
  modifiers?: Modifier[]
}

const MAX_WIDTH = 1280
const MAX_HEIGHT = 800
const MAX_WAIT_MS = 60_000
const DRAG_PAUSE_MS = 20

/**
 * What every model's loop works on: a desktop by pixels of the pictures it was shown. Each action goes the governed path, where the pixel
 * becomes the element under it; a failure or refusal is thrown as a `DeskhandError`, and nothing is tried again.
 */
export class Computer {
  readonly #desk: HoldingDesk
  readonly #limits: Required<ComputerOptions>
  /** Where the pictures lie: desktop = origin + pixel / scale. */
  #view?: View
  /** The controls, while a button is down. */
  #hold?: string

  constructor(desk: HoldingDesk, { maxWidth = MAX_WIDTH, maxHeight = MAX_HEIGHT }: ComputerOptions = {}) {
    this.#desk = desk
    this.#limits = { maxWidth, maxHeight }
  }

  async screenshot(): Promise<Picture> {
    const { picture, frame } = await this.#capture()
    const { origin, scale, width } = frame
    this.#view = { origin, scale: (scale * picture.width) / width, width: picture.width, height: picture.height }
    return picture
  }

  /** A part of the last picture, with all its detail. */
  async zoom(x0: number, y0: number, x1: number, y1: number): Promise<Picture> {
    const [a, b] = [await this.#at({ x: x0, y: y0 }, true), await this.#at({ x: x1, y: y1 }, true)]
    const region: Rect = { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), w: Math.abs(b.x - a.x), h: Math.abs(b.y - a.y) }
    if (region.w < 1 || region.h < 1) throw new DeskhandError('BAD_ARGS', 'the region to zoom into is empty')
    return (await this.#capture(region)).picture
  }

  /** Clicks at a pixel of the last picture, or where the pointer is. */
  async click(at: Point | undefined, { button = 'left', clickCount = 1, modifiers = [] }: ClickOptions = {}): Promise<Result> {
    const { x, y } = at === undefined ? await this.#pointer() : await this.#at(at)
    return this.#call('ui.click_xy', { x, y, button, clickCount, modifiers })
  }

  async move(at: Point, modifiers: Modifier[] = []): Promise<Result> {
    return this.#pointing([{ type: 'move', ...(await this.#at(at)) }], modifiers)
  }

  /** Presses at the first point, moves through the others and lets go at the last. */
  async drag(path: readonly Point[], modifiers: Modifier[] = []): Promise<Result> {
    const [first, ...rest] = await Promise.all(path.map((p) => this.#at(p)))
    if (first === undefined || rest.length === 0) throw new DeskhandError('BAD_ARGS', 'a drag needs two points or more')
    const moves = rest.flatMap((p): PointerEvent[] => [
      { type: 'pause', ms: DRAG_PAUSE_MS },
      { type: 'move', ...p },
    ])
    const events: PointerEvent[] = [{ type: 'move', ...first }, { type: 'down', button: 'left' }, ...moves, { type: 'up', button: 'left' }]
    return this.#pointing(events, modifiers)
  }

  /** In notches of the wheel: positive is right and down. */
  async scroll(at: Point | undefined, dx: number, dy: number, modifiers: Modifier[] = []): Promise<Result> {
    const there: PointerEvent[] = at === undefined ? [] : [{ type: 'move', ...(await this.#at(at)) }]
    return this.#pointing([...there, { type: 'wheel', dx, dy }], modifiers)
  }

  /** Keeps the controls until the button is up again. */
  async buttonDown(): Promise<Result> {
    this.#hold ??= await this.#desk.hold()
    return this.#pointing([{ type: 'down', button: 'left' }])
  }

  async buttonUp(): Promise<Result> {
    try {
      return await this.#pointing([{ type: 'up', button: 'left' }])
    } finally {
      await this.release()
    }
  }

  type(text: string): Promise<Result> {
    return this.#call('ui.type', { text })
  }

  /** A chord, as in `ctrl+s` or `Return`; held for so long where that is said. */
  key(chord: string, holdMs?: number): Promise<Result> {
    return this.#call('ui.key', { keys: chord, holdMs })
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    await sleep(Math.min(Math.max(ms, 0), MAX_WAIT_MS), undefined, { signal })
  }

  /** Where the pointer is, in pixels of the last picture. */
  async cursor(): Promise<Point> {
    const { origin, scale } = await this.#shown()
    const { x, y } = await this.#pointer()
    return { x: Math.round((x - origin.x) * scale), y: Math.round((y - origin.y) * scale) }
  }

  /** Puts a provider's safety check to a person; false unless one of them agreed. */
  async confirm(explanation: string): Promise<boolean> {
    const message = `The model's provider asks for a person's consent: ${visible(explanation)}`.slice(0, 4_000)
    const { data, error } = await this.#outcome('input.ask', { question: 'confirm', message, buttons: [AGREE, REFUSE] })
    if (error !== undefined && NOT_AGREED.has(error.code)) return false
    if (error !== undefined) throw DeskhandError.revive(error)
    return (data as { answer: unknown }).answer === AGREE
  }

  /** Gives the controls back, and with them a button that is down. */
  async release(): Promise<void> {
    const hold = this.#hold
    this.#hold = undefined
    if (hold !== undefined) await this.#desk.release(hold)
  }

  /** The size of the pictures that the model is shown. */
  async size(): Promise<{ width: number; height: number }> {
    const { width, height } = await this.#shown()
    return { width, height }
  }

  async #pointing(events: PointerEvent[], modifiers: readonly Modifier[] = []): Promise<Result> {
    if (modifiers.length === 0) return this.#call('input.pointer', { events, settleMs: SETTLE_MS })
    const own = this.#hold === undefined
    this.#hold ??= await this.#desk.hold()
    try {
      await this.#call('input.keys', { events: modifiers.map((key) => ({ type: 'down', key })) })
      const result = await this.#call('input.pointer', { events, settleMs: SETTLE_MS })
      await this.#call('input.keys', { events: modifiers.toReversed().map((key) => ({ type: 'up', key })) })
      return result
    } finally {
      if (own) await this.release()
    }
  }

  async #capture(region?: Rect): Promise<{ picture: Picture; frame: Omit<Frame, 'data'> }> {
    const { data } = await this.#call('input.capture', { format: 'raw', region })
    const frame = data as Frame
    const { maxWidth, maxHeight } = this.#limits
    const small = await shrunken(frame, Math.min(1, maxWidth / frame.width, maxHeight / frame.height))
    return { picture: { ...small, data: Buffer.from(small.data).toString('base64'), mediaType: 'image/png' }, frame }
  }

  /** A pixel of the last picture as a place on the desktop; outside of the picture there is nothing. `edge`: the far edge counts as inside. */
  async #at({ x, y }: Point, edge = false): Promise<Point> {
    const { origin, scale, width, height } = await this.#shown()
    const most = edge ? 0 : 1
    if (!(x >= 0 && y >= 0 && x <= width - most && y <= height - most))
      throw new DeskhandError('BAD_ARGS', `(${x}, ${y}) is outside of the picture, which is ${width} x ${height}`, {
        next: 'Take a screenshot and use a pixel in it.',
      })
    return { x: origin.x + x / scale, y: origin.y + y / scale }
  }

  async #shown(): Promise<View> {
    if (this.#view === undefined) await this.screenshot()
    if (this.#view === undefined) throw new DeskhandError('INTERNAL', 'no picture was taken')
    return this.#view
  }

  async #pointer(): Promise<Point> {
    const { data } = await this.#call('input.screens', {})
    return (data as { pointer: Point }).pointer
  }

  async #call(tool: string, args: object): Promise<Result> {
    const result = await this.#outcome(tool, args)
    if (result.error !== undefined) throw DeskhandError.revive(result.error)
    return result
  }

  /** What a call comes to in the end: a model has no way to ask later, so the question to a person is waited for until it is answered or expires. */
  async #outcome(tool: string, args: object): Promise<Result> {
    let result = await this.#desk.call(tool, args, { hold: this.#hold })
    while (result.error !== undefined && UNFINISHED.has(result.error.code))
      result = await this.#desk.call('op.wait', { op: result.op, timeoutMs: LONGEST_LOOK_MS })
    // What comes next is done without them.
    if (result.error?.code === 'LEASE_LOST') await this.release()
    return result
  }
}

const SETTLE_MS = 200
const AGREE = 'Agree'
const REFUSE = 'Refuse'
/** Ways in which no person agreed; anything else is a fault. */
const NOT_AGREED: ReadonlySet<string> = new Set([
  'APPROVAL_DENIED',
  'APPROVAL_EXPIRED',
  'APPROVAL_NEEDED',
  'NOT_ASKED',
  'DENIED',
  'STOPPED',
  'CANCELLED',
])
const UNFINISHED: ReadonlySet<string> = new Set(['APPROVAL_PENDING', 'RUNNING'])
const LONGEST_LOOK_MS = 60_000

/** Characters that a person would not see, spelled out. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, (c) => (c === '\n' ? ' ' : `\\u{${c.codePointAt(0)!.toString(16)}}`))

/** What an action came to, in one line for the model: what it touched, and what was seen of it. */
export function inWords({ resolvedTarget: target, effect, sent }: Result): string {
  const what = target === undefined ? '' : ` on ${target.role}${target.name === undefined ? '' : ` ${JSON.stringify(target.name)}`}`
  return `${effect === 'refused' ? `sent ${sent}` : effect.replace('_', ' ')}${what}`
}

/** Why an action was not done, in words for the model. */
export const failureWords = (thrown: unknown): string => {
  const { code, message, next } = DeskhandError.from(thrown)
  return `${code}: ${message}. ${next}`
}

const MODIFIERS: Readonly<Record<string, Modifier>> = {
  shift: 'Shift',
  ctrl: 'Control',
  control: 'Control',
  alt: 'Alt',
  option: 'Alt',
  meta: 'Meta',
  super: 'Meta',
  cmd: 'Meta',
  command: 'Meta',
  win: 'Meta',
}

/** Modifier keys by the names that models use. */
export function modifiersOf(names: readonly string[]): Modifier[] {
  return names.map((name) => {
    const modifier = MODIFIERS[name.toLowerCase()]
    if (modifier === undefined) throw new DeskhandError('BAD_ARGS', `${JSON.stringify(name)} is no modifier key`)
    return modifier
  })
}
