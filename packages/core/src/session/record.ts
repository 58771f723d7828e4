import { hash } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import type { Action, ActionOf, Approval, Decision, Effect, Question, ResolvedTarget, Result, Risk, TargetFacts } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import { coverName, type Cover } from './cover.ts'
import { bind } from './digest.ts'
import { maskValue } from './masking.ts'
import type { Call } from './ports.ts'
import type { Resolved } from './resolve.ts'
import type { Session } from './session.ts'
import { witness } from './witness.ts'

/** Whose data holds what the screen says, also where an outline leaves it out or cuts it short. */
const SHOWING: ReadonlySet<string> = new Set(['snapshot', 'query', 'describe'])
const TEXTS: ReadonlySet<string> = new Set(['text', 'name', 'value', 'description', 'title', 'attributes'])
/** How far a target may move within its window before an answer is void. */
const TOLERANCE_PX = 8

/** What a call came to, before it is written down. */
export interface Outcome {
  sent: Result['sent']
  effect: Effect
  via?: string
  verification?: Result['verification']
  evidence?: Result['evidence']
  data?: unknown
  text?: string
  images?: Result['images']
  /** It was carried out, and yet it is a failure: a post-condition that did not hold. */
  failure?: DeskhandError
}

/** Writes a call's entries in order and makes its result. */
export class Record {
  readonly op: string
  readonly call: Call
  /** What was kept of how things looked, whatever becomes of the call. */
  readonly evidence: NonNullable<Result['evidence']> = {}
  readonly #session: Session
  readonly #started: number
  #decided?: { action: Action; targets: Resolved[]; risk: Risk; decision: Decision }

  constructor(session: Session, call: Call, op: string) {
    this.#session = session
    this.call = call
    this.op = op
    this.#started = performance.now()
  }

