import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import {
  type Act,
  type Ctx,
  type Guard,
  type Lease,
  type Sent,
  type Step,
  Leases,
  checkStep,
  mustBeCapable,
  within,
} from '@deskhand/core/driver'
import { isModifier, type KeyEvent } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import { hasState } from './atspi/states.ts'
import type { Can } from './caps.ts'
import type { LinuxDesktop } from './desktop.ts'
import { type Checked, checkGuard, isFreeOfValues, isKeyboardTaken, isFocused, sendTo, wheelControls } from './guard.ts'
import { isTerminal } from './open-files.ts'
import { type Pace, type Progress, keyEvents, pointerEvents, typeText } from './steps/events.ts'
import { launch } from './steps/launch.ts'
import { Mouse } from './steps/mouse.ts'
import { semanticStep } from './steps/semantic.ts'
import type { DisplayServer, Env, Input } from './display-server.ts'
import { quiet } from './quiet.ts'
import { renderersOf } from './renderers.ts'

/** An application that takes longer over its input hangs. */
const HUNG_MS = 5000
/** How long the focus may take to arrive, and how often it is looked for. */
const FOCUS_MS = 600
const FOCUS_LOOK_MS = 15
/** How long an application may take to tell that the focus left an element, once it has. */
const FOCUS_TOLD_MS = 200
/** How long a page may take over a key, once its browser has handed that on. */
const PAGE_MS = 500

/** The only way to change a desktop: one lease at a time, one event after the other. */
export class Actor implements Act {
  readonly #desk: LinuxDesktop
  readonly #server: DisplayServer
  readonly #env: Env
  readonly #can: Can
  readonly #leases: Leases

