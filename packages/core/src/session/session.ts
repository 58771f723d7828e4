import type { DriverInfo } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { recallCalls, type ReadableJournal } from '../journal/index.ts'
import { ending, beyondBounds, type DesktopInfo, type MethodInput, type MethodResult, type Principal, type Result } from '../model/index.ts'
import type { Setting, Subject } from '../policy/index.ts'
import type { PrivateText } from '../redaction/index.ts'
import type { OpenPlace } from './aftermath.ts'
import { build, type Parts } from './build.ts'
import type { Call, InputLease } from './call.ts'
import type { Counters } from './counters.ts'
import type { Approvals } from './decide/approvals.ts'
import type { Events } from './events.ts'
import { withNames, type NamedSelectors } from './named.ts'
import { KNOWN_MAX, outcomeOf, outcomeUnlessAsked, type Operation, type Operations } from './operations.ts'
import { parseCall } from './parse-call.ts'
import { perform } from './perform.ts'
import { frames, type FrameCall, type FrameOptions, type FramePart } from './picture/frames.ts'
import type { Ports, Redactor } from './ports.ts'
import { DriverState } from './see/driver-state.ts'
import type { Sight } from './see/see.ts'

const CONSIDER_MS = 10_000
/** How far back the record is asked for calls that may be sent again. */
const RECALL_MS = 24 * 3_600_000
const NEVER = new AbortController().signal
const NO_NAMES: NamedSelectors = new Map()

/** One desktop, governed. Everything an agent can do goes through `call`; only a session ever acts on a driver. */
export class Session {
  readonly #ports: Ports
  readonly #driver: DriverState
  readonly #parts: Parts

