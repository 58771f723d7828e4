import { DeskhandError } from '../../errors.ts'
import type { Journal } from '../../journal/index.ts'
import type { Action, ActionOf, Answer, Approval, Obligations, Principal, TargetFacts } from '../../model/index.ts'
import type { Call, Waiting } from '../call.ts'
import { LOOKED, type Outcome } from '../outcome.ts'
import type { Resolved } from '../see/targets.ts'
import type { Approvals, Crop } from './approvals.ts'
import type { AgreedStep, BoundApprovals, Shown } from './bound-approvals.ts'
import { isOnlySeen } from './bound-pictures.ts'
import { mayPaste, pastesNothingElse, pastesSelection } from './clipboard.ts'
import type { Consent } from './consent.ts'

/** What a person is asked, before it has an id and a time. */
export type Question = Omit<Approval, 'id' | 'askedAt' | 'expiresAt'>

/** A call that waits for a person. */
export interface Asking {
  call: Call
  op: string
  action: Action
  /** What it would touch; the answer is bound to what stands around it. */
  targets: readonly Resolved[]
  question(shown?: Shown): Question
  signal: AbortSignal
  waiting: Waiting
}

/** What a question came to: an answer, or why the call must not go on. */
export interface Asked {
  approval: Approval
  answer?: Answer
  refused?: DeskhandError
}

interface AskerNeeds {
  approvals: Approvals
  journal: Journal
  bound: BoundApprovals
  /** The surroundings of what would be touched, where a picture of it may be shown. */
  crop(call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Crop | undefined>
  /** The same once more, to be compared and not kept. */
  look(call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Uint8Array | undefined>
}

/** A person who looks at the picture does not answer sooner. */
const PICTURE_MS = 30

/** Puts questions to a person and writes down what they answer. */
export class Asker {
  readonly #on: AskerNeeds

  constructor(needs: AskerNeeds) {
    this.#on = needs
  }

  /** Asks a person whether a call may go on. Throws where it cannot be asked at all. */
  async ask(asking: Asking): Promise<Asked> {
    const asked = await this.#ask(asking)
    const { approval, answer } = asked
    return answer === undefined || answer.allow ? asked : { ...asked, refused: denied(approval, answer) }
  }

  /** Resolves when a person agrees to a plan; each of its steps is bound to what stands around it now. */
  async mustAgreeToPlan(asking: Asking, steps: readonly AgreedStep[]): Promise<{ approval: Approval; answer: Answer }> {
    const bind = await this.#on.bound.lookAhead({ op: asking.op, principal: asking.call.principal }, steps)
    const { approval, answer, refused } = await this.ask(asking)
    if (answer === undefined || refused !== undefined) throw refused
    bind(approval.id)
    return { approval, answer }
  }

  /** The consent that a plan gave to this call, where one did; every use of it is written down. */
  async consentOfPlan(op: string, consent: Consent | undefined): Promise<Approval | undefined> {
    if (consent?.by !== 'plan' || consent.planned.consent === undefined) return undefined
    const { approval, by, consent: given } = consent.planned
    await this.#on.journal.append({ type: 'answered', op, approval, allow: true, scope: 'plan', by, digest: given.digest })
    return given
  }

  /** Puts a script's question to a person; a question that they close has no answer. */
  async putQuestion(action: ActionOf<'ask'>, asking: Asking): Promise<Outcome> {
    const patience = new AbortController()
    const late = (): void => patience.abort(new DeskhandError('APPROVAL_EXPIRED', 'the question was not answered in time'))
    const timer = action.timeoutMs === undefined ? undefined : setTimeout(late, action.timeoutMs)
    try {
      const signal = AbortSignal.any([asking.signal, patience.signal])
      const { approval, answer, refused } = await this.#ask({ ...asking, signal })
      this.forget(approval)
      if (answer === undefined) throw refused
      const given = answer.text ?? action.buttons?.[0] ?? action.default ?? ''
      return { ...LOOKED, data: { answer: answer.allow ? given : null } }
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask({ call, op: asking, action, targets, question, signal, waiting }: Asking): Promise<Asked> {
    const { approvals, journal, bound } = this.#on
    await call.lease?.rest()
    const around = bound.look({ op: asking, ...call }, targets)
    const facts = targets.map((t) => t.facts)
    const held = call.lease?.held
    if (around !== undefined && mayPaste(action, facts, held)) {
      around.pastesSelection = pastesSelection(action, facts, held)
      if (!pastesNothingElse(action, facts, held)) around.copied = await bound.clipboardText()
    }
    const over = new AbortController()
    const { approval, answer: coming } = approvals.ask(question(around && bound.shown(around)), signal)
    if (around !== undefined) bound.watch(approval, around, (error) => approvals.void(approval.id, error), over.signal).catch(() => {})
    const picture = setTimeout(() => void this.#picture(call, approval, over.signal).catch(() => {}), PICTURE_MS)
    picture.unref()
    waiting(approval.id)
    let answer: Answer
    try {
      answer = await coming
    } catch (thrown) {
      bound.forget(approval.id)
      return { approval, refused: DeskhandError.from(thrown) }
    } finally {
      over.abort()
      clearTimeout(picture)
      waiting()
    }
    const { allow, scope, reason, by, channel = 'program', surface } = answer
    const { buttons } = approval.question ?? {}
    const button = allow && buttons !== undefined ? (answer.text ?? buttons[0]) : undefined
    const { op, digest, shownAt } = approval
    const how = { by, channel, surface, shownAt }
    await journal.append({ type: 'answered', op, approval: approval.id, allow, scope, reason, button, ...how, digest })
    return { approval, answer }
  }

  /** A call is about to send input: questions of others about the same windows are void. */
  disturb(by: { op: string; principal: Principal }, targets: readonly Resolved[]): void {
    this.#on.bound.disturb(by, targets, (id, error) => this.#on.approvals.void(id, error))
  }

  /** The call that an answer was for is over. */
  forget(approval: Approval | undefined): void {
    if (approval !== undefined) this.#on.bound.forget(approval.id)
  }

  /** The question does not wait for its picture; one that comes too late was not seen. */
  async #picture(call: Call, approval: Approval, signal: AbortSignal): Promise<void> {
    const { crop, look, approvals, bound } = this.#on
    const { id, targets, decision } = approval
    const shown = await crop(call, targets, decision.obligations)
    if (shown === undefined || !approvals.show(id, shown) || !targets.some(isOnlySeen)) return
    const changes = await bound.pictures.bind(id, shown.png, () => look(call, targets, decision.obligations), signal)
    if (!changes) return
    approval.leftOut = [...(approval.leftOut ?? []), 'its picture']
    approvals.show(id, shown)
  }
}

/** What was answered without being before a person is never told as a person's no. */
function denied({ shownAt }: Approval, { by, reason, channel = 'program', surface }: Answer): DeskhandError {
  const why = reason === undefined ? '' : `: ${reason}`
  if (shownAt !== undefined) return new DeskhandError('APPROVAL_DENIED', `${by.id} said no${why}`)
  const from = surface === undefined ? channel : `${channel}, ${surface}`
  return new DeskhandError('APPROVAL_DENIED', `refused for ${by.id} (${from}) without being shown to a person${why}`, {
    next: 'No person saw this question; read the reason and do something else.',
  })
}
