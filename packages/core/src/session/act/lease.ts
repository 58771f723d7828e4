import { DeskhandError, type ErrorCode } from '../../errors.ts'
import { within, type Act, type Guard, type Lease, type Sent, type Step } from '../../driver/driver.ts'
import type { Result } from '../../model/index.ts'
import type { InputLease } from '../call.ts'
import type { Human } from '../human/human.ts'

const TTL_MS = 15_000
const STEP_MS = 30_000
/** A call that sends many things keeps others waiting no longer than this; what is left is for a call of its own. */
const CALL_MS = 30_000
/** An unused lease is given back after so long; a caller that comes sooner takes it over without asking the driver. */
const KEEP_MS = 1_000

/** Counts what one call sends, over however many leases. */
export class SendCount {
  #sent: Result['sent'] = 'none'

  /** `unknown` while a step is under way, and for good when it never came back. */
  get sent(): Result['sent'] {
    return this.#sent
  }

  /** What was tried since then is nothing of what was asked for. */
  backTo(sent: Result['sent']): void {
    this.#sent = sent
  }

  /** The same lease, with its steps counted. */
  over(lease: InputLease): InputLease {
    return {
      get held() {
        return lease.held
      },
      ready: () => lease.ready(),
      rest: () => lease.rest(),
      step: (step, guard, signal) => this.#count(step, () => lease.step(step, guard, signal)),
    }
  }

  async #count(step: Step, send: () => Promise<Sent>): Promise<Sent> {
    const was = this.#sent
    this.#sent = 'unknown'
    let done: Sent
    try {
      done = await send()
    } catch (thrown) {
      // What a desktop cannot do or does not have, and what a person keeps from it, it has not begun.
      if (thrown instanceof DeskhandError && UNBEGUN.has(thrown.code)) this.#sent = was
      throw thrown
    }
    // What only brings the target into view is nothing of what was asked for.
    if (step.do === 'reveal') this.#sent = was
    else this.#sent = done.sent === 'none' && was === 'none' ? 'none' : done.sent === 'all' && was !== 'partial' ? 'all' : 'partial'
    return done
  }
}

const UNBEGUN: ReadonlySet<ErrorCode> = new Set(['NOT_CAPABLE', 'HUMAN_AT_CONTROLS', 'UNKNOWN_APP'])

/** Pointer, keyboard and clipboard are one resource: callers get it whole, in the order in which they ask. */
export class LeaseQueue {
  readonly #act: Act
  readonly #human: Human
  #isTaken = false
  /** Callers that wait for their turn, in the order in which they asked. */
  readonly #waiting: (() => void)[] = []
  readonly #turns = new Set<Turn>()
  /** The end of the last call of those that share a lease. */
  readonly #sharing = new WeakMap<InputLease, Promise<void>>()
  #kept?: Lease
  /** Gives an unused lease back; it is wound up anew with each one. */
  #idle?: NodeJS.Timeout

  constructor(act: Act, human: Human) {
    this.#act = act
    this.#human = human
  }