  static async open(ports: Ports): Promise<Session> {
    const session = new Session(ports, await DriverState.ask(ports.driver.observe))
    const { tree, human, operations } = session.#parts
    operations.recall(await recallCalls(ports.journal, { sinceMs: Date.now() - RECALL_MS, max: KNOWN_MAX }))
    await tree.sync()
    if (session.#driver.can('humanInput')) await human.start(session.#driver.info.airbag !== undefined)
    return session
  }

  private constructor(ports: Ports, driver: DriverState) {
    this.#ports = ports
    this.#driver = driver
    this.#parts = build(ports, driver, (call) => this.call(call, Infinity))
  }

  /**
   * Starts a call and answers within `waitMs`: its result, or that it still waits, with the operation's id. Without `waitMs` it may run as
   * long as it likes, and a person may take as long as the approver says; with `asked` it does not wait for one at all.
   */
  async call(call: Call, waitMs?: number | 'asked'): Promise<Result> {
    let op: Operation
    try {
      op = this.start(call)
    } catch (thrown) {
      return ending({ status: 'error', op: '', sent: 'none', effect: 'refused', error: DeskhandError.from(thrown).toJSON() })
    }
    const { approver } = this.#ports
    if (waitMs === 'asked') return await outcomeUnlessAsked(op, 0)
    return await (waitMs === undefined && approver?.waitMs !== undefined
      ? outcomeUnlessAsked(op, approver.waitMs)
      : outcomeOf(op, waitMs ?? Infinity))
  }

  start(given: Call): Operation {
    const call = this.#named(given)
    const { urn } = this.#ports
    if (call.desktop !== undefined && call.desktop !== urn)
      throw new DeskhandError('NO_DESKTOP', `this is ${urn}, not ${call.desktop}`, { next: 'Name the desktop that is meant, or none.' })
    const { operations, steps, aftermath, counters } = this.#parts
    return operations.start(call, (op, signal, waiting) =>
      aftermath.of(call, signal, async () => {
        const timing = counters.begin(call)
        const result = await perform(steps, call, op, signal, waiting, timing)
        timing.end(result)
        return result
      }),
    )
  }

  /** Asks for something that is no action: what the table of methods lists, under the roles it names. */
  invoke<M extends Parts['api']['names'][number]>(
    method: M,
    params: MethodInput<M>,
    who: Principal,
    signal: AbortSignal = NEVER,
  ): Promise<MethodResult<M>> {
    return this.#parts.api.invoke(method, params, { who, signal })
  }

  /** The methods behind `invoke`, for faces that add their own. */
  get api(): Parts['api'] {
    return this.#parts.api
  }

  /** How this desktop stands now. */
  get state(): DesktopInfo {
    return this.#parts.info()
  }

  get info(): DriverInfo {
    return this.#driver.info
  }

  /** The feed of everything that happens here. */
  get events(): Events {
    return this.#parts.events
  }

  get journal(): ReadableJournal {
    return this.#parts.journal
  }

  /** The questions that wait, and the permissions that stand. They are answered and revoked through `invoke`. */
  get approvals(): Pick<Approvals, 'list' | 'grants' | 'picture'> {
    return this.#parts.approvals
  }

  /** Whether the answer of a person at this agent's own client counts. */
  trusts(who: Principal): boolean {
    return this.#parts.trusts(who)
  }

  get operations(): Operations {
    return this.#parts.operations
  }

  /** What happened here, in numbers. */
  get counters(): Counters {
    return this.#parts.counters
  }

  get redactor(): Redactor {
    return this.#ports.redactor
  }

  /** Masks what looks private, for answers that do not go through a call. */
  get privateText(): PrivateText {
    return this.#parts.decider.privateText
  }

  /** The question that a call would put to the policy; nothing is decided, recorded or done. */
  async consider(given: Call): Promise<{ subject: Subject; setting: Setting }> {
    const call = this.#named(given)
    const { resolver, decider } = this.#parts.steps
    const action = parseCall(call)
    const targets = await resolver.resolve(action, call, AbortSignal.timeout(CONSIDER_MS))
    return { subject: decider.subject(call, action, targets), setting: this.#parts.setting() }
  }

  /** The call with selectors in place of the names that extensions have for them; one with an unknown name is refused on the path of every call. */
  #named(call: Call): Call {
    const problem = beyondBounds(call.args)
    if (problem !== undefined) return { ...call, args: {}, unreadable: new DeskhandError('BAD_ARGS', `${call.tool}: ${problem}`) }
    try {
      return { ...call, args: withNames(call.args, this.#ports.names ?? NO_NAMES) }
    } catch (thrown) {
      return { ...call, unreadable: DeskhandError.from(thrown) }
    }
  }

  /** The tree as this principal may know it. */
  see(who: Principal): Sight {
    return this.#parts.see(who)
  }

  /** Holds the input lease over several calls, as a script does; pass it on in each call. */
  hold<T>(signal: AbortSignal, work: (lease: InputLease) => Promise<T>): Promise<T> {
    return this.#parts.leases.run(signal, work, true)
  }

  /** Does several calls of one tool, and adds to the last answer what changed since the caller was last told. */
  telling(call: Pick<Call, 'tool' | 'args' | 'principal'>, signal: AbortSignal = NEVER, work: () => Promise<Result>): Promise<Result> {
    return this.#parts.aftermath.around({ ...call, kind: 'code' }, signal, work)
  }

  /** The windows and dialogs that a caller sees open; `settle` waits until the desktop is quiet. */
  places(who: Principal, settle = false): Promise<OpenPlace[]> {
    return this.#parts.aftermath.places(who, settle)
  }

  /** The screen as this caller may see it: all of it first, then what was drawn since, for as long as it asks. */
  frames(call: FrameCall, options: FrameOptions = {}): AsyncGenerator<FramePart[], void, undefined> {
    return frames(this.#parts.frameNeeds, call, options)
  }

  /** Writes down that the desktop is served from now on, and how far its operator can trust that agents stay out of it. */
  served(by: Principal, detail: Record<string, unknown>): Promise<void> {
    return this.#parts.operator.record('up', by, { ...detail, mode: this.state.mode, policy: this.#ports.policy().version })
  }

  /** Writes down what an operator did beside this session; it holds only once this is done. */
  noted(what: string, by: Principal, detail: Record<string, unknown>): Promise<void> {
    return this.#parts.operator.record(what, by, detail)
  }

  /** Writes down what was refused before it became a call; the error comes back to be thrown. */
  reject(tool: string, principal: Principal, error: DeskhandError): Promise<DeskhandError> {
    return this.#parts.steps.recorder.reject(tool, { principal }, error)
  }

  async close(): Promise<void> {
    const { operations, human, consent, leases, events, journal } = this.#parts
    consent.close()
    this.#parts.steps.recorder.release()
    operations.abortAll(new DeskhandError('CANCELLED', 'this desktop is being closed'))
    await operations.ended()
    await human.close()
    leases.giveBack()
    await this.#ports.driver.close()
    await journal.close()
    events.close()
  }
}
