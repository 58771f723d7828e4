import { hash } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import type { Journal } from '../journal/index.ts'
import {
  ending,
  TRAITS,
  type Action,
  type Decision,
  type Principal,
  type Result,
  type Risk,
  type Route,
  type TargetFacts,
} from '../model/index.ts'
import type { Policy, ScreenText, Setting } from '../policy/index.ts'
import { privateText } from '../redaction/index.ts'
import type { Call } from './call.ts'
import type { Question } from './decide/ask.ts'
import type { Shown } from './decide/bound-approvals.ts'
import { consentName } from './decide/consent.ts'
import type { Verdict } from './decide/decide.ts'
import { bind, callDigest } from './decide/digest.ts'
import type { Outcome } from './outcome.ts'
import type { Redactor } from './ports.ts'
import { Allowance } from './allowance.ts'
import { committed, runsOn } from './committed.ts'
import type { See } from './see/see.ts'
import type { Resolved } from './see/targets.ts'
import { asQuestion, resolvedTarget, screenTexts, summary } from './words.ts'

/** What an entry takes beside what the call brings along. */
const ENTRY_BYTES = 600
const RANK: readonly Decision['verdict'][] = ['deny', 'ask_user', 'allow']
/** How much of the arguments of a call that does nothing is kept. */
const LONGEST_IDLE = 16 * 1024

/** How far a target may move within its window before an answer is void. */
const TOLERANCE_PX = 8

/** A call that has an id and is not decided yet. */
export interface Begun {
  call: Call
  op: string
  startedAt: number
}

/** A call with what it would touch and what was decided about it. */
export interface Decided extends Begun {
  action: Action
  targets: readonly Resolved[]
  risk: Risk
  decision: Decision
  /** The way that was judged first; acting takes it and no other. Those behind it are judged where it cannot be taken. */
  routes: readonly Route[]
  /** What was counted when it was decided, so that judging it once more does not count it twice. */
  counted?: Verdict['counted']
  /** The picture that a person was shown with the question. */
  cropHash?: string
}

export interface RecorderNeeds {
  /** What every result says of its place: the URN of the desktop, and its driver. */
  place(): Pick<Result, 'desktop' | 'driver'>
  journal: Journal
  /** What was sent is on the disk before and after. */
  durable: boolean
  redactor: Redactor
  policy(): Policy
  setting(): Setting
  see: See
  shown: ScreenText
}

/** Writes a call's entries in order and makes its result. Durable entries are on the disk before the call goes on. */
export class Recorder {
  readonly #on: RecorderNeeds
  readonly #allowance = new Allowance()
  /** Agents that sent input, the latest last. */
  readonly #actors = new Map<string, Principal>()

  constructor(needs: RecorderNeeds) {
    this.#on = needs
  }

  begin(call: Call, op: string): Begun {
    return { call, op, startedAt: performance.now() }
  }

  /** `route`: the way that was judged, where that is not the first one of the call. */
  async decided(begun: Begun, action: Action, targets: readonly Resolved[], verdict: Verdict, route?: Route): Promise<Decided> {
    const { journal, redactor, policy } = this.#on
    const { risk, decision, routes, carried, held, counted, consent } = verdict
    const decided: Decided = { ...begun, action, targets, risk, decision, routes, counted }
    const { call, op } = begun
    const { desktop, driver, mode } = this.#on.setting()
    const isIdle = call.dryRun === true || decision.verdict === 'deny'
    const args = isIdle ? this.#short(this.#args(decided)) : this.#args(decided)
    const facts = this.#clean(factsOf(targets), decision)
    if (isIdle) await this.#pay(call, [args, facts, risk, decision, call.intent])
    await journal.append({
      type: 'decided',
      op,
      callId: call.callId,
      call: call.callId === undefined ? undefined : callDigest(redactor, call),
      tool: call.tool,
      kind: action.do,
      setting: { desktop, driver, mode },
      args,
      codeHash: action.do === 'code' && action.code !== undefined ? hash('sha256', action.code) : undefined,
      principal: call.principal,
      intent: call.intent === undefined ? undefined : redactor.text(call.intent),
      origin: call.origin,
      playbook: call.playbook,
      dryRun: call.dryRun,
      targets: facts,
      carried: carried === undefined ? undefined : this.#clean([...carried], decision),
      held: held && this.#clean(held, decision),
      route,
      risk,
      decision: consent === undefined ? decision : { ...decision, reason: `${decision.reason} (covered by ${consentName(consent)})` },
      policy: policy().version,
    })
    return decided
  }