  async decided(action: Action, targets: Resolved[], risk: Risk, decision: Decision, cover: Cover | undefined): Promise<void> {
    this.#decided = { action, targets, risk, decision }
    const { call } = this
    const { desktop, driver, mode } = this.#session.setting()
    const { redactor } = this.#session.ports
    await this.#session.journal.append({
      type: 'decided',
      op: this.op,
      callId: call.callId,
      tool: call.tool,
      kind: action.do,
      setting: { desktop, driver, mode },
      args: this.#args(),
      codeHash: action.do === 'code' && action.code !== undefined ? hash('sha256', action.code) : undefined,
      principal: call.principal,
      intent: call.intent === undefined ? undefined : redactor.text(call.intent),
      origin: call.origin,
      dryRun: call.dryRun,
      targets: this.#clean(targets.map((t) => t.facts)),
      risk,
      decision: cover === undefined ? decision : { ...decision, reason: `${decision.reason} (covered by ${coverName(cover)})` },
      policy: this.#session.policy.version,
    })
  }

  /** What a person is asked. */
  question(): Omit<Approval, 'id' | 'askedAt' | 'expiresAt'> {
    const { action, targets, risk, decision } = this.#known()
    const facts = targets.map((t) => t.facts)
    return {
      op: this.op,
      digest: bind(this.call.tool, this.call.args, facts, this.#session.policy.version),
      tool: this.call.tool,
      summary: this.words(targets),
      args: this.#args(),
      principal: this.call.principal,
      targets: this.#clean(facts),
      risk,
      decision,
      tolerancePx: TOLERANCE_PX,
      question: action.do === 'ask' ? (this.#session.ports.redactor.value(asQuestion(action)) as Question) : undefined,
    }
  }

  /** The action on these targets in one line, as it may be kept and shown. */
  words(targets: readonly Resolved[]): string {
    return this.#clean(
      summary(
        this.#known().action,
        targets.map((t) => t.facts),
      ),
    )
  }

  /** Keeps what the target's window looks like now, where the rules ask for it. */
  async witness(when: 'before' | 'after'): Promise<void> {
    const { targets, decision } = this.#known()
    const facts = targets.map((t) => t.facts)
    const seen = this.evidence[when] ?? (await witness(this.#session, this.call, facts, decision.obligations))
    if (seen !== undefined) this.evidence[when] = seen
  }

  rehearsed(): Result {
    const { decision } = this.#known()
    return { ...this.#base(), status: 'success', sent: 'none', effect: 'none', text: `would be: ${decision.verdict}. ${decision.reason}` }
  }

  async done(outcome: Outcome): Promise<Result> {
    const { failure, ...rest } = outcome
    const result: Result = { ...this.#base(), status: failure === undefined ? 'success' : 'error', ...rest }
    result.evidence = this.#evidence(rest.evidence)
    if (failure !== undefined) result.error = failure.toJSON()
    await this.#close(result)
    return this.#leaving(result)
  }

  async failed(thrown: unknown, sent: Result['sent']): Promise<Result> {
    const error = DeskhandError.from(thrown)
    const result: Result = {
      ...this.#base(),
      status: 'error',
      sent,
      effect: sent === 'none' ? 'refused' : 'unverified',
      evidence: this.#evidence(),
      error: error.toJSON(),
    }
    try {
      await this.#close(result)
    } catch (journal) {
      result.error = DeskhandError.from(journal).toJSON()
    }
    return this.#leaving(result)
  }

  /** The exact value of a secret leaves in nothing, whichever field the screen or an error put it into. */
  #leaving(result: Result): Result {
    const { images, data, ...rest } = result
    const { text, error } = result
    const told = { text: [text, error?.message], candidates: error?.details, shown: SHOWING.has(this.call.kind) ? data : undefined }
    for (const words of textsIn(told)) this.#session.shown.add(words)
    const clean: Result = { ...this.#clean(rest), data: isFrame(data) ? data : this.#clean(data) }
    return images === undefined ? clean : { ...clean, images }
  }

  async #close(result: Result): Promise<void> {
    const { journal, ports } = this.#session
    if (this.#decided === undefined) {
      const { code = 'INTERNAL', message = '' } = result.error ?? {}
      await journal.append({
        type: 'rejected',
        tool: this.call.tool,
        principal: this.call.principal,
        code,
        message: ports.redactor.text(message),
      })
      return
    }
    const { status, sent, effect, via, verification, evidence } = result
    const ms = Math.round((performance.now() - this.#started) * 1000) / 1000
    await journal.append(
      {
        type: 'done',
        op: this.op,
        status,
        code: result.error?.code,
        sent,
        effect,
        via,
        verification: ports.redactor.value(verification) as typeof verification,
        evidence,
        ms,
      },
      { durable: ports.durable && sent !== 'none' },
    )
  }

  #base(): Pick<Result, 'op' | 'driver' | 'resolvedTarget' | 'decision' | 'risk'> {
    const { kind, name, version } = this.#session.info
    const first = this.#decided?.targets[0]?.facts
    const known =
      first?.key === undefined || this.#session.seen(this.call).see(first.key) !== undefined || this.#decided?.decision.code === undefined
    const facts = known ? first : undefined
    return {
      op: this.op,
      driver: { kind, name, version },
      resolvedTarget: resolvedTarget(facts),
      decision: this.#decided?.decision,
      // Risk names what kind of application it is; a caller that may not know of it learns nothing.
      risk: known ? this.#decided?.risk : undefined,
    }
  }

  #evidence(more: Result['evidence'] = {}): Result['evidence'] {
    const all = { ...this.evidence, ...more }
    return Object.keys(all).length > 0 ? all : undefined
  }

  /** What may be kept and shown: no secret, and nothing that looks private where a rule says so. */
  #clean<T>(value: T): T {
    const plain = this.#session.ports.redactor.value(value)
    return (this.#decided?.decision.obligations.redact ? maskValue(plain) : plain) as T
  }

  /** Arguments as they may be kept: typed text becomes a commitment where the call, a rule or the field asks for it. */
  #args(): unknown {
    const { action, targets, decision } = this.#known()
    const { redactor } = this.#session.ports
    const { do: _, ...args } = action
    // Each step has an entry of its own, redacted as it asks for.
    if (action.do === 'plan') return { actions: action.actions.map((a) => a.tool), ask: action.ask }
    const asked = action.do === 'type' && action.redactInLogs
    if (asked || decision.obligations.redact === true || targets.some((t) => t.facts.states?.password))
      return this.#clean({ ...args, ...committed(action, (text) => redactor.commit(text)) })
    return redactor.value(args)
  }

  #known(): { action: Action; targets: Resolved[]; risk: Risk; decision: Decision } {
    if (this.#decided === undefined) throw new DeskhandError('INTERNAL', 'nothing is decided yet')
    return this.#decided
  }
}

/** What an action would enter, as commitments; chords and named keys stay, as they are no text. */
function committed(action: Action, commit: (text: string) => unknown): object {
  switch (action.do) {
    case 'type':
    case 'clipboard_write':
      return action.text === undefined ? {} : { text: commit(action.text) }
    case 'code':
      return action.code === undefined ? {} : { code: commit(action.code) }
    case 'key':
      return [action.keys].flat().some((chord) => isCharacter(chord)) ? { keys: commit([action.keys].flat().join(' ')) } : {}
    case 'keys':
      return action.events.some((e) => 'key' in e && isCharacter(e.key)) ? { events: commit(JSON.stringify(action.events)) } : {}
    default:
      return {}
  }
}

const isCharacter = (key: string): boolean => [...key].length === 1

function asQuestion({ question: kind, title, message, buttons, default: initial }: ActionOf<'ask'>): Question {
  return { kind, title, message, buttons, default: initial }
}

export function summary(action: Action, targets: readonly TargetFacts[]): string {
  if (action.do === 'ask') return `${action.question}: ${clip(action.message)}`
  const what = targets.map((t) => `${t.role}${t.name === undefined ? '' : ` ${clip(t.name)}`}`).join(' to ')
  const where = targets[0]?.window?.title
  return `${action.do}${what === '' ? '' : ` ${what}`}${where === undefined ? '' : ` in ${clip(where)}`}`
}

/** Every text in an answer that may have come from the screen. */
function* textsIn(value: unknown, isText = false): Generator<string> {
  if (typeof value === 'string' && isText) yield value
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) yield* textsIn(part, isText || TEXTS.has(name))
}

const isFrame = (data: unknown): boolean => typeof data === 'object' && data !== null && 'data' in data && data.data instanceof Uint8Array

function resolvedTarget(f: TargetFacts | undefined): ResolvedTarget | undefined {
  if (f === undefined || f.source === 'none') return undefined
  return {
    elementId: f.elementId,
    role: f.role,
    name: f.name,
    bounds: f.bounds,
    confidence: f.confidence,
    why: f.why,
    app: f.app?.name,
    window: f.window?.title,
  }
}
