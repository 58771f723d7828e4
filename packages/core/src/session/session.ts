import { setTimeout as sleep } from 'node:timers/promises'
import { within, type DriverInfo, type Observe, type Shot } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import type { Journal } from '../journal/index.ts'
import {
  READS,
  type Action,
  type AppIdentity,
  type Answer,
  type Approval,
  type Grant,
  type Judgement,
  type Mode,
  type Principal,
  type Rect,
  type Result,
  type Screen,
  type UiNode,
  type VisualDOMSnapshot,
} from '../model/index.ts'
import { RateCounter, ScreenText, type InputGrant, type Policy, type Setting, type Subject } from '../policy/index.ts'
import { explain } from '../selector/index.ts'
import { Approvals } from './approvals.ts'
import { inCorner } from './corner.ts'
import { subjectOf } from './deciding.ts'
import { frames, type FrameCall, type FrameOptions, type FramePart } from './frames.ts'
import { Human, type HumanSettings } from './human.ts'
import type { Before, Scene } from './judge.ts'
import { LeaseQueue, type Hands } from './lease.ts'
import { Operations, outcomeOf, type Operation } from './operations.ts'
import { parseCall, perform } from './perform.ts'
import type { Call, Ports } from './ports.ts'
import { Pictures } from './pictures.ts'
import { Refs } from './refs.ts'
import { find, resolve, touchesNothing, type Looking, type Resolved } from './resolve.ts'
import { Snapshots, type SnapshotRequest } from './snapshots.ts'
import { touchedBy } from './touched.ts'
import { LiveTree } from './tree.ts'
import { View, type Sight } from './view.ts'

const INFO_MS = 10_000
const RESOLVE_MS = 1_000
/** How often a driver that tells no changes is asked. */
const POLL_MS = 200
/** Who stops a desktop by moving the pointer into a corner. */
const CORNER: Principal = { id: 'the fail-safe corner', role: 'operator' }
const NOBODY: HumanSettings = { mode: 'off', idleMs: 0, waitMs: 0, corner: false }

/** One desktop, governed. Everything an agent can do goes through `call`; only a session ever acts on a driver. */
export class Session {
  readonly ports: Ports
  readonly tree: LiveTree
  readonly refs = new Refs()
  readonly approvals: Approvals
  readonly operations = new Operations()
  readonly observe: Observe
  readonly journal: Journal
  info: DriverInfo
  /** Who sent input last. */
  lastActor?: Principal
  /** Whether a person is at the controls. */
  readonly human: Human
  readonly rates = new RateCounter()
  /** What was shown to agents: text that comes back in a call is tainted. */
  readonly shown = new ScreenText()
  readonly #leases: LeaseQueue
  readonly #snapshots: Snapshots
  readonly #view: View
  readonly #pictures: Pictures
  #mode: Mode
  /** Pieces of code that run for the desktop itself. */
  #running = 0
  #inputGrants: readonly InputGrant[] = []
  #stopped?: { by: Principal; at: string }
  #screens?: Promise<readonly Screen[]>

  static async open(ports: Ports): Promise<Session> {
    const session = new Session(ports, await ports.driver.observe.info(within(INFO_MS)))
    await session.tree.sync()
    if (session.info.can.humanInput.ok) await session.human.start()
    return session
  }

  private constructor(ports: Ports, info: DriverInfo) {
    this.ports = ports
    this.info = info
    this.observe = ports.driver.observe
    this.journal = ports.journal
    this.tree = new LiveTree(this.observe, (text) => ports.redactor.value(text) as string)
    this.#view = new View(this.tree)
    this.human = new Human(this.observe, ports.human ?? NOBODY, {
      arrived: () => this.#leases.preempt(),
      touched: (what) => touchedBy(this, what),
      left: (visit) => void this.journal.append(visit).catch(() => {}),
      moved: async (at) => {
        if (!this.human.settings.corner || this.stopped || !inCorner(await this.screens(), at)) return
        await this.stop(CORNER)
      },
    })
    this.#leases = new LeaseQueue(ports.driver.act, this.human)
    this.#snapshots = new Snapshots(this)
    this.#mode = ports.mode
    this.#pictures = new Pictures(ports.treeless ?? 'show')
    const { approver } = ports
    this.approvals = new Approvals({ interactive: approver !== undefined, expiryMs: approver?.expiryMs ?? 0, now: () => this.now() })
    if (approver?.onChange !== undefined) this.approvals.onChange = approver.onChange
    this.tree.onNews = (news) => {
      if (news.type === 'can') void this.#refreshInfo().catch(() => {})
      if (news.type === 'screens' || news.type === 'reset') this.#screens = undefined
      if (news.type === 'reset') this.#leases.giveBack()
      if (news.type === 'host') void this.#runForDesktop(news.request).catch(() => {})
    }
  }

  /** Starts a call and answers within `waitMs`: its result, or that it still waits, with the operation's id. */
  async call(call: Call, waitMs = Infinity): Promise<Result> {
    let op: Operation
    try {
      op = this.start(call)
    } catch (thrown) {
      return { status: 'error', op: '', sent: 'none', effect: 'refused', error: DeskhandError.from(thrown).toJSON() }
    }
    return outcomeOf(op, waitMs)
  }

