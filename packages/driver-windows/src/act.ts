import { DeskhandError } from '@deskhand/core/errors'
import type { PointerEvent } from '@deskhand/core/model'
import {
  type Act,
  type ActivityLog,
  type Ctx,
  type Guard,
  type Lease,
  type Sent,
  type Step,
  Leases,
  checkStep,
  mustBeCapable,
} from '@deskhand/core/driver'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Can } from './caps.ts'
import type { WindowsDesktop } from './desktop.ts'
import { checkGuard } from './guard.ts'
import { mustBeOurs } from './secure.ts'
import { type Pace, type Progress, keyEvents, pointerEvents, typeText } from './steps/events.ts'
import { launch } from './steps/launch.ts'
import { sendVKey } from './steps/sap.ts'
import { semanticStep } from './steps/semantic.ts'
import { operate } from './steps/window.ts'
import { writeClipboard } from './win32/clipboard.ts'
import { pointerAt, type SendInput } from './win32/input.ts'
import { ask, WM } from './win32/message.ts'
import { focusOf } from './win32/window.ts'

/** How long a guard may take to hold: an application moves its focus a moment after it was told to. */
const SETTLE_MS = 600
const LOOK_MS = 15

/** The only way to change a desktop: one lease at a time, one event after the other. */
export class Actor implements Act {
  readonly #desk: WindowsDesktop
  readonly #activity: ActivityLog
  readonly #can: Can
  readonly #input: SendInput
  readonly #leases = new Leases({ isHolding: () => this.#input.held().length > 0, release: () => this.#input.releaseAll() })

  constructor(desk: WindowsDesktop, activity: ActivityLog, can: Can, input: SendInput) {
    this.#input = input
    this.#desk = desk
    this.#activity = activity
    this.#can = can
  }

  take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    return this.#leases.take(ttlMs, ctx)
  }

  step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    return this.#leases.run(lease, ctx, () => {
      mustBeCapable(this.#can, `step:${step.do}`)
      checkStep(step)
      mustBeOurs()
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
    const end = performance.now() + ctx.deadlineMs
    const mayGoOn = (): boolean => this.#leases.mayGoOn(lease, ctx, end)
    let broken = this.#isDisturbed(guard) ? 'human' : await this.#brokenForLong(guard, mayGoOn)
    if (broken !== undefined) return { sent: 'none', units: 0, via: step.do, broken, held: this.#input.held() }
    const pace: Pace = {
      mayGoOn: () => {
        if (this.#isDisturbed(guard)) broken = 'human'
        return broken === undefined && mayGoOn()
      },
      holds: async () => (broken = this.#isDisturbed(guard) ? 'human' : await checkGuard(this.#desk, guard)) === undefined,
    }
    this.#activity.act()
    const { progress, via, detail } = await this.#run(step, ctx, pace).finally(() => this.#activity.act())
    const { units, total } = progress
    const sent = units >= total ? 'all' : units === 0 ? 'none' : 'partial'
    return { sent, units, via, broken, held: this.#input.held(), detail }
  }

  #isDisturbed({ human }: Guard): boolean {
    return this.#activity.isBeyond(human)
  }

  async #brokenForLong(guard: Guard, mayGoOn: () => boolean): Promise<keyof Guard | undefined> {
    const patience = performance.now() + SETTLE_MS
    let broken = await checkGuard(this.#desk, guard)
    while (broken === 'focus' && performance.now() < patience && mayGoOn()) {
      await sleep(LOOK_MS)
      broken = await checkGuard(this.#desk, guard)
    }
    return broken
  }

  async #type(text: string, pace: Pace): Promise<Progress> {
    const progress = await typeText(this.#input, text, pace)
    await takenIn()
    return progress
  }

  async #run(step: Step, ctx: Ctx, pace: Pace): Promise<{ progress: Progress; via: string; detail?: Record<string, string | number> }> {
    const one = { units: 1, total: 1 }
    switch (step.do) {
      case 'pointer':
        mustMeetInReach(this.#desk, step.events)
        return { progress: await pointerEvents(this.#input, step.events, pace), via: 'SendInput' }
      case 'keys': {
        this.#desk.mustTakeInput()
        const sent = await sendVKey(this.#desk, step.events)
        if (sent !== undefined) return { progress: { units: step.events.length, total: step.events.length }, via: sent }
        return { progress: await keyEvents(this.#input, step.events, pace), via: 'SendInput' }
      }
      case 'text':
        this.#desk.mustTakeInput()
        return { progress: await this.#type(step.text, pace), via: 'SendInput' }
      case 'clipboard':
        await writeClipboard(step.text)
        return { progress: one, via: 'clipboard' }
      case 'window':
        await operate(this.#desk, step)
        return { progress: one, via: 'window message' }
      case 'launch':
        return { progress: one, via: 'spawn', detail: await launch(this.#desk, step, ctx) }
      case 'press':
      case 'focus':
      case 'expand':
      case 'collapse':
      case 'select':
      case 'reveal':
      case 'setText':
      case 'setValue':
        return { progress: one, via: await semanticStep(this.#desk, step) }
      default:
        return step satisfies never
    }
  }
}

/** Throws when a button or the wheel would be used over a window that Windows keeps input from. */
function mustMeetInReach(desk: WindowsDesktop, events: readonly PointerEvent[]): void {
  let at = pointerAt()
  for (const event of events) {
    if (event.type === 'move') at = event
    else if (event.type === 'down' || event.type === 'wheel') desk.mustTakeInput(at)
  }
}

/** How long the field with the keyboard may take over what was typed, and how often its text is looked at. */
const TAKES_MS = 1000
const TAKEN_LOOKS = 3

/** Waits until the text of the field with the keyboard grows no more: input is taken in after it was sent. */
async function takenIn(): Promise<void> {
  const end = performance.now() + TAKES_MS
  const length = (): number | undefined => ask(focusOf(), WM.GETTEXTLENGTH)
  for (let last = length(), same = 0; same < TAKEN_LOOKS && last !== undefined && performance.now() < end;) {
    await sleep(LOOK_MS)
    const now = length()
    same = now === last ? same + 1 : 0
    last = now
  }
}
