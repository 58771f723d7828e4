import type { Sent } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import type { Approval, Result, Route } from '../model/index.ts'
import { isUnreached, type Unreached } from './act/act-context.ts'
import type { Actor } from './act/actor.ts'
import { untilHeeded, untilSelected } from './act/heeded.ts'
import { SendCount, type LeaseQueue } from './act/lease.ts'
import { besidePerson } from './act/semantic.ts'
import type { Readiness } from './act/ready.ts'
import type { InputLease } from './call.ts'
import type { Control } from './control.ts'
import type { Timing } from './counters.ts'
import type { Human } from './human/human.ts'
import type { Outcome } from './outcome.ts'
import type { Evidence } from './picture/evidence.ts'
import type { Decided } from './record.ts'
import type { LiveTree } from './see/live-tree.ts'
import type { Moment } from './see/resolve.ts'
import { patient, type Verifier } from './verify/verification.ts'
import { summary } from './words.ts'

/** How long an action waits for its target to become operable. */
const READY_MS = 1_000

interface CarryOutNeeds {
  tree: LiveTree
  control: Control
  human: Human
  leases: LeaseQueue
  readiness: Readiness
  actor: Actor
  verifier: Verifier
  evidence: Evidence
}

/** A decided call that may act. */
export interface Job {
  decided: Decided
  /** When the targets were resolved. */
  resolved: Moment
  consent?: Approval
  signal: AbortSignal
  timing?: Timing
}

/** The same with what it has sent by now. */
interface Underway extends Job {
  count: SendCount
}

/** From the decision to the verified effect. */
export class CarryOut {
  readonly #on: CarryOutNeeds

  constructor(needs: CarryOutNeeds) {
    this.#on = needs
  }

  /** Never throws: what goes wrong is the failure of the outcome. The rules may ask for evidence of how things looked before and after. */
  async run(job: Job): Promise<Outcome> {
    const { evidence, verifier } = this.#on
    const { verify } = job.decided.decision.obligations
    const decided = verify ? { ...job.decided, action: patient(job.decided.action) } : job.decided
    const count = new SendCount()
    let before: Kept['before']
    try {
      before = await evidence.keep(decided)
      const outcome = await this.#onRoute({ ...job, decided, count })
      const after = await evidence.keep(decided)
      const proven = this.#beside(decided, verify ? verifier.demanded(job.decided, outcome) : outcome)
      return { ...proven, evidence: joined(proven.evidence, before, after) }
    } catch (thrown) {
      const failure = this.#withModal(decided, DeskhandError.from(job.signal.aborted ? job.signal.reason : thrown))
      // A guard that ended the call left something unsent, though every step before was sent whole.
      const sent = failure.code === 'GUARD_BROKEN' && count.sent === 'all' ? 'partial' : count.sent
      const after = sent === 'none' ? undefined : await evidence.keep(decided).catch(() => undefined)
      return { sent, effect: sent === 'none' ? 'refused' : 'unverified', failure, evidence: joined(undefined, before, after) }
    }
  }

