import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { type Act, type CapName, type Ctx, type Guard, type Lease, type Sent, type Step, within } from '@deskhand/core/driver'
import type { Point } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import type { MirrorNode } from './atspi/node.ts'
import type { Can } from './caps.ts'
import type { Desk } from './desk.ts'
import { brokenGuard } from './guard.ts'
import { spotOf } from './hit.ts'
import type { SignLog } from './signs.ts'
import { type Pace, type Progress, keyEvents, pointerEvents, typeText } from './steps/events.ts'
import { launch } from './steps/launch.ts'
import { semanticStep } from './steps/semantic.ts'
import type { Env } from './x11/authority.ts'
import type { Clipboard } from './x11/clipboard.ts'
import type { Display } from './x11/display.ts'
import type { Input } from './x11/input.ts'
import type { Pinger } from './x11/ping.ts'
import { quiet } from './x11/quiet.ts'
import type { Screens } from './x11/screens.ts'

/** An application that takes longer over its input hangs. */
const HUNG_MS = 5000
const STOP_MS = 500
/** So long the focus may take to arrive, looked for so often. */
const FOCUS_MS = 300
const FOCUS_LOOK_MS = 15

/** What acting needs of X; absent under Wayland. */
export interface Hands {
  display: Display
  input: Input
  clipboard: Clipboard
  pinger: Pinger
  signs: SignLog
  screens: Screens
}

/** The only way to change a desktop: one lease at a time, one event after the other. */
export class Actor implements Act {
  private readonly desk: Desk
  private readonly hands: Hands | undefined
  private readonly env: Env
  private readonly can: Can
  private lease: { id: Lease; ttlMs: number; until: number } | undefined
  private leases = 0
  private running: Promise<unknown> | undefined
  private deadMan: NodeJS.Timeout | undefined

  constructor(desk: Desk, hands: Hands | undefined, env: Env, can: Can) {
    this.desk = desk
    this.hands = hands
    this.env = env
    this.can = can
    if (hands !== undefined) hands.input.caughtUp = () => this.caughtUp(within(HUNG_MS))
  }