  start(call: Call): Operation {
    return this.operations.start(call, (op, signal) =>
      perform(this, call, op.id, signal, (approval) => {
        op.state = approval === undefined ? 'running' : 'waiting'
        op.approval = approval
      }),
    )
  }

  /** Ends everything between two input events and holds until an operator resumes. */
  async stop(by: Principal): Promise<void> {
    this.#stopped ??= { by, at: new Date(this.now()).toISOString() }
    this.approvals.plans.clear()
    this.operations.abortAll(new DeskhandError('STOPPED', `${by.id} stopped this desktop`))
    this.#leases.giveBack()
    try {
      await this.ports.driver.act.stop()
    } finally {
      await this.journal.append({ type: 'operator', what: 'stop', by }, { durable: true })
    }
  }

  async resume(by: Principal): Promise<void> {
    if (by.role !== 'operator') throw new DeskhandError('UNAUTHORIZED', `${by.id} is no operator and cannot resume`)
    await this.journal.append({ type: 'operator', what: 'resume', by }, { durable: true })
    this.#stopped = undefined
    this.human.resume()
  }

  /** Only an operator changes how far real input may go, and it is written down before it holds. */
  async setMode(by: Principal, mode: Mode, grants: readonly InputGrant[] = []): Promise<void> {
    if (by.role !== 'operator')
      throw await this.reject('mode', by, new DeskhandError('UNAUTHORIZED', `${by.id} is no operator and cannot change the mode`))
    await this.journal.append({ type: 'operator', what: 'mode', by, detail: { from: this.#mode, to: mode, grants } }, { durable: true })
    this.#mode = mode
    this.#inputGrants = grants
  }

  get mode(): Mode {
    return this.#mode
  }

  get stopped(): boolean {
    return this.#stopped !== undefined
  }

  /** The question that a call would put to the policy; nothing is decided, recorded or done. */
  async consider(call: Call): Promise<{ subject: Subject; setting: Setting }> {
    const action = parseCall(call)
    const targets = await this.resolve(action, call, AbortSignal.timeout(INFO_MS))
    return { subject: subjectOf(this, call, action, targets), setting: this.setting() }
  }

  /** An operator's answer to a pending approval; an agent's attempt is refused and recorded. */
  async answer(id: string, answer: Answer): Promise<Approval> {
    try {
      return this.approvals.answer(id, answer)
    } catch (thrown) {
      throw await this.reject('approvals.answer', answer.by, DeskhandError.from(thrown))
    }
  }

  /** Ends a standing permission, and writes that down. */
  async revoke(by: Principal, id: string): Promise<Grant> {
    if (by.role !== 'operator')
      throw await this.reject('grants.revoke', by, new DeskhandError('UNAUTHORIZED', `${by.id} is no operator and cannot revoke ${id}`))
    const grant = this.approvals.revoke(id)
    await this.journal.append({ type: 'operator', what: 'revoke', by, detail: grant }, { durable: true })
    return grant
  }

  /** Writes down what was refused before it became a call; the error comes back to be thrown. */
  async reject(tool: string, principal: Principal, error: DeskhandError): Promise<DeskhandError> {
    const message = this.ports.redactor.text(error.message)
    await this.journal.append({ type: 'rejected', tool, principal, code: error.code, message }, { durable: true })
    return error
  }

  async close(): Promise<void> {
    this.operations.abortAll(new DeskhandError('CANCELLED', 'this desktop is being closed'))
    await Promise.allSettled(
      this.operations
        .list({ id: 'session', role: 'operator' })
        .map((o) => this.operations.get(o.op, { id: 'session', role: 'operator' }).result),
    )
    await this.human.close()
    this.#leases.giveBack()
    await this.ports.driver.close()
    await this.journal.close()
  }

  // What perform, carryOut and read stand on.

  get policy(): Policy {
    return this.ports.policy()
  }

  now(): number {
    return this.ports.now?.() ?? Date.now()
  }

  setting(): Setting {
    return {
      desktop: this.ports.desktop,
      driver: this.info.kind,
      mode: this.#mode,
      inputGrants: this.#inputGrants,
      interactive: this.approvals.interactive,
      rates: this.rates,
      own: this.ports.own?.(),
      now: this.now(),
    }
  }

  refuseWhileStopped(action: Action): void {
    if (this.#stopped === undefined || READS.has(action.do)) return
    throw new DeskhandError('STOPPED', `${this.#stopped.by.id} stopped this desktop at ${this.#stopped.at}`)
  }

  /** The screens, asked for once until the driver tells that they changed. */
  screens(): Promise<readonly Screen[]> {
    const asked = (this.#screens ??= this.observe.screens(within(INFO_MS)))
    asked.catch(() => {
      if (this.#screens === asked) this.#screens = undefined
    })
    return asked
  }

  /** What the caller may know of. */
  seen(call: Pick<Call, 'principal'>): Sight {
    return this.#view.of(call.principal, this.policy, this.setting())
  }

  looking(call: Pick<Call, 'principal'>): Looking {
    const { tree, refs, observe } = this
    const seen = (): Sight => this.seen(call)
    return {
      tree,
      refs,
      observe,
      driver: this.info.kind,
      get seen() {
        return seen()
      },
      who: call.principal,
      screens: () => this.screens(),
      image: (id) => this.#pictures.get(id),
    }
  }

  /** What the action would touch; waits a moment for an element that is not there yet. */
  async resolve(action: Action, call: Call, signal: AbortSignal): Promise<Resolved[]> {
    // A rehearsal must not let time pass on a simulated desktop, nor wait for what only doing would bring.
    const patience = call.dryRun ? 0 : Date.now() + (('timeoutMs' in action ? action.timeoutMs : undefined) ?? RESOLVE_MS)
    for (;;) {
      const synced = touchesNothing(action) ? undefined : this.tree.sync()
      synced?.catch(() => {})
      try {
        return await resolve(action, this.looking(call), synced)
      } catch (thrown) {
        const left = patience - Date.now()
        if (DeskhandError.from(thrown).code !== 'NOT_FOUND' || left <= 0 || READS.has(action.do)) throw thrown
        if (!(await this.tree.changed(left, signal))) throw thrown
      }
    }
  }

  withHands<T>(call: Call, signal: AbortSignal, work: (hands: Hands) => Promise<T>): Promise<T> {
    return call.hands === undefined ? this.#leases.run(signal, work) : work(call.hands)
  }

  /** Holds the lease over several calls, as a script does; pass the hands on in each call. */
  hold<T>(signal: AbortSignal, work: (hands: Hands) => Promise<T>): Promise<T> {
    return this.#leases.run(signal, work, true)
  }

  scene(call: Pick<Call, 'principal'>, own?: UiNode, before?: Before): Scene {
    const looking = this.looking(call)
    return { tree: looking.seen, find: (target) => find(target, looking), own, before }
  }

  /** Judges again after every change, until it holds or patience ends; the last judgement is returned. */
  async until(look: () => Judgement, timeoutMs: number, signal: AbortSignal, pollMs = POLL_MS): Promise<Judgement> {
    const patience = Date.now() + timeoutMs
    for (;;) {
      await this.tree.sync()
      const judgement = look()
      const left = patience - Date.now()
      if (judgement.holds === true || left <= 0) return judgement
      signal.throwIfAborted()
      if (!this.info.can.push.ok) {
        await sleep(Math.min(left, pollMs))
        continue
      }
      // A simulated clock has then moved on by all of `left`; only code that still runs for the desktop can change anything more.
      if (!(await this.tree.changed(left, signal))) {
        if (this.#running === 0) return look()
        await sleep(10)
      }
    }
  }

  snapshot(call: Call, request: SnapshotRequest): VisualDOMSnapshot & { text: string } {
    return this.#snapshots.take(call, request)
  }

  outlineOf(nodes: readonly UiNode[], call: Call): string {
    return this.#snapshots.lines(nodes, call)
  }

  explain(selector: string, call: Call): string {
    return explain(selector, this.seen(call), { driver: this.info.kind }).sentence
  }

  /** What a picture for this caller must not show. */
  hiddenAreas(call: Pick<Call, 'principal'>, { windows, settled = true }: { windows?: Shot['windows']; settled?: boolean } = {}): Rect[] {
    const visible = (app: AppIdentity): boolean => this.policy.visible(app, call.principal, this.setting())
    return this.#pictures.hiddenAreas(this.tree, { seen: this.seen(call), visible }, windows, settled)
  }

  /** Whether a window is there of whose application nobody ever knew the whole tree, or any of it. */
  meetsStrangers(windows?: Shot['windows']): boolean {
    return this.#pictures.strangers(this.tree, windows)
  }

  /** The screen as this caller may see it: all of it first, then what was drawn since, for as long as they ask. */
  frames(call: FrameCall, options: FrameOptions = {}): AsyncGenerator<FramePart[], void, undefined> {
    return frames(this, call, options)
  }

  remember(image: NonNullable<Result['images']>[number]): void {
    this.#pictures.put(image)
  }

  /** Code that the simulated desktop asks for runs in the name of whoever acted last, judged like any other call. */
  async #runForDesktop({ id, code }: { id: string; code: string }): Promise<void> {
    // Never in an operator's name: what runs may have been planted by an agent.
    const principal: Principal = this.lastActor?.role === 'agent' ? this.lastActor : { id: 'desktop', role: 'agent' }
    this.#running++
    try {
      const result = await this.call({ tool: 'code.run', kind: 'code', args: { code }, principal })
      await this.ports.driver.act.reply(id, result.error ?? result.data, within(INFO_MS))
    } finally {
      this.#running--
    }
  }

  async #refreshInfo(): Promise<void> {
    this.info = await this.observe.info(within(INFO_MS))
  }
}