  /** Input is about to be sent to these targets. */
  async acting(decided: Decided, targets: readonly Resolved[], digest: string | undefined, prefix = ''): Promise<void> {
    const steps = [`${prefix}${this.words(decided, targets)}`]
    await this.#on.journal.append({ type: 'acting', op: decided.op, steps, digest }, { durable: this.#on.durable })
    const { principal } = decided.call
    if (principal.role !== 'agent') return
    this.#actors.delete(principal.id)
    this.#actors.set(principal.id, principal)
  }

  /** Of the agents that sent input, the one whom the rules give least; of several the one that did so last. */
  weakest(verdictFor: (principal: Principal) => Decision['verdict']): Principal | undefined {
    const found = [...this.#actors.values()].toReversed().map((by) => ({ by, rank: RANK.indexOf(verdictFor(by)) }))
    return found.toSorted((a, b) => a.rank - b.rank)[0]?.by
  }

  /** What a person is asked. */
  question(decided: Decided, shown?: Shown): Question {
    const { call, op, action, targets, risk, decision } = decided
    const facts = factsOf(targets)
    return {
      op,
      digest: bind(call.tool, call.args, facts, this.#on.policy().version),
      tool: call.tool,
      summary: this.words(decided, targets),
      args: this.#args(decided),
      principal: call.principal,
      targets: this.#clean(facts, decision),
      risk,
      decision,
      tolerancePx: TOLERANCE_PX,
      ...(shown === undefined ? {} : this.#clean(shown, decision)),
      question: action.do === 'ask' ? this.#redacted(asQuestion(action)) : undefined,
    }
  }

  /** The action on these targets in one line, as it may be kept and shown. */
  words({ action, decision }: Decided, targets: readonly Resolved[]): string {
    return this.#clean(summary(action, factsOf(targets)), decision)
  }

  /** The result of a call that was only decided. */
  rehearsed(decided: Decided): Result {
    const { verdict, reason } = decided.decision
    return ending({ ...this.#base(decided), status: 'success', sent: 'none', effect: 'none', text: `would be: ${verdict}. ${reason}` })
  }

  async done(decided: Decided, outcome: Outcome): Promise<Result> {
    const { failure, ...rest } = outcome
    const status = failure === undefined ? 'success' : 'error'
    const error = failure && sayingWhatWasSent(failure, decided, rest.sent).toJSON()
    const evidence = withCrop(rest.evidence, decided)
    const result = ending({ ...this.#base(decided), status, ...rest, evidence, error })
    await this.#close(decided, result)
    return this.#leaving(decided, result)
  }

  /** The result of a call that threw, however far it had come. */
  async failed(begun: Begun | Decided, thrown: unknown, sent: Result['sent']): Promise<Result> {
    const error = sayingWhatWasSent(DeskhandError.from(thrown), begun, sent)
    const evidence = 'decision' in begun ? withCrop(undefined, begun) : undefined
    const effect = sent === 'none' ? 'refused' : 'unverified'
    let result = ending({ ...this.#base(begun), status: 'error', sent, effect, evidence, error: error.toJSON() })
    try {
      await this.#close(begun, result)
    } catch (journal) {
      result = ending({ ...result, error: DeskhandError.from(journal).toJSON() })
    }
    return this.#leaving(begun, result)
  }

  /** Writes down what was refused before it became a call; the error comes back to be thrown. */
  async reject(tool: string, { principal }: Pick<Call, 'principal'>, error: DeskhandError): Promise<DeskhandError> {
    const { journal, redactor } = this.#on
    const message = redactor.text(error.message)
    await this.#pay({ principal }, [tool, message])
    await journal.append({ type: 'rejected', tool, principal, code: error.code, message }, { durable: true })
    return error
  }

  /** The exact value of a secret leaves in nothing, whichever field the screen or an error put it into. */
  #leaving(begun: Begun | Decided, result: Result): Result {
    const decision = 'decision' in begun ? begun.decision : undefined
    const { images, data, ...rest } = result
    screenTexts(begun.call.kind, result, (words) => this.#on.shown.add(words))
    const clean: Result = { ...this.#clean(rest, decision), data: isFrame(data) ? data : this.#clean(data, decision) }
    return images === undefined ? clean : { ...clean, images }
  }

  async #close(begun: Begun | Decided, result: Result): Promise<void> {
    const { journal, redactor } = this.#on
    const { op, call, startedAt } = begun
    if (!('decision' in begun)) {
      const { code = 'INTERNAL', message = '' } = result.error ?? {}
      await this.#pay(call, [call.tool, message])
      await journal.append({ type: 'rejected', tool: call.tool, principal: call.principal, code, message: redactor.text(message) })
      return
    }
    const { status, sent, effect, via, evidence } = result
    const verification = this.#verification(begun, result.verification)
    const ms = Math.round((performance.now() - startedAt) * 1000) / 1000
    await journal.append(
      { type: 'done', op, status, code: result.error?.code, sent, effect, via, verification, evidence, ms },
      { durable: this.#on.durable && sent !== 'none' },
    )
  }

  #base(begun: Begun | Decided): Pick<Result, 'op' | 'desktop' | 'driver' | 'resolvedTarget' | 'decision' | 'risk'> {
    const common = { op: begun.op, ...this.#on.place() }
    if (!('decision' in begun)) return common
    const { call, targets, decision, risk } = begun
    const first = targets[0]?.facts
    const known = first?.key === undefined || this.#on.see(call.principal).see(first.key) !== undefined || decision.code === undefined
    // Risk names what kind of application it is; a caller that may not know of it learns nothing.
    return { ...common, resolvedTarget: known ? resolvedTarget(first) : undefined, decision, risk: known ? risk : undefined }
  }

  /** What is added to an answer, as it may be shown. */
  presentable<T>(value: T, decision: Decision | undefined): T {
    return this.#clean(value, decision)
  }

  /** What may be kept and shown: no secret, and nothing that looks private where a rule says so. */
  #clean<T>(value: T, decision: Decision | undefined): T {
    const plain = this.#redacted(value)
    return decision?.obligations.redact ? (privateText(this.#on.policy().private).value(plain) as T) : plain
  }

  /** From now on nothing waits for its allowance. */
  release(): void {
    this.#allowance.close()
  }

  /** What does nothing waits here when its caller has written too much of it lately. */
  async #pay({ principal }: Pick<Call, 'principal'>, parts: readonly unknown[]): Promise<void> {
    if (principal.role === 'operator') return
    await this.#allowance.pay(principal.id, ENTRY_BYTES + JSON.stringify(parts).length)
  }

  /** Arguments of a call that does nothing; long ones become a commitment. */
  #short(args: unknown): unknown {
    const text = JSON.stringify(args) ?? ''
    return text.length > LONGEST_IDLE ? { omitted: this.#on.redactor.commit(text) } : args
  }

  #redacted<T>(value: T): T {
    return this.#on.redactor.value(value) as T
  }

  /** What was verified, as it may be kept: the details quote what a field holds, which may be what was typed. */
  #verification({ action, targets, decision }: Decided, told: Result['verification']): Result['verification'] {
    if (told === undefined || !isCommitted(action, targets, decision)) return this.#redacted(told)
    return { passed: told.passed, details: 'not kept, as what was entered is not' }
  }

  /** Arguments as they may be kept: typed text becomes a commitment where the call, a rule or the field asks for it. */
  #args({ action, targets, decision }: Decided): unknown {
    const { do: _, ...args } = action
    // Each step has an entry of its own, redacted as it asks for.
    if (action.do === 'plan') return { actions: action.actions.map((a) => a.tool), ask: action.ask }
    if (isCommitted(action, targets, decision))
      return this.#clean({ ...args, ...committed(action, (text) => this.#on.redactor.commit(text)) }, decision)
    return this.#redacted(args)
  }
}

/** Whether what a call enters is kept as a commitment: because the call, a rule or the field asks for it. */
function isCommitted(action: Action, targets: readonly Resolved[], { obligations }: Decision): boolean {
  const asked = action.do === 'type' && action.redactInLogs
  const hidden = targets.some((t) => t.facts.states?.password) || runsOn(action, targets[0]?.facts)
  return asked || obligations.redact === true || hidden
}

/** Whether a call that ran out of time may be sent again depends on what became of it. */
function sayingWhatWasSent(error: DeskhandError, { call }: Begun, sent: Result['sent']): DeskhandError {
  if (error.code !== 'TIMEOUT' || !TRAITS[call.kind].sends) return error
  return DeskhandError.revive({ ...error.toJSON(), message: `${error.message} (${SENT[sent]})` })
}

const SENT: { [S in Result['sent']]: string } = {
  none: 'nothing was sent',
  partial: 'a part of it was sent',
  all: 'all of it was sent',
  unknown: 'it is not known what was sent',
}

const factsOf = (targets: readonly Resolved[]): TargetFacts[] => targets.map((t) => t.facts)

const withCrop = (evidence: Result['evidence'], { cropHash }: Pick<Decided, 'cropHash'>): Result['evidence'] =>
  cropHash === undefined ? evidence : { ...evidence, cropHash }

const isFrame = (data: unknown): boolean => typeof data === 'object' && data !== null && 'data' in data && data.data instanceof Uint8Array
