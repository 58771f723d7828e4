import { randomUUID } from 'node:crypto'
import type { Ctx, SignKind, Signs } from '@deskhand/core/driver'
import type { Point, Rect } from '@deskhand/core/model'

/** So many drawn areas are told apart; beyond them the oldest are told together. */
const KEEP = 64
type Human = Signs['human']

/** What was drawn and what a person did, for readers that each keep their own place. It never grows, however slow they are. */
export class SignLog {
  readonly human: Human = { moves: 0, buttons: 0, keys: 0 }
  at: Point | undefined
  /** Told while somebody waits for a person. */
  onWaiting: (isWaiting: boolean) => void = () => {}
  onHuman: (device: 'pointer' | 'keys') => void = () => {}
  private readonly life = randomUUID()
  private screen: Rect
  private drawn: { seq: number; rect: Rect }[] = []
  private seq = 0
  private readonly waiting: Record<SignKind, Set<() => void>> = { input: new Set(), drawing: new Set() }

  constructor(screen: Rect) {
    this.screen = screen
  }

  get humanTotal(): number {
    const { moves, buttons, keys } = this.human
    return moves + buttons + keys
  }

  /** The screen has another size: all of it is drawn anew. */
  resize(screen: Rect): void {
    this.screen = screen
    this.draw(screen)
  }

  draw(rect: Rect): void {
    this.drawn.push({ seq: ++this.seq, rect })
    if (this.drawn.length > KEEP) {
      const [one, two, ...rest] = this.drawn
      if (one !== undefined && two !== undefined) this.drawn = [{ seq: two.seq, rect: union(one.rect, two.rect) }, ...rest]
    }
    this.wake('drawing')
  }

  /** Counts at once, as steps under way ask for it; who waits is told by `tell`. */
  count(what: keyof Human): void {
    this.human[what]++
    this.onHuman(what === 'keys' ? 'keys' : 'pointer')
  }

  tell(at?: Point): void {
    if (at !== undefined) this.at = at
    this.wake('input')
  }

  async watch(of: SignKind, since: string | undefined, waitMs: number, ctx: Ctx): Promise<Signs> {
    const place = this.placeOf(since)
    if (place !== undefined) {
      const news = (): boolean => (of === 'input' ? this.humanTotal > place.human : this.seq > place.seq)
      if (!news()) await this.wait(of, Math.min(waitMs, ctx.deadlineMs), ctx.signal)
    }
    const damage = place === undefined ? [this.screen] : this.drawn.filter((d) => d.seq > place.seq).map((d) => d.rect)
    return { cursor: `${this.life}/${this.seq}/${this.humanTotal}`, damage, human: { ...this.human }, at: this.at }
  }

  private placeOf(cursor: string | undefined): { seq: number; human: number } | undefined {
    const [life, seq, human] = cursor?.split('/') ?? []
    return life === this.life ? { seq: Number(seq), human: Number(human) } : undefined
  }

  private wake(of: SignKind): void {
    for (const resume of [...this.waiting[of]]) resume()
  }

  private wait(of: SignKind, ms: number, signal: AbortSignal): Promise<void> {
    const waiting = this.waiting[of]
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        waiting.delete(done)
        if (of === 'input' && waiting.size === 0) this.onWaiting(false)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1))
      signal.addEventListener('abort', done)
      waiting.add(done)
      if (of === 'input' && waiting.size === 1) this.onWaiting(true)
      if (signal.aborted) done()
    })
  }
}

function union(a: Rect, b: Rect): Rect {
  const x = Math.min(a.x, b.x)
  const y = Math.min(a.y, b.y)
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y }
}
