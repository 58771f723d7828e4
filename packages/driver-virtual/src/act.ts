import { DeskhandError } from '@deskhand/core/errors'
import type { Act, Ctx, Guard, Lease, Sent, Step } from '@deskhand/core/driver'
import type { PointerEvent, KeyEvent } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { brokenGuard } from './guard.ts'
import { Keyboard } from './input/keyboard.ts'
import { Pointer } from './input/pointer.ts'
import type { UiFile } from './model/ui-file.ts'
import { answer } from './requests.ts'
import { checkStep } from './step-check.ts'
import { semanticStep } from './semantic.ts'

/** After so many events others get their turn: a stop, a timer, another reader. Between two turns nobody else can interfere. */
const CHUNK = 16

/** The only way to change a simulated desktop: one lease at a time, one event after the other. */
export class Actor implements Act {
  readonly #desk: Desktop
  readonly #ui: () => UiFile
  readonly keyboard: Keyboard
  readonly pointer: Pointer
  #lease: { id: Lease; ttlMs: number; until: number } | undefined
  #leases = 0
  #running: Promise<unknown> | undefined
  #deadMan: NodeJS.Timeout | undefined

  constructor(desk: Desktop, ui: () => UiFile) {
    this.#desk = desk
    this.#ui = ui
    this.keyboard = new Keyboard(desk)
    this.pointer = new Pointer(desk, () => this.keyboard.modifiers())
  }

  async take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    if (ctx.signal.aborted) throw new DeskhandError('CANCELLED', 'The call was cancelled.')
    if (this.#lease && performance.now() < this.#lease.until)
      throw new DeskhandError('LEASE_LOST', 'Another lease on this desktop is still alive.')
    this.#letGo()
    const id = `lease-${++this.#leases}`
    this.#lease = { id, ttlMs, until: performance.now() + ttlMs }
    return id
  }