  /** An action without effect says which dialog has the application's input. */
  #beside(decided: Decided, outcome: Outcome): Outcome {
    const modal = outcome.effect === 'no_effect' ? this.#on.readiness.modalOver(decided) : undefined
    return modal === undefined
      ? outcome
      : { ...outcome, text: [outcome.text, `${modal} is open and takes all input`].filter(Boolean).join('\n') }
  }

  /** What cannot be operated behind a modal dialog can be once that is answered. */
  #withModal(decided: Decided, failure: DeskhandError): DeskhandError {
    const modal = BLOCKED.has(failure.code) ? this.#on.readiness.modalOver(decided) : undefined
    if (modal === undefined) return failure
    const { code, message, details } = failure
    // Some drivers name the dialog themselves.
    const told = message.includes(modal.replace(/^e\d+ /, ''))
      ? message
      : `${message.replace(/\.$/, '')}; ${modal} is open and takes all input`
    return new DeskhandError(code, told, {
      next: `Answer ${modal} first.`,
      details,
      cause: failure,
    })
  }

  /** The route that was decided on. Where it cannot be taken, the next one is decided on; one that is refused is passed over while others are left. */
  async #onRoute(job: Underway): Promise<Outcome> {
    let { decided } = job
    let { routes } = decided
    for (;;) {
      const tried = await this.#whenReady({ ...job, decided })
      if (!('why' in tried)) return tried
      routes = without(routes, tried.unreached)
      let refused = tried.why
      for (; routes.length > 0; routes = routes.slice(1)) {
        const next = await this.#on.actor.judge({ ...job, decided }, routes).catch(DeskhandError.from)
        if (!(next instanceof DeskhandError)) {
          decided = next
          break
        }
        refused = next
      }
      if (routes.length === 0) throw refused
    }
  }

  /** Waits for a target that is disabled, hidden or covered, up to the call's deadline. */
  async #whenReady(job: Underway): Promise<Outcome | NotTaken> {
    const { tree, control, human, leases, readiness, actor, verifier } = this.#on
    const { decided, signal } = job
    const { action, call } = decided
    const text = await actor.textOf(decided)
    const deadline = 'timeoutMs' in action ? action.timeoutMs : undefined
    const patience = Date.now() + (deadline ?? human.settings.waitMs)
    let end: number | undefined
    for (;;) {
      await control.mayAct(action, signal, call.lease)
      const isBeside = human.takenBy === undefined && besidePerson(action, decided.targets, tree.activeWindow)
      if (!isBeside && human.paused) await human.mustLeave(patience - Date.now(), signal)
      end ??= Date.now() + (deadline ?? READY_MS)
      await actor.reveal(decided, signal)
      await readiness.untilOperable(decided, end, signal)
      await untilHeeded(decided.targets, tree, signal)
      await untilSelected(verifier.selected, action, tree, signal)
      const outcome = await leases.with(call.lease, signal, (lease) => this.#attempt(job, lease, text))
      if (outcome === 'human') {
        end = undefined
        continue
      }
      if (outcome !== 'covered') return outcome
      if (decided.routes.length > 1) return { unreached: 'covered', why: COVERED }
      const left = end - Date.now()
      if (left > 0 && (await tree.changed(left, signal))) continue
      const facts = decided.targets.map((t) => t.facts)
      const over = await readiness.obstructionName(decided)
      throw new DeskhandError('NOT_ACTIONABLE', `${summary(action, facts)}: ${over} lies over it and would receive the event`)
    }
  }

  /**
   * One go under one lease, from re-check to verify. `covered`: nothing was sent, as the target would not have received it.
   * `human`: nothing was sent, as a person took the controls.
   */
  async #attempt(job: Underway, lease: InputLease, text: string | undefined): Promise<Outcome | NotTaken | 'covered' | 'human'> {
    const { readiness, verifier, actor } = this.#on
    const { signal, count, consent, timing } = job
    const checked = await readiness.recheck(job)
    const decided: Decided = { ...job.decided, targets: checked.targets }
    const before = await verifier.before(decided)
    const was = count.sent
    await lease.ready()
    const sent = await actor.act({ decided, consent, signal }, { ...checked, text, lease: count.over(lease) })
    if (isUnreached(sent)) {
      count.backTo(was)
      return sent
    }
    if (sent.broken === 'hit' && sent.sent === 'none') return 'covered'
    if (sent.broken === 'human' && count.sent === 'none') return 'human'
    this.#mustBeWhole(sent)
    const acted = { decided, fresh: checked.fresh[0], text, sent, before, signal }
    timing?.mark('act')
    const proof = await verifier.verify(acted)
    timing?.mark('verify')
    return { sent: sent.sent, via: sent.via, data: sent.detail, ...proof }
  }

  #mustBeWhole({ sent, broken, units }: Sent): void {
    const { human, control } = this.#on
    if (broken === 'human') throw human.refusal(`it was broken off after ${units} events`)
    if (sent === 'partial' && human.takenBy !== undefined) throw human.refusal(`it was broken off after ${units} events`)
    if (broken !== undefined) throw new DeskhandError('GUARD_BROKEN', `the ${broken} was no longer the target's`)
    if (sent === 'partial') throw new DeskhandError(control.stopped ? 'STOPPED' : 'LEASE_LOST', `only ${units} events were sent`)
  }
}

/** A route that could not be taken; `covered`: for now, as something lies over the target. */
type NotTaken = { unreached: Unreached['unreached'] | 'covered'; why: DeskhandError }

const BLOCKED: ReadonlySet<string> = new Set(['NOT_ACTIONABLE', 'NOT_CAPABLE', 'GUARD_BROKEN'])

const COVERED = new DeskhandError('NOT_ACTIONABLE', 'something lies over the element')

/** The routes that are left when this part of the first one is not to be had. */
function without([tried, ...others]: readonly Route[], part: NotTaken['unreached']): readonly Route[] {
  return part === 'covered' ? others : others.filter((route) => route[part] !== tried?.[part])
}

type Kept = NonNullable<Result['evidence']>

function joined(evidence: Kept | undefined, before: Kept['before'], after: Kept['after']): Result['evidence'] {
  if (evidence === undefined && before === undefined && after === undefined) return undefined
  return { ...evidence, ...(before && { before }), ...(after && { after }) }
}