  constructor(desk: LinuxDesktop, server: DisplayServer, env: Env, can: Can) {
    this.#desk = desk
    this.#server = server
    this.#env = env
    this.#can = can
    this.#leases = new Leases({
      isHolding: () => this.#held().length > 0,
      release: () => (server.isOpen ? server.input?.releaseAll() : undefined),
    })
    const { input } = server
    if (input === undefined) return
    input.caughtUp = () => this.#caughtUp(within(HUNG_MS))
    desk.isDragging = () => input.isPressing
    desk.pressedAt = () => input.pressedAt
  }

  take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    return this.#leases.take(ttlMs, ctx)
  }

  step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    return this.#leases.run(lease, ctx, () => {
      mustBeCapable(this.#can, `step:${step.do}`)
      checkStep(step)
      return this.#guarded(lease, step, guard, ctx)
    })
  }

  reply(): Promise<void> {
    return Promise.reject(new DeskhandError('NOT_CAPABLE', 'a real desktop asks nothing of the session'))
  }

  drop(lease: Lease): Promise<void> {
    return this.#leases.drop(lease)
  }

  stop(): Promise<void> {
    return this.#leases.stop()
  }

  async #guarded(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    const isTouched = (): boolean => this.#server.activity.isBeyond(guard.human)
    const end = performance.now() + ctx.deadlineMs
    const mayWait = (): boolean => this.#leases.mayGoOn(lease, ctx, end)
    await this.#wake(guard, mayWait)
    let checked = await this.#checkForLong(guard, mayWait)
    const broken = checked.broken ?? (isTouched() ? 'human' : undefined)
    if (broken !== undefined) return { sent: 'none', units: 0, via: step.do, broken, held: this.#held() }
    let brokenLater: keyof Guard | undefined
    let seen = this.#desk.moves
    const pace: Pace = {
      mayGoOn: () => {
        if (isTouched()) brokenLater = 'human'
        return brokenLater === undefined && this.#leases.mayGoOn(lease, ctx, end)
      },
      moved: () => seen !== (seen = this.#desk.moves),
      holds: async () => {
        checked = await this.#checkForLong(guard, mayWait)
        return (brokenLater = checked.broken) === undefined
      },
      sendTo: async (at, send) => {
        const isSent = await sendTo(this.#desk, checked.chain, at, send)
        if (!isSent) brokenLater = 'hit'
        return isSent
      },
      mindsWheel: () => wheelControls(this.#desk, guard.hit?.key).length > 0,
      mayTurn: async (at) => {
        const id = guard.hit?.key === undefined ? undefined : this.#desk.windowOf(guard.hit.key)?.id
        const isIn = id === undefined || (await this.#server.takenIn(id, Math.min(HUNG_MS, ctx.deadlineMs)))
        const isFree = isIn && (at === undefined || (await isFreeOfValues(this.#desk, at, guard.hit?.key)))
        if (!isFree) brokenLater = 'hit'
        return isFree
      },
      caughtUp: () => this.#caughtUp(ctx),
      dropsRepeats: () => this.#dropsRepeats(),
      missesFastAlt: () => this.#activeApp()?.toolkit.missesFastAlt === true,
      readsSlowly: () => this.#readsSlowly(),
      isLoose: guard.hit !== undefined && guard.hit.key === undefined,
    }
    for (const app of this.#reached(step)) app.stale.stir()
    const { activity } = this.#server
    activity.act()
    const done = await this.#run(step, ctx, pace).finally(() => activity.act())
    const { units, total } = done.progress
    const sent = units >= total ? 'all' : units === 0 ? 'none' : 'partial'
    return { sent, units, via: done.via, broken: brokenLater, held: this.#held(), detail: done.detail }
  }

  /** Where no window has the keyboard, as after a dialog that closed, the one that was decided about gets it. */
  async #wake({ window, focus }: Guard, mayWait: () => boolean): Promise<void> {
    const { windows } = this.#desk
    const key = window ?? focus
    if (windows === undefined || key === undefined || (await windows.active()) !== undefined) return
    const id = this.#desk.windowOf(key)?.id
    if (id === undefined) return
    await windows.operate(id, 'activate', {})
    const patience = performance.now() + FOCUS_MS
    while ((await windows.active()) !== id && performance.now() < patience && mayWait()) await sleep(FOCUS_LOOK_MS)
  }

  /** The part of a guard that does not hold; the focus may still be on its way, as in a browser, whose pages run beside it. */
  async #checkForLong(guard: Guard, mayWait: () => boolean): Promise<Checked> {
    const patience = performance.now() + FOCUS_MS
    let checked = await checkGuard(this.#desk, guard)
    while (checked.broken === 'focus' && performance.now() < patience && mayWait()) {
      await sleep(FOCUS_LOOK_MS)
      checked = await checkGuard(this.#desk, guard)
    }
    // The window manager grabs the keyboard while a shortcut of its own is held down.
    if (checked.broken === undefined && this.#held().length === 0 && (await isKeyboardTaken(this.#desk, guard))) return { broken: 'focus' }
    return checked
  }

  /** Applications that may answer to a step by drawing; keys reach the active one alone. */
  #reached(step: Step): Iterable<App> {
    const { mirror, top } = this.#desk
    const pid = step.do === 'keys' || step.do === 'text' ? top.find((w) => w.isActive)?.pid : undefined
    return pid === undefined ? mirror.apps.values() : mirror.ofPid(pid)
  }

  async #run(step: Step, ctx: Ctx, pace: Pace): Promise<{ progress: Progress; via: string; detail?: Record<string, string | number> }> {
    const one = { units: 1, total: 1 }
    switch (step.do) {
      case 'pointer':
        await this.#server.mustReach(step.events)
        for (const event of step.events) if (event.type === 'move') await this.#desk.ready(event)
        return turning(await pointerEvents(this.#input(), step.events, pace))
      case 'keys': {
        const isText = this.#isInText()
        const progress = await keyEvents(this.#input(), step.events, pace)
        // What follows is judged by where the focus is then, so the application has to have taken in what can move it.
        if (movesFocus(step.events, isText) && (await pace.caughtUp())) await this.#focusTold(ctx)
        return { progress, via: 'keys' }
      }
      case 'text': {
        const isText = this.#isInText()
        this.#mustTakeIn(step.text)
        const progress = await typeText(this.#input(), step.text, pace)
        if ((await pace.caughtUp()) && (!isText || /[\t\r\n]/.test(step.text))) await this.#focusTold(ctx)
        return { progress, via: 'keys' }
      }
      case 'clipboard':
        await need(this.#server.clipboard).write(step.text)
        return { progress: one, via: 'clipboard' }
      case 'window':
        await this.#operate(step)
        return { progress: one, via: 'window manager' }
      case 'launch': {
        const { pid, exitCode } = await launch(this.#desk, this.#env, step, ctx)
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
          via: await semanticStep(this.#desk, step, new Mouse(this.#desk, () => this.#pointer(), pace)),
        }
      default:
        return step satisfies never
    }
  }

  /** Whether the keyboard is with a text, which takes characters and keeps the focus. */
  #isInText(): boolean {
    const { focus } = this.#desk.mirror
    return focus !== undefined && hasState(focus, 'editable')
  }

  /** Refuses characters that the application with the keyboard would make others of. */
  #mustTakeIn(text: string): void {
    const app = this.#activeApp()
    if (app?.isLocal !== true || !app.toolkit.hasNarrowKeys || !/[\u{10000}-\u{10FFFF}]/u.test(text)) return
    throw new DeskhandError('NOT_CAPABLE', `on Wayland ${app.identity.name} makes other characters of those beyond U+FFFF`, {
      next: 'Put the text on the clipboard and paste it.',
    })
  }

  /** Whether the keyboard is with an application that drops fast repeats, and not with a text, which takes every character. */
  #dropsRepeats(): boolean {
    const app = this.#activeApp()
    if (app?.toolkit.dropsRepeats !== true) return false
    const { focus } = this.#desk.mirror
    return focus?.app !== app || !hasState(focus, 'editable')
  }

  /** Whether the keyboard is with an application without a tree that is no terminal: an emulator, a game, a view of another desktop. */
  #readsSlowly(): boolean {
    const pid = this.#desk.top.find((w) => w.isActive)?.pid
    return pid !== undefined && this.#desk.mirror.ofPid(pid).length === 0 && !isTerminal(pid)
  }

  /** The application with the keyboard. */
  #activeApp(): App | undefined {
    const { mirror, top } = this.#desk
    const pid = top.find((w) => w.isActive)?.pid
    return pid === undefined ? undefined : mirror.ofPid(pid)[0]
  }

  async #operate(step: Extract<Step, { do: 'window' }>): Promise<void> {
    await this.#desk.settle()
    const window = this.#desk.windowOf(step.key)
    if (window === undefined || this.#desk.windows === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
    await this.#desk.windows.operate(window.id, step.op, step.rect ?? {})
  }

  /** Waits until the application with the keyboard has taken in what was sent to it; false when it does not. */
  async #caughtUp(ctx: Ctx): Promise<boolean> {
    const window = await this.#desk.windows?.active()
    if (window === undefined) return true
    const patience = Math.min(HUNG_MS, ctx.deadlineMs)
    return this.#server.takenIn(window, patience)
  }

  /** Waits until the mirror knows where the focus went: an application tells it a moment after it has moved it. */
  async #focusTold(ctx: Ctx): Promise<void> {
    const { mirror } = this.#desk
    const before = mirror.focus
    const app = this.#activeApp()
    if (app?.toolkit.passesKeysOn === true) {
      await Promise.all(renderersOf(app.identity.pid).map((pid) => quiet(pid, PAGE_MS)))
      await this.#caughtUp(ctx)
    }
    const patience = performance.now() + FOCUS_TOLD_MS
    while (before !== undefined && mirror.focus === before && performance.now() < patience && !(await isFocused(before)))
      await sleep(FOCUS_LOOK_MS)
  }

  #input(): Input {
    return need(this.#server.input)
  }

  #pointer(): Input {
    mustBeCapable(this.#can, 'step:pointer')
    return this.#input()
  }

  #held(): string[] {
    return this.#server.input?.held() ?? []
  }
}

function need<T>(device: T | undefined): T {
  if (device === undefined) throw new DeskhandError('NOT_CAPABLE', 'the display server takes no input')
  return device
}

function turning(progress: Progress): { progress: Progress; via: string; detail?: Record<string, number> } {
  return { progress, via: 'pointer', ...(progress.notches !== undefined && { detail: { notches: progress.notches } }) }
}

/** Whether a key among these may take the focus elsewhere: any but a modifier, and but a character in a text. */
function movesFocus(events: readonly KeyEvent[], isText: boolean): boolean {
  return events.some((event) => event.type === 'down' && !isModifier(event.key) && (!isText || [...event.key].length > 1))
}
