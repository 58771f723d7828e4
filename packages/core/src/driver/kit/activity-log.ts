import { randomUUID } from 'node:crypto'
import type { Point, Rect } from '../../model/index.ts'
import { union } from '../../model/index.ts'
import { Notifier } from '../../notifier.ts'
import type { Activity, ActivityKind, Ctx } from '../driver.ts'
import { mustGoOn } from './calls.ts'

/** So many drawn areas are kept apart; beyond them the two oldest become one. */
const KEEP = 64
/** What is drawn so long after a step is not its effect, and what was drawn longer ago than this has come to rest. */
const EFFECT_MS = 700
const REST_MS = 4000
/** The same place drawn so often, with so much time in between, is drawn again and again. */
const TIMES = 3
const BETWEEN_MS = 100
const SLACK = 4
type Human = Activity['human']

/** What was drawn and what a person did, for readers that each keep their own place. Its size is bounded, however slow they are. */
export class ActivityLog {
  readonly human: Human = { moves: 0, buttons: 0, keys: 0 }
  /** Set by a driver that looks for input of other programs. */
  foreign: Activity['foreign']
  /** Called when the first reader starts to wait for a person's input, and when the last one stopped. */
  onWaiting: (isWaiting: boolean) => void = () => {}
  readonly #epoch = randomUUID()
  readonly #news = { input: new Notifier(), drawing: new Notifier() } satisfies Record<ActivityKind, Notifier>
  #screen: Rect
  #at: Point | undefined
  readonly #drawn: { seq: number; rect: Rect }[] = []
  #seq = 0
  #restless: { rect: Rect; at: number }[] = []
  #actedAt = -Infinity

  constructor(screen: Rect) {
    this.#screen = screen
  }

  get humanTotal(): number {
    const { moves, buttons, keys } = this.human
    return moves + buttons + keys
  }

  /** Where something is drawn again and again without a step of the driver's. */
  get restless(): Rect[] {
    return restlessOf(this.#restless, performance.now() - REST_MS)
  }

  /** Whether a person did more than the `human` of a guard says. */
  isBeyond(known: number | undefined): boolean {
    return known !== undefined && this.humanTotal > known
  }

  /** The screen has another size: all of it is drawn anew. */
  resize(screen: Rect): void {
    this.#screen = screen
    this.draw(screen)
  }

  /** The driver carries out a step: what is drawn from now on may be its effect. */
  act(): void {
    this.#actedAt = performance.now()
  }

  draw(rect: Rect): void {
    const at = performance.now()
    if (at - this.#actedAt > EFFECT_MS && this.#restless.push({ rect, at }) > KEEP) this.#restless.shift()
    this.#drawn.push({ seq: ++this.#seq, rect })
    if (this.#drawn.length > KEEP) {
      const old = this.#drawn.splice(0, KEEP / 2)
      this.#drawn.unshift(old.reduce((all, one) => ({ seq: one.seq, rect: union(all.rect, one.rect) })))
    }
    this.#news.drawing.notify()
  }

  /** Counts at once, as running steps compare the sum between two events; readers are told by `tell`. */
  count(what: keyof Human, events = 1): void {
    this.human[what] += events
  }

  /** Counts events that other programs injected. */
  stray(seen: number, swallowed: number): void {
    if (this.foreign === undefined) return
    this.foreign.seen += seen
    this.foreign.swallowed += swallowed
  }

  /** Wakes readers that wait for a person's input; `at` is where the person left the pointer. */
  tell(at?: Point): void {
    if (at !== undefined) this.#at = at
    this.#news.input.notify()
  }

  async watch(of: ActivityKind, since: string | undefined, waitMs: number, ctx: Ctx): Promise<Activity> {
    mustGoOn(ctx)
    const place = this.#placeOf(since)
    if (place !== undefined && !(of === 'input' ? this.#inputTotal > place.input : this.#seq > place.seq)) {
      await this.#wait(of, Math.min(waitMs, ctx.deadlineMs), ctx.signal)
      mustGoOn(ctx)
    }
    const damage = place === undefined ? [this.#screen] : this.#drawn.filter((d) => d.seq > place.seq).map((d) => d.rect)
    const { restless } = this
    return {
      cursor: `${this.#epoch}/${this.#seq}/${this.#inputTotal}`,
      damage,
      restless,
      human: { ...this.human },
      ...(this.foreign !== undefined && { foreign: { ...this.foreign } }),
      at: this.#at,
    }
  }

  /** Ends every wait, now and later. */
  close(): void {
    this.#news.input.close()
    this.#news.drawing.close()
  }

  get #inputTotal(): number {
    return this.humanTotal + (this.foreign?.seen ?? 0)
  }

  #placeOf(cursor: string | undefined): { seq: number; input: number } | undefined {
    const [epoch, seq, input] = cursor?.split('/') ?? []
    return epoch === this.#epoch ? { seq: Number(seq), input: Number(input) } : undefined
  }

  async #wait(of: ActivityKind, ms: number, signal: AbortSignal): Promise<void> {
    const news = this.#news[of]
    const isFirst = !news.isAwaited
    const told = news.wait(signal, ms)
    if (of === 'input' && isFirst) this.onWaiting(true)
    await told
    if (of === 'input' && !news.isAwaited) this.onWaiting(false)
  }
}

/** What was drawn at the same place several times since then. */
function restlessOf(drawn: readonly { rect: Rect; at: number }[], since: number): Rect[] {
  const late = drawn.filter((d) => d.at > since)
  const isRestless = ({ rect }: { rect: Rect }): boolean => {
    let times = 0
    let last = -Infinity
    for (const other of late) {
      if (other.at - last < BETWEEN_MS || !isNear(rect, other.rect)) continue
      times++
      last = other.at
    }
    return times >= TIMES
  }
  return late.filter(isRestless).map((d) => d.rect)
}

const isNear = (a: Rect, b: Rect): boolean =>
  Math.abs(a.x - b.x) <= SLACK &&
  Math.abs(a.y - b.y) <= SLACK &&
  Math.abs(a.x + a.w - b.x - b.w) <= SLACK &&
  Math.abs(a.y + a.h - b.y - b.h) <= SLACK
