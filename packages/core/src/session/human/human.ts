import { setTimeout as sleep } from 'node:timers/promises'
import { Notifier } from '../../notifier.ts'
import { within, type Observe, type Activity } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { EntryBody, HumanState, Principal } from '../../model/index.ts'
import type { HumanSettings } from '../ports.ts'

/** What a session does about a person. */
export interface HumanReactions {
  /** A person took the controls: held keys and buttons have to be released. */
  arrived(): void
  /** They pressed a button or a key: says what that went to. */
  touched(what: 'buttons' | 'keys'): Promise<string | undefined>
  /** A person was there, or other programs injected input. */
  record(entry: Extract<EntryBody, { type: 'human' | 'operator' }>): void
  /** They moved the pointer here. */
  moved(at: { x: number; y: number }): Promise<void>
  /** Whether a person is there changed. */
  changed(): void
  /** An operator who had taken over handed back: what they hold down has to be released. */
  handedBack(): void
}

/** In whose name it is written down that other programs injected input. */
const AIRBAG: Principal = { id: 'the safety airbag', role: 'operator' }
const WATCH_MS = 25_000
const MORE_MS = 5_000
/** While a person is active, their input is looked at this often. Steps under way are held up by the driver itself, at once. */
const SAMPLE_MS = 20
const AGAIN_MS = 500
const MOST_TOUCHED = 20
/** Input of other programs is told of together, so often. */
const FOREIGN_MS = 1000

type Counts = Activity['human']
interface Visit {
  from: number
  last: number
  before: Counts
  touched: Set<string>
  /** It is written down whatever the mode: an operator took over. */
  taken: boolean
}

/** Knows whether a person is at the controls of this desktop. */
export class Human {
  readonly settings: HumanSettings
  readonly #observe: Observe
  readonly #on: HumanReactions
  readonly #end = new AbortController()
  readonly #notifier = new Notifier()
  #counts?: Counts
  /** What an operator did through the live picture: the driver sent it and does not count it. */
  #sent: Counts = { moves: 0, buttons: 0, keys: 0 }
  #visit?: Visit
  #idle?: NodeJS.Timeout
  #takenBy?: Principal
  /** The operator let the agent go on although the person may still be there; holds until their next input. */
  #waved = false
  #isFollowing = false
  #looking: Promise<unknown> = Promise.resolve()
  #foreign?: Activity['foreign']
  #untold = { seen: 0, swallowed: 0 }
  #telling?: NodeJS.Timeout

  constructor(observe: Observe, settings: HumanSettings, on: HumanReactions) {
    this.#observe = observe
    this.settings = settings
    this.#on = on
  }

