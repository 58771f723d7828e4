import { setTimeout as sleep } from 'node:timers/promises'
import { Notifier } from '../../notifier.ts'
import { within, type Observe, type Activity } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { EntryBody, HumanState } from '../../model/index.ts'
import type { HumanSettings } from '../ports.ts'

/** What a session does about a person. */
export interface HumanReactions {
  /** A person took the controls: held keys and buttons have to be released. */
  arrived(): void
  /** They pressed a button or a key: says what that went to. */
  touched(what: 'buttons' | 'keys'): Promise<string | undefined>
  left(interval: Extract<EntryBody, { type: 'human' }>): void
  /** They moved the pointer here. */
  moved(at: { x: number; y: number }): Promise<void>
  /** Whether a person is there changed. */
  changed(): void
}

const WATCH_MS = 25_000
const MORE_MS = 5_000
/** While a person is active, their input is looked at this often. Steps under way are held up by the driver itself, at once. */
const SAMPLE_MS = 20
const AGAIN_MS = 500
const MOST_TOUCHED = 20

type Counts = Activity['human']
interface Visit {
  from: number
  last: number
  before: Counts
  touched: Set<string>
}

/** Knows whether a person is at the controls of this desktop. */
export class Human {
  readonly settings: HumanSettings
  readonly #observe: Observe
  readonly #on: HumanReactions
  readonly #end = new AbortController()
  readonly #notifier = new Notifier()
  #counts?: Counts
  #visit?: Visit
  #idle?: NodeJS.Timeout
  /** The operator let the agent go on although the person may still be there; holds until their next input. */
  #waved = false
  #looking: Promise<unknown> = Promise.resolve()

  constructor(observe: Observe, settings: HumanSettings, on: HumanReactions) {
    this.#observe = observe
    this.settings = settings
    this.#on = on
  }

  /** Looks from now on, where there is something to look for. */
  async start(): Promise<void> {
    const { mode, corner } = this.settings
    if (mode === 'off' && !corner) return
    const first = await this.#observe.watch('input', undefined, 0, within(MORE_MS))
    this.#counts = first.human
    void this.#follow(first.cursor)
  }

  async close(): Promise<void> {
    this.#end.abort(new DeskhandError('CANCELLED', 'this desktop is being closed'))
    this.#leave()
    await this.#looking.catch(() => {})
  }

  /** As it is, not as it was asked for: a person goes unnoticed where a desktop does not tell of input. */
  get state(): HumanState {
    const looks = this.#counts !== undefined
    const { idleMs } = this.settings
    const mode = looks ? this.settings.mode : 'off'
    const corner = looks && this.settings.corner
    const since = this.#visit === undefined || mode === 'off' ? undefined : new Date(this.#visit.from).toISOString()
    return { mode, idleSeconds: idleMs / 1000, corner, since, paused: this.paused }
  }

  get paused(): boolean {
    return this.settings.mode === 'enforce' && this.#visit !== undefined && !this.#waved
  }

  /** A person's input so far, for the guard of a step: more of it breaks the step off. Undefined where no person is waited for. */
  get known(): number | undefined {
    return this.settings.mode === 'enforce' && this.#counts !== undefined ? total(this.#counts) : undefined
  }

  /** What a person has done so far, to see later what they did since. */
  get counts(): Counts {
    return { ...(this.#counts ?? { moves: 0, buttons: 0, keys: 0 }) }
  }

  /** Takes in what the driver knows by now. */
  async look(): Promise<void> {
    this.#take(await this.#observe.watch('input', undefined, 0, within(MORE_MS)))
  }

  /** Waits until the person has left the controls; false when that takes longer than `waitMs`. */
  async left(waitMs: number, signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + waitMs
    while (this.paused) {
      const left = end - performance.now()
      if (left <= 0) return false
      signal.throwIfAborted()
      await this.#notifier.wait(signal, left)
    }
    return true
  }

  /** Throws HUMAN_AT_CONTROLS instead of answering false. */
  async mustLeave(waitMs: number, signal: AbortSignal): Promise<void> {
    if (!(await this.left(waitMs, signal))) throw this.refusal('nothing was sent')
  }

  refusal(soFar: string): DeskhandError {
    const { since, idleSeconds } = this.state
    const when = since === undefined ? 'a person used the controls' : `a person has been at the controls since ${since}`
    return new DeskhandError('HUMAN_AT_CONTROLS', `${when}, so ${soFar}`, {
      next: `The desktop is free again after ${idleSeconds} s without their input, or when the operator says: deskhand resume. Then take a snapshot and call again.`,
      details: { since },
    })
  }

  /** The operator's word: the agent may go on until the person's next input. */
  resume(): void {
    this.#waved = true
    this.#notifier.notify()
  }

  async #follow(cursor: string): Promise<void> {
    let since: string | undefined = cursor
    const { signal } = this.#end
    while (!signal.aborted) {
      try {
        const activity: Activity = await this.#observe.watch('input', since, WATCH_MS, within(WATCH_MS + MORE_MS, signal))
        since = activity.cursor
        this.#take(activity)
        if (this.#visit !== undefined) await sleep(SAMPLE_MS)
      } catch {
        // The driver is being started anew, or this desktop is gone.
        since = undefined
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  #take({ human, at }: Activity): void {
    const before = this.#counts
    // A driver that was started anew counts from the beginning.
    if (before === undefined || total(human) < total(before)) return void (this.#counts = human)
    if (total(human) === total(before)) return
    this.#counts = human
    this.#waved = false
    const now = Date.now()
    const arrived = this.#visit === undefined
    this.#visit ??= { from: now, last: now, before, touched: new Set() }
    this.#visit.last = now
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#leave(), this.settings.idleMs).unref()
    if (arrived) this.#on.changed()
    if (arrived && this.settings.mode === 'enforce') this.#on.arrived()
    if (human.moves > before.moves && at !== undefined) void this.#on.moved(at).catch(() => {})
    this.#ask(this.#visit, human, before)
    this.#notifier.notify()
  }

  #ask(visit: Visit, human: Counts, before: Counts): void {
    if (this.settings.mode === 'off') return
    for (const what of ['buttons', 'keys'] as const) {
      if (human[what] === before[what] || visit.touched.size >= MOST_TOUCHED) continue
      const asked = this.#on.touched(what).then(
        (name) => name !== undefined && visit.touched.add(name),
        () => {},
      )
      this.#looking = Promise.all([this.#looking, asked])
    }
  }

  #leave(): void {
    const visit = this.#visit
    if (visit === undefined) return
    clearTimeout(this.#idle)
    this.#visit = undefined
    this.#waved = false
    this.#notifier.notify()
    this.#on.changed()
    if (this.settings.mode === 'off') return
    const now = this.counts
    const { before, from, last, touched } = visit
    this.#looking = this.#looking.then(() =>
      this.#on.left({
        type: 'human',
        from: new Date(from).toISOString(),
        to: new Date(last).toISOString(),
        pointerEvents: now.moves + now.buttons - before.moves - before.buttons,
        keyEvents: now.keys - before.keys,
        touched: [...touched],
      }),
    )
  }
}

const total = ({ moves, buttons, keys }: Counts): number => moves + buttons + keys