  /** Runs `work` with the lease; what is still held afterwards is released. Work that pauses between its steps asks to be kept alive. */
  async run<T>(signal: AbortSignal, work: (lease: InputLease) => Promise<T>, keepAlive = false): Promise<T> {
    const turn = new Turn(
      this.#act,
      this.#human,
      { free: () => this.#free(), next: () => this.#next(), reuse: () => this.#reuse(), keep: (l) => this.#keep(l) },
      signal,
      keepAlive,
    )
    this.#turns.add(turn)
    try {
      await turn.begin()
      // Work of many calls sets out while the driver still hands the lease over; each call waits for it before it acts.
      const held = turn.ready()
      if (keepAlive) held.catch(() => {})
      else await held
      signal.throwIfAborted()
      return await work(turn)
    } finally {
      this.#turns.delete(turn)
      turn.over()
      await turn.rest()
    }
  }

  /**
   * Runs `work` with the lease that the caller already holds, or with one of its own. Calls that share a lease take turns: what one of them
   * holds down belongs to the next.
   */
  async with<T>(held: InputLease | undefined, signal: AbortSignal, work: (lease: InputLease) => Promise<T>): Promise<T> {
    if (held === undefined) return await this.run(signal, work)
    const before = this.#sharing.get(held)
    const { promise, resolve } = turnOver()
    this.#sharing.set(held, promise)
    try {
      await before
      signal.throwIfAborted()
      return await work(held)
    } finally {
      resolve()
    }
  }

  /** A person took the controls: what a caller holds down between two steps is released. */
  preempt(): void {
    for (const turn of this.#turns) void turn.preempt()
  }

  /** Keeps no lease of before: the driver may have ended them all. */
  giveBack(): void {
    for (const turn of this.#turns) turn.doubt()
    const lease = this.#reuse()
    if (lease !== undefined) void this.#act.drop(lease).catch(() => {})
  }

  #keep(lease: Lease): void {
    this.#kept = lease
    this.#idle ??= setTimeout(() => this.#kept === undefined || this.giveBack(), KEEP_MS).unref()
    this.#idle.refresh()
  }

  #reuse(): Lease | undefined {
    const lease = this.#kept
    this.#kept = undefined
    return lease
  }

  /** Takes the turn where it is free; call what it gives to let the next caller in. */
  #free(): (() => void) | undefined {
    if (this.#isTaken) return undefined
    this.#isTaken = true
    return () => this.#pass()
  }

  /** Resolves when every caller that asked before is done. */
  #next(): Promise<() => void> {
    return new Promise((resolve) => this.#waiting.push(() => resolve(() => this.#pass())))
  }

  #pass(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }
}

/** What a turn has of the queue that it stands in. */
interface Queue {
  free(): (() => void) | undefined
  next(): Promise<() => void>
  reuse(): Lease | undefined
  keep(lease: Lease): void
}

/** One holder's turn. It can be rested and taken up again. */
class Turn implements InputLease {
  readonly #act: Act
  readonly #human: Human
  readonly #queue: Queue
  readonly #signal: AbortSignal
  readonly #keepAlive: boolean
  /** Ends the turn. */
  #done?: () => void
  /** When it is over for a single call, by the clock that only goes forward. */
  #until?: number
  #held?: { lease: Lease; alive?: NodeJS.Timeout }
  #taking?: Promise<Lease>
  /** Keys and buttons that are down between two steps. */
  #down: readonly string[] = []
  /** Whether it is unknown what the last step left behind. */
  #isUnclear = false
  /** Whether the driver may have ended the lease. */
  #isDoubted = false
  /** What a person's arrival released, until the holder was told. */
  #lost: readonly string[] = []
  #isOver = false

  constructor(act: Act, human: Human, queue: Queue, signal: AbortSignal, keepAlive: boolean) {
    this.#act = act
    this.#human = human
    this.#queue = queue
    this.#signal = signal
    this.#keepAlive = keepAlive
  }

  get held(): readonly string[] {
    return this.#down
  }

  /** Waits for its turn. */
  async begin(): Promise<void> {
    this.#done ??= this.#queue.free() ?? (await this.#turn())
  }

  async ready(): Promise<void> {
    this.#mustBeOn()
    if (this.#held === undefined && !this.#reuse()) await this.#lease()
  }

  /** Goes on with the lease of the caller before, where that can be done at once. */
  #reuse(): boolean {
    if (this.#done === undefined || this.#taking !== undefined || this.#signal.aborted || this.#human.takenBy !== undefined) return false
    const lease = this.#queue.reuse()
    if (lease !== undefined) this.#hold(lease)
    return lease !== undefined
  }

  #hold(lease: Lease): void {
    const renew = (): void => void this.#act.step(lease, { do: 'pointer', events: [] }, {}, within(STEP_MS)).catch(() => {})
    this.#held = { lease, alive: this.#keepAlive ? setInterval(renew, TTL_MS / 3).unref() : undefined }
  }

