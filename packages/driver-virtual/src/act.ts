import { checkStep, Leases, type Act, type Ctx, type Guard, type Lease, type Sent, type Step } from '@deskhand/core/driver'
import type { PointerEvent, KeyEvent } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { brokenGuard } from './guard.ts'
import { Keyboard } from './input/keyboard.ts'
import { Pointer } from './input/pointer.ts'
import type { UiFile } from './model/ui-file.ts'
import { answer } from './requests.ts'
import { semanticStep } from './steps/semantic.ts'

/** After so many events other calls get their turn: a stop, a timer, another reader. Between two turns nothing else can interfere. */
const CHUNK = 16

/** The only way to change a simulated desktop: one lease at a time, one event after the other. */
export class Actor implements Act {
  readonly #desk: Desktop
  readonly #ui: () => UiFile
  readonly keyboard: Keyboard
  readonly pointer: Pointer
  readonly #leases: Leases

  constructor(desk: Desktop, ui: () => UiFile) {
    this.#desk = desk
    this.#ui = ui
    this.keyboard = new Keyboard(desk)
    this.pointer = new Pointer(desk, () => this.keyboard.modifiers())
    this.#leases = new Leases({
      isHolding: () => this.keyboard.down.size > 0 || this.pointer.down.size > 0,
      release: () => {
        this.keyboard.down.clear()
        this.pointer.releaseAll()
      },
    })
  }

  take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    return this.#leases.take(ttlMs, ctx)
  }

  step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    return this.#leases.run(lease, ctx, () => {
      checkStep(step)
      const broken = brokenGuard(this.#desk, guard)
      if (broken) return { sent: 'none', units: 0, via: step.do, broken, held: this.held() }
      if (this.#desk.clock.mode === 'manual') this.pointer.endStreak()
      return this.#run(lease, step, guard, ctx)
    })
  }

  async reply(id: string, result: unknown): Promise<void> {
    answer(this.#desk, id, result)
  }

  drop(lease: Lease): Promise<void> {
    return this.#leases.drop(lease)
  }

  stop(): Promise<void> {
    return this.#leases.stop()
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
      if (broken || (rest && !this.#leases.mayGoOn(lease, ctx, end))) return { sent: 'partial', units, via, broken, held: this.held() }
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
      return this.#leases.mayGoOn(lease, ctx, end)
    }
    const until = performance.now() + ms
    for (let left = ms; left > 0; left = until - performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 20)))
      if (!this.#leases.mayGoOn(lease, ctx, end)) return false
    }
    return true
  }
}

/** A character or a key going down: it acts on the element that has the focus by now. */
const strikes = (item: unknown): boolean =>
  typeof item === 'string' || (typeof item === 'object' && item !== null && 'key' in item && 'type' in item && item.type === 'down')

const isPause = (item: unknown): boolean => typeof item === 'object' && item !== null && 'type' in item && item.type === 'pause'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