  async take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    mustGoOn(ctx)
    if (this.lease !== undefined && performance.now() < this.lease.until)
      throw new DeskhandError('LEASE_LOST', 'another lease on this desktop is still alive')
    await this.letGo()
    const id = `lease-${++this.leases}`
    this.lease = { id, ttlMs, until: performance.now() + ttlMs }
    return id
  }

  async step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    while (this.running !== undefined) await this.running
    mustGoOn(ctx)
    this.mustHold(lease)
    this.mustBeCapable(`step:${step.do}`)
    const run = this.guarded(lease, step, guard, ctx)
    this.running = run.catch(() => {})
    try {
      return await run
    } finally {
      this.running = undefined
      this.watchHeld()
    }
  }

  reply(): Promise<void> {
    return Promise.reject(new DeskhandError('NOT_CAPABLE', 'a real desktop asks nothing of the session'))
  }

  async drop(lease: Lease): Promise<void> {
    if (this.lease?.id !== lease) return
    await this.stop()
  }

  async stop(): Promise<void> {
    this.lease = undefined
    await this.letGo()
    // The running step ends before its next event; whatever it is still waiting for does not hold up the stop.
    await Promise.race([this.running, sleep(STOP_MS)])
    await this.letGo()
  }

  private async guarded(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    const isTouched = (): boolean => guard.human !== undefined && (this.hands?.signs.humanTotal ?? 0) > guard.human
    const end = performance.now() + ctx.deadlineMs
    const mayWait = (): boolean => this.mayGoOn(lease, ctx, end)
    const broken = (await this.brokenForLong(guard, mayWait)) ?? (isTouched() ? 'human' : undefined)
    if (broken !== undefined) return { sent: 'none', units: 0, via: step.do, broken, held: this.held() }
    let brokenLater: keyof Guard | undefined
    let seen = this.desk.moves
    const pace: Pace = {
      mayGoOn: () => {
        if (isTouched()) brokenLater = 'human'
        return brokenLater === undefined && this.mayGoOn(lease, ctx, end)
      },
      moved: () => seen !== (seen = this.desk.moves),
      holds: async () => (brokenLater = await this.brokenForLong(guard, mayWait)) === undefined,
      caughtUp: () => this.caughtUp(ctx),
      isLoose: guard.hit !== undefined && guard.hit.key === undefined,
    }
    for (const app of this.reached(step)) app.doubts.stir()
    const done = await this.run(step, ctx, pace)
    const { units, total } = done.progress
    const sent = units >= total ? 'all' : units === 0 ? 'none' : 'partial'
    return { sent, units, via: done.via, broken: brokenLater, held: this.held(), detail: done.detail }
  }

  /** The part of a guard that does not hold; the focus may still be on its way, as in a browser, whose pages run beside it. */
  private async brokenForLong(guard: Guard, mayWait: () => boolean): Promise<keyof Guard | undefined> {
    const patience = performance.now() + FOCUS_MS
    let broken = await brokenGuard(this.desk, guard)
    while (broken === 'focus' && performance.now() < patience && mayWait()) {
      await sleep(FOCUS_LOOK_MS)
      broken = await brokenGuard(this.desk, guard)
    }
    return broken
  }

  /** Applications that may answer to a step by drawing; keys reach the active one alone. */
  private reached(step: Step): Iterable<App> {
    const { mirror, top } = this.desk
    const pid = step.do === 'keys' || step.do === 'text' ? top.find((w) => w.isActive)?.pid : undefined
    return pid === undefined ? mirror.apps.values() : mirror.ofPid(pid)
  }

  private async run(
    step: Step,
    ctx: Ctx,
    pace: Pace,
  ): Promise<{ progress: Progress; via: string; detail?: Record<string, string | number> }> {
    const one = { units: 1, total: 1 }
    switch (step.do) {
      case 'pointer':
        await this.need().screens.mustReach(step.events)
        return { progress: await pointerEvents(this.need().input, step.events, pace), via: 'pointer' }
      case 'keys':
        return { progress: await keyEvents(this.need().input, step.events, pace), via: 'keys' }
      case 'text': {
        const progress = await typeText(this.need().input, step.text, pace)
        await pace.caughtUp()
        return { progress, via: 'keys' }
      }
      case 'clipboard':
        await this.need().clipboard.write(step.text)
        return { progress: one, via: 'clipboard' }
      case 'window':
        await this.operate(step)
        return { progress: one, via: 'window manager' }
      case 'launch': {
        const { pid, exitCode } = await launch(this.desk, this.env, step, ctx)
        return { progress: one, via: 'spawn', detail: exitCode === undefined ? { pid } : { pid, exitCode } }
      }
      case 'press':
      case 'focus':
      case 'expand':
      case 'collapse':
      case 'select':
      case 'reveal':
      case 'setText':
      case 'setValue':
        return {
          progress: one,
          via: await semanticStep(this.desk, step, {
            click: (node) => this.click(node, pace),
            wheel: (at, over, dx, dy) => this.wheel(at, over, dx, dy, pace),
          }),
        }
      default:
        return step satisfies never
    }
  }

  /** Never blind: what lies at the point must be the node, or inside it. */
  private async click(node: MirrorNode, pace: Pace): Promise<string> {
    const { input } = this.need()
    this.mustBeCapable('step:pointer')
    if (node.bounds === undefined) throw new DeskhandError('NOT_ACTIONABLE', 'the element does not tell where it is')
    const at = spotOf(node, node.bounds)
    if ((await brokenGuard(this.desk, { hit: { at, key: node.key } })) !== undefined)
      throw new DeskhandError('NOT_ACTIONABLE', 'something else lies over the element')
    const { units, total } = await pointerEvents(
      input,
      [
        { type: 'move', ...at },
        { type: 'down', button: 'left' },
        { type: 'up', button: 'left' },
      ],
      pace,
    )
    if (units < total) throw new DeskhandError('LEASE_LOST', 'the click was interrupted')
    return 'pointer'
  }

  /** Turns the wheel over a node; false when something else lies there. */
  private async wheel(at: Point, over: MirrorNode, dx: number, dy: number, pace: Pace): Promise<boolean> {
    const { input } = this.need()
    this.mustBeCapable('step:pointer')
    if ((await brokenGuard(this.desk, { hit: { at, key: over.key } })) !== undefined) return false
    const { units, total } = await pointerEvents(
      input,
      [
        { type: 'move', ...at },
        { type: 'wheel', dx, dy },
      ],
      pace,
    )
    if (units < total) throw new DeskhandError('LEASE_LOST', 'the scrolling was not finished')
    if (!(await pace.caughtUp())) throw new DeskhandError('APP_HUNG', `${over.app.identity.name} does not answer`)
    return true
  }

  private async operate(step: Extract<Step, { do: 'window' }>): Promise<void> {
    await this.desk.settle()
    const window = this.desk.windowOf(step.key)
    if (window === undefined || this.desk.windows === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
    await this.desk.windows.operate(window.id, step.op, step.rect ?? {})
  }

  /** Waits until the application with the keyboard has taken in what was sent to it; false when it does not. */
  private async caughtUp(ctx: Ctx): Promise<boolean> {
    const { windows } = this.desk
    const window = await windows?.active()
    if (windows === undefined || window === undefined) return true
    const patience = Math.min(HUNG_MS, ctx.deadlineMs)
    const pong = await this.need().pinger.ping(window, patience)
    return pong === 'unsupported' ? quiet(await windows.pidOf(window), patience) : pong === 'answered'
  }

  private need(): Hands {
    if (this.hands === undefined) throw new DeskhandError('NOT_CAPABLE', 'there is no X server to send input to')
    return this.hands
  }

  private held(): string[] {
    return this.hands?.input.held() ?? []
  }

  private mayGoOn(lease: Lease, ctx: Ctx, end: number): boolean {
    if (this.lease?.id !== lease || ctx.signal.aborted || performance.now() > end) return false
    this.lease.until = performance.now() + this.lease.ttlMs
    return true
  }

  private mustHold(lease: Lease): void {
    const now = performance.now()
    if (this.lease?.id !== lease || now >= this.lease.until) throw new DeskhandError('LEASE_LOST', 'this lease has ended')
    this.lease.until = now + this.lease.ttlMs
  }

  private mustBeCapable(name: CapName): void {
    const cap = this.can[name]
    if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
  }

  /** Nothing stays down longer than the lease that pressed it. */
  private watchHeld(): void {
    clearTimeout(this.deadMan)
    const { lease } = this
    if (lease === undefined || this.held().length === 0) return
    this.deadMan = setTimeout(
      () => {
        if (this.lease !== undefined && performance.now() < this.lease.until) return this.watchHeld()
        this.lease = undefined
        void this.letGo()
      },
      Math.max(0, lease.until - performance.now()),
    )
  }

  private async letGo(): Promise<void> {
    clearTimeout(this.deadMan)
    if (this.hands?.display.isOpen === true) await this.hands.input.releaseAll()
  }
}

/** Ends a call whose caller has gone. */
export function mustGoOn(ctx: Ctx): void {
  if (!ctx.signal.aborted) return
  const { reason }: { reason: unknown } = ctx.signal
  throw reason instanceof DeskhandError ? reason : new DeskhandError('CANCELLED', 'the call was cancelled')
}