  #lease(): Promise<Lease> {
    if (this.#held !== undefined) return Promise.resolve(this.#held.lease)
    return (this.#taking ??= this.#take().finally(() => (this.#taking = undefined)))
  }

  async #take(): Promise<Lease> {
    await this.begin()
    try {
      this.#signal.throwIfAborted()
      if (this.#human.takenBy !== undefined) await this.#human.mustLeave(this.#human.settings.waitMs, this.#signal)
      // Not cancelled on its way: a lease that its taker does not know of would block every caller.
      const lease = this.#queue.reuse() ?? (await this.#act.take(TTL_MS, within(STEP_MS)))
      this.#hold(lease)
      return lease
    } catch (thrown) {
      this.#end()
      throw thrown
    }
  }

  /** A caller that gives up while it waits passes its turn on when that comes. */
  async #turn(): Promise<() => void> {
    const turn = this.#queue.next()
    const given = await Promise.race([turn, aborted(this.#signal)])
    if (given !== undefined) return given
    void turn.then((done) => done())
    throw this.#signal.reason
  }

  /** A person who takes the controls breaks it off; where they only moved the pointer, the rest follows when they are gone. */
  async step(step: Step, guard: Guard, signal: AbortSignal): Promise<Sent> {
    let before = 0
    for (let left = step; ;) {
      this.#mustBeOn()
      this.#mustHaveAll()
      // Who took over has the desktop to themselves.
      const isBeside = isSemantic(step) && this.#human.takenBy === undefined
      this.#until ??= this.#keepAlive ? Infinity : performance.now() + CALL_MS
      const mostMs = Math.min(STEP_MS, this.#until - performance.now())
      if (mostMs <= 0) return { sent: before === 0 ? 'none' : 'partial', units: before, via: step.do, held: [...this.#down] }
      if (this.#human.paused && before === 0 && !isBeside) return { sent: 'none', units: 0, via: step.do, broken: 'human', held: [] }
      const counts = this.#human.counts
      const lease = this.#held?.lease ?? (await this.#lease())
      this.#isUnclear = true
      const watched: Guard = { ...guard, human: isBeside ? undefined : this.#human.known }
      let sent: Sent
      try {
        sent = await this.#act.step(lease, left, watched, within(mostMs, signal))
      } catch (thrown) {
        const isTaken = this.#human.takenBy !== undefined && thrown instanceof DeskhandError && thrown.code === 'LEASE_LOST'
        throw isTaken ? this.#human.refusal('it was broken off') : thrown
      }
      this.#isUnclear = sent.sent !== 'all'
      this.#down = sent.held
      const units = before + sent.units
      const all: Sent = { ...sent, units, sent: sent.sent === 'none' && before > 0 ? 'partial' : sent.sent }
      if (sent.broken !== 'human') return all
      await this.#human.look()
      await this.#letGo()
      const now = this.#human.counts
      const rest = now.buttons === counts.buttons && now.keys === counts.keys ? restOf(left, sent) : undefined
      if (rest === undefined || all.sent !== 'partial') return all
      const away = performance.now()
      if (!(await this.#human.left(this.#human.settings.waitMs, signal))) return all
      this.#until += performance.now() - away
      left = rest
      before = units
    }
  }

  doubt(): void {
    this.#isDoubted = true
  }

  async preempt(): Promise<void> {
    if (this.#down.length === 0 || this.#held === undefined) return
    this.#lost = this.#down
    await this.#letGo()
  }

  async rest(): Promise<void> {
    if (this.#taking !== undefined) await this.#taking.catch(() => {})
    const held = this.#held
    if (held === undefined || this.#isUnclear || this.#isDoubted || this.#down.length > 0) await this.#letGo()
    else {
      this.#held = undefined
      clearInterval(held.alive)
      this.#queue.keep(held.lease)
    }
    this.#end()
  }

  /** What is still under way when its holder is done takes no turn any more: nothing would end that. */
  over(): void {
    this.#isOver = true
  }

  #mustBeOn(): void {
    if (this.#isOver) throw new DeskhandError('LEASE_LOST', 'the controls were given back')
  }

  #mustHaveAll(): void {
    const lost = this.#lost
    this.#lost = []
    if (lost.length > 0) throw this.#human.refusal(`${lost.join(' and ')} was let go`)
  }

  /** Gives the lease back, and with it whatever is held down; the turn stays ours. */
  async #letGo(): Promise<void> {
    await this.#taking?.catch(() => {})
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#down = []
    this.#isUnclear = false
    clearInterval(held.alive)
    // A driver that died has nothing left to drop; its release is the dead-man's.
    await this.#act.drop(held.lease).catch(() => {})
  }

  #end(): void {
    this.#done?.()
    this.#done = undefined
  }
}

/** What of a step that was broken off can still follow as if nothing had happened; nothing when something was held, or pressed at a place. */
function restOf(step: Step, { units, held }: Sent): Step | undefined {
  if (held.length > 0) return undefined
  switch (step.do) {
    case 'text':
      return { ...step, text: [...step.text.replaceAll('\r\n', '\n')].slice(units).join('') }
    case 'keys':
      return { ...step, events: step.events.slice(units) }
    case 'pointer':
      return step.events.slice(0, units).every((e) => e.type === 'move' || e.type === 'pause') ? step : undefined
    default:
      return undefined
  }
}

function turnOver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

/** It takes nothing that a person at the controls uses. */
const isSemantic = (step: Step): boolean => 'delivery' in step && step.delivery === 'semantic' && step.do !== 'focus'

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