  async step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    while (this.#running) await this.#running
    this.#mustHold(lease, ctx)
    checkStep(step)
    const broken = brokenGuard(this.#desk, guard)
    if (broken) return { sent: 'none', units: 0, via: step.do, broken, held: this.held() }
    if (this.#desk.clock.mode === 'manual') this.pointer.endStreak()
    const run = this.#run(lease, step, guard, ctx)
    if (!(run instanceof Promise)) return run
    this.#running = run.catch(() => {})
    try {
      return await run
    } finally {
      this.#running = undefined
      this.#watchHeld()
    }
  }

  async reply(id: string, result: unknown): Promise<void> {
    answer(this.#desk, id, result)
  }

  async drop(lease: Lease): Promise<void> {
    if (this.#lease?.id !== lease) return
    this.#lease = undefined
    this.#letGo()
  }

  async stop(): Promise<void> {
    this.#lease = undefined
    this.#letGo()
  }

  held(): string[] {
    return this.keyboard.down.size || this.pointer.down.size ? [...this.keyboard.down, ...this.pointer.down] : []
  }

  /** Short steps run at once; long ones, and those that wait, give way between their chunks. */
  #run(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Sent | Promise<Sent> {
    switch (step.do) {
      case 'pointer':
        return this.#events(lease, step.events, guard, ctx, 'pointer', (e) => this.#point(e))
      case 'keys':
        return this.#events(lease, step.events, guard, ctx, 'keys', (e) => this.#key(e))
      case 'text':
        return this.#events(lease, [...step.text], guard, ctx, 'text', (char) => this.keyboard.type(char))
      default:
        try {
          return { ...semanticStep(this.#desk, this.#ui(), step), held: this.held() }
        } finally {
          this.#desk.flush()
        }
    }
  }

  #events<T>(lease: Lease, items: T[], guard: Guard, ctx: Ctx, via: string, run: (item: T) => number | void): Sent | Promise<Sent> {
    if (items.length > CHUNK || items.some(isPause)) return this.#paced(lease, items, guard, ctx, via, run)
    let units = 0
    let broken: keyof Guard | undefined
    for (const item of items) {
      if (units > 0 && strikes(item) && (broken = brokenGuard(this.#desk, guard))) break
      run(item)
      units++
    }
    this.#desk.flush()
    this.#watchHeld()
    return { sent: broken ? 'partial' : 'all', units, via, broken, held: this.held() }
  }

  async #paced<T>(lease: Lease, items: T[], guard: Guard, ctx: Ctx, via: string, run: (item: T) => number | void): Promise<Sent> {
    const end = performance.now() + ctx.deadlineMs
    let units = 0
    for (const item of items) {
      const rest = units > 0 && units % CHUNK === 0
      if (rest) {
        this.#desk.flush()
        await turn()
      }
      const broken = units > 0 && (rest || strikes(item)) ? brokenGuard(this.#desk, guard) : undefined
      if (broken || (rest && !this.#mayGoOn(lease, ctx, end))) return { sent: 'partial', units, via, broken, held: this.held() }
      const pause = run(item)
      if (pause && !(await this.#sleep(pause, lease, ctx, end))) return { sent: 'partial', units, via, held: this.held() }
      units++
    }
    this.#desk.flush()
    return { sent: 'all', units, via, held: this.held() }
  }

  #point(event: PointerEvent): number | void {
    const { pointer } = this
    switch (event.type) {
      case 'pause':
        return event.ms
      case 'move':
        pointer.move(event)
        break
      case 'down':
        pointer.press(event.button)
        break
      case 'up':
        pointer.release(event.button)
        break
      case 'wheel':
        pointer.wheel(event.dx, event.dy)
        break
      default:
        event satisfies never
    }
    this.#desk.flush()
  }

  #key(event: KeyEvent): number | void {
    if (event.type === 'pause') return event.ms
    if (event.type === 'down') this.keyboard.press(event.key)
    else this.keyboard.release(event.key)
    this.#desk.flush()
  }

  async #sleep(ms: number, lease: Lease, ctx: Ctx, end: number): Promise<boolean> {
    const { clock } = this.#desk
    if (clock.mode === 'manual') {
      clock.advance(ms)
      this.#desk.flush()
      return this.#mayGoOn(lease, ctx, end)
    }
    const until = performance.now() + ms
    for (let left = ms; left > 0; left = until - performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 20)))
      if (!this.#mayGoOn(lease, ctx, end)) return false
    }
    return true
  }

  #mayGoOn(lease: Lease, ctx: Ctx, end: number): boolean {
    if (this.#lease?.id !== lease || ctx.signal.aborted || performance.now() > end) return false
    this.#lease.until = performance.now() + this.#lease.ttlMs
    return true
  }

  #mustHold(lease: Lease, ctx: Ctx): void {
    if (ctx.signal.aborted) throw new DeskhandError('CANCELLED', 'The call was cancelled before anything was sent.')
    const now = performance.now()
    if (this.#lease?.id !== lease || now >= this.#lease.until) throw new DeskhandError('LEASE_LOST', 'This lease has ended.')
    this.#lease.until = now + this.#lease.ttlMs
  }

  /** Nothing stays down longer than the lease that pressed it. */
  #watchHeld(): void {
    if (this.#deadMan) clearTimeout(this.#deadMan)
    this.#deadMan = undefined
    const lease = this.#lease
    if (!lease || this.held().length === 0) return
    this.#deadMan = setTimeout(() => {
      if (this.#lease && performance.now() < this.#lease.until) return this.#watchHeld()
      this.#lease = undefined
      this.#letGo()
    }, lease.until - performance.now())
    this.#deadMan.unref()
  }

  #letGo(): void {
    if (this.#deadMan) clearTimeout(this.#deadMan)
    this.#deadMan = undefined
    this.keyboard.down.clear()
    this.pointer.releaseAll()
  }
}

/** A character or a key going down: it acts on whatever has the focus by now. */
const strikes = (item: unknown): boolean =>
  typeof item === 'string' || (typeof item === 'object' && item !== null && 'key' in item && 'type' in item && item.type === 'down')

const isPause = (item: unknown): boolean => typeof item === 'object' && item !== null && 'type' in item && item.type === 'pause'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