  /** Looks from now on, where there is something to look for and nobody looks yet: a person's input, or what other programs inject. */
  async start(seesForeign = false): Promise<void> {
    const { mode, corner } = this.settings
    const looks = mode !== 'off' || corner
    if (this.#isFollowing || (!looks && !seesForeign)) return
    const first = await this.#observe.watch('input', undefined, 0, within(MORE_MS))
    this.#isFollowing = true
    this.#foreign = first.foreign
    if (looks) this.#counts = first.human
    void this.#follow(first.cursor)
  }

  async close(): Promise<void> {
    this.#end.abort(new DeskhandError('CANCELLED', 'this desktop is being closed'))
    this.#leave()
    this.#tellForeign()
    await this.#looking.catch(() => {})
  }

  /** As it is, not as it was asked for: a person goes unnoticed where a desktop does not tell of input. */
  get state(): HumanState {
    const looks = this.#counts !== undefined
    const { idleMs } = this.settings
    const mode = looks ? this.settings.mode : 'off'
    const corner = looks && this.settings.corner
    const visit = mode === 'off' && this.#takenBy === undefined ? undefined : this.#visit
    const since = visit && new Date(visit.from).toISOString()
    return { mode, idleSeconds: idleMs / 1000, corner, since, paused: this.paused, takenBy: this.#takenBy?.id }
  }

  /** The operator who operates the desktop through its picture, until they hand back. */
  get takenBy(): Principal | undefined {
    return this.#takenBy
  }

  get paused(): boolean {
    return this.#takenBy !== undefined || this.#isWaitedFor
  }

  get #isWaitedFor(): boolean {
    return this.settings.mode === 'enforce' && this.#visit !== undefined && !this.#waved
  }

  /** A person's input so far, for the guard of a step: more of it breaks the step off. Undefined where no person is waited for. */
  get known(): number | undefined {
    return this.settings.mode === 'enforce' && this.#counts !== undefined ? total(this.#counts) : undefined
  }

  /** What a person has done so far, to see later what they did since. */
  get counts(): Counts {
    const { moves, buttons, keys } = this.#counts ?? { moves: 0, buttons: 0, keys: 0 }
    return { moves: moves + this.#sent.moves, buttons: buttons + this.#sent.buttons, keys: keys + this.#sent.keys }
  }

  /** An operator takes the controls: agents wait until they hand back, whatever the mode. */
  takeOver(by: Principal): void {
    this.#takenBy = by
    clearTimeout(this.#idle)
    const now = Date.now()
    this.#visit ??= { from: now, last: now, before: this.counts, touched: new Set(), taken: true }
    this.#visit.taken = true
    this.#on.changed()
    this.#notifier.notify()
  }

  /** They did this much. */
  used(done: Counts): void {
    const before = this.counts
    for (const what of ['moves', 'buttons', 'keys'] as const) this.#sent[what] += done[what]
    if (this.#visit === undefined) return
    this.#visit.last = Date.now()
    this.#ask(this.#visit, this.counts, before)
  }

  /** They are done: agents go on. */
  handBack(): void {
    if (this.#takenBy === undefined) return
    this.#takenBy = undefined
    this.#on.handedBack()
    this.#leave()
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
    if (this.#takenBy !== undefined)
      return new DeskhandError('HUMAN_AT_CONTROLS', `${this.#takenBy.id} took over the desktop at ${since}, so ${soFar}`, {
        next: 'Wait until they hand it back; then take a snapshot and call again.',
        details: { since },
      })
    return new DeskhandError('HUMAN_AT_CONTROLS', `${when}, so ${soFar}`, {
      next: `The desktop is free again after ${idleSeconds} s without their input, or when the operator says: deskhand resume. Then take a snapshot and call again.`,
      details: { since },
    })
  }

  /** The operator's word: the agent may go on until the person's next input. */
  resume(): void {
    this.#waved = true
    this.handBack()
    this.#notifier.notify()
  }

  async #follow(cursor: string): Promise<void> {
    let since: string | undefined = cursor
    const { signal } = this.#end
    while (!signal.aborted) {
      try {
        const activity: Activity = await this.#observe.watch('input', since, WATCH_MS, within(WATCH_MS + MORE_MS, signal))
        since = activity.cursor
        if (this.#counts !== undefined) this.#take(activity)
        this.#takeForeign(activity.foreign)
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
    const known = this.counts
    this.#counts = human
    this.#waved = false
    const now = Date.now()
    const arrived = this.#visit === undefined
    this.#visit ??= { from: now, last: now, before: known, touched: new Set(), taken: false }
    this.#visit.last = now
    clearTimeout(this.#idle)
    if (this.#takenBy === undefined) this.#idle = setTimeout(() => this.#leave(), this.settings.idleMs).unref()
    if (arrived) this.#on.changed()
    if (arrived && this.settings.mode === 'enforce') this.#on.arrived()
    if (human.moves > before.moves && at !== undefined) void this.#on.moved(at).catch(() => {})
    this.#ask(this.#visit, human, before)
    this.#notifier.notify()
  }

  #takeForeign(now: Activity['foreign']): void {
    const before = this.#foreign
    this.#foreign = now
    // A driver that was started anew counts from the beginning.
    if (now === undefined || before === undefined || now.seen <= before.seen) return
    this.#untold.seen += now.seen - before.seen
    this.#untold.swallowed += now.swallowed - before.swallowed
    this.#telling ??= setTimeout(() => this.#tellForeign(), FOREIGN_MS).unref()
  }

  #tellForeign(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    const { seen, swallowed } = this.#untold
    this.#untold = { seen: 0, swallowed: 0 }
    if (seen > 0) this.#on.record({ type: 'operator', what: 'foreign input', by: AIRBAG, detail: { seen, swallowed } })
  }

  #ask(visit: Visit, human: Counts, before: Counts): void {
    if (this.settings.mode === 'off' && !visit.taken) return
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
    if (this.settings.mode === 'off' && !visit.taken) return
    const now = this.counts
    const { before, from, last, touched } = visit
    this.#looking = this.#looking.then(() =>
      this.#on.record({
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
