import { DeskhandError } from '../errors.ts'
import { isKind, TRAITS, type Action, type ActionKind, type ActionOf, type Plan, type PlannedStep, type PlanStep } from '../model/index.ts'
import type { Policy } from '../policy/index.ts'
import { visible } from '../selector/index.ts'
import type { Call } from './call.ts'
import type { Control } from './control.ts'
import { beyondGrants, type Approvals } from './decide/approvals.ts'
import type { Asker, Asking, Question } from './decide/ask.ts'
import type { Decider } from './decide/decide.ts'
import { copies, mayPaste } from './decide/clipboard.ts'
import { bind } from './decide/digest.ts'
import { Foresight } from './decide/foresight.ts'
import { LOOKED, type Outcome } from './outcome.ts'
import { parseCall } from './parse-call.ts'
import type { Redactor } from './ports.ts'
import type { Decided, Recorder } from './record.ts'
import { mustBeExpected } from './see/expected.ts'
import type { Resolver } from './see/resolve.ts'
import type { Resolved } from './see/targets.ts'

/** A step as a person is asked about it, and as the agent may know it. */
interface Rehearsed {
  planned: PlannedStep
  shown: PlanStep
  /** What it would touch now. */
  targets: readonly Resolved[]
  /** What it does with the clipboard. */
  clipboard?: 'fills' | 'enters'
}

/** What is known of the steps before one. */
interface Ahead {
  foresight: Foresight
  /** One of them puts something on the clipboard. */
  isFilled: boolean
  signal: AbortSignal
}

interface RehearserNeeds {
  control: Control
  resolver: Resolver
  decider: Decider
  recorder: Recorder
  asker: Asker
  approvals: Approvals
  policy(): Policy
  redactor: Redactor
}

/** Rehearses plans: resolves and decides every step against the desktop as it is, and does none of them. */
export class Rehearser {
  readonly #on: RehearserNeeds

  constructor(needs: RehearserNeeds) {
    this.#on = needs
  }

  /** Each step is written down under the plan's operation. */
  async rehearse(plan: Decided, action: ActionOf<'plan'>, asking: Asking): Promise<Outcome> {
    const { signal } = asking
    const foresight = new Foresight()
    const steps: Rehearsed[] = []
    for (const [i, one] of action.actions.entries()) {
      signal.throwIfAborted()
      const isFilled = steps.some((step) => step.clipboard === 'fills')
      steps.push(await this.#step(plan, i + 1, one, { foresight, isFilled, signal }))
    }
    const shown = steps.map((step) => step.shown)
    const unknown = shown.filter((step) => step.state === 'unknown').length
    const approval = action.ask ? await this.#agreed(plan, steps, asking) : undefined
    const data: Plan = { steps: shown, known: shown.length - unknown, unknown, approval }
    return { ...LOOKED, data, text: planText(data, steps) }
  }

  async #step(
    plan: Decided,
    n: number,
    one: ActionOf<'plan'>['actions'][number],
    { foresight, isFilled, signal }: Ahead,
  ): Promise<Rehearsed> {
    const { control, resolver, decider, recorder, redactor } = this.#on
    const { tool, args = {}, expects } = one
    const { principal, playbook } = plan.call
    const call: Call = { tool, kind: kindOf(one.kind), args, principal, playbook, expects, dryRun: true }
    const begun = recorder.begin(call, `${plan.op}.${n}`)
    const bound = { call: bind(tool, args, [], ''), reads: TRAITS[call.kind].reads }
    let action: Action | undefined
    let decided: Decided | undefined
    try {
      action = parseCall(call)
      control.refuseWhileStopped(action)
      const targets = await resolver.resolve(action, call, signal)
      if (!isFilled) await decider.lookAtClipboard(call, action, targets, signal)
      const verdict = decider.decide(call, action, targets)
      decided = await recorder.decided(begun, action, targets, verdict)
      if (verdict.decision.verdict !== 'deny') {
        mustBeExpected(call.expects, targets)
        await resolver.mustBeThere(action)
      }
      const { summary, digest, args: kept, targets: facts } = recorder.question(decided)
      const { risk, decision, consent } = verdict
      const why = foresight.doubt(action, facts)
      if (decision.verdict !== 'deny') foresight.took(n, action, facts)
      const state = why === undefined ? 'known' : 'unknown'
      const asks = decision.verdict === 'ask_user' && consent === undefined
      const needs = state === 'unknown' ? 'grant' : !asks ? 'nothing' : beyondGrants(risk.level) ? 'question' : 'plan'
      const step: PlanStep = { n, tool, summary, state, why, needs, risk, decision }
      const { resolvedTarget, risk: told } = recorder.rehearsed(decided)
      // What a caller may not know of has no name here either.
      const hidden = resolvedTarget === undefined && facts.length > 0 && told === undefined
      return {
        planned: { ...step, ...bound, target: resolvedTarget, args: kept, targets: facts, digest },
        shown: { ...step, target: resolvedTarget, risk: told, summary: hidden ? action.do : summary },
        targets,
        clipboard: action.do === 'clipboard_write' || copies(action, facts) ? 'fills' : mayPaste(action, facts) ? 'enters' : undefined,
      }
    } catch (thrown) {
      const { error } = await recorder.failed(decided ?? begun, signal.aborted ? signal.reason : thrown, 'none')
      const why = action && foresight.hope(DeskhandError.from(thrown).code)
      const step: PlanStep = { n, tool, summary: call.kind, state: 'known', needs: 'nothing', error }
      const shown: PlanStep = why === undefined ? step : { n, tool, summary: call.kind, state: 'unknown', why, needs: 'grant' }
      if (action !== undefined && why !== undefined) foresight.lost(n, action)
      return { shown, targets: [], planned: { ...shown, ...bound, args: redactor.value(args), targets: [], digest: '' } }
    }
  }

  /** One question for all the steps that need one; undefined where none does. */
  async #agreed(plan: Decided, rehearsed: readonly Rehearsed[], asking: Asking): Promise<string | undefined> {
    const { recorder, asker, approvals, policy } = this.#on
    const steps = rehearsed.map(({ planned }) => planned)
    const unasked = steps.find((step) => step.decision?.code === 'APPROVAL_NEEDED')
    if (unasked !== undefined) throw new DeskhandError('APPROVAL_NEEDED', `step ${unasked.n}: ${unasked.decision?.reason}`)
    const covered = steps.filter((step) => step.needs === 'plan')
    const open = steps.filter((step) => step.needs === 'grant' && !step.reads)
    if (covered.length + open.length === 0) return undefined
    const [weightiest] = covered.toSorted((a, b) => (b.risk?.score ?? 0) - (a.risk?.score ?? 0))
    const calls = steps.map((step) => step.digest || step.call)
    const about: Question = {
      ...recorder.question(plan),
      digest: bind(plan.call.tool, calls, [], policy().version),
      summary: `a plan of ${steps.length} steps: ${covered.length} to agree to, ${open.length} unknown`,
      args: {},
      steps,
      risk: weightiest?.risk ?? { level: 'low', score: 0, factors: [] },
      decision: weightiest?.decision ?? { verdict: 'ask_user', reason: 'What its steps will touch is not known yet.', obligations: {} },
    }
    const agreedTo = rehearsed.flatMap(({ planned: { n, tool, needs }, targets, clipboard }, i) => {
      const earlier = rehearsed.slice(0, i)
      const pastes = clipboard === 'enters' && !earlier.some((one) => one.clipboard === 'fills')
      return needs === 'plan' ? [{ n, tool, targets, pastes, before: earlier.flatMap((one) => one.targets) }] : []
    })
    const { approval, answer } = await asker.mustAgreeToPlan({ ...asking, question: () => about }, agreedTo)
    approvals.plans.approve(approval, answer.by)
    return approval.id
  }
}

function kindOf(kind: string): ActionKind {
  if (isKind(kind) && kind !== 'plan') return kind
  throw new DeskhandError('BAD_ARGS', `${kind} is no action that can be planned`)
}

/** The plan as a model and a person read it. */
function planText({ steps, known, unknown, approval }: Plan, rehearsed: readonly Rehearsed[]): string {
  const lines = steps.map((s, i) => {
    // A tool that acts and would do nothing here, or not yet, is rehearsed as its look.
    const own = rehearsed[i]?.planned.reads && s.target !== undefined ? `${s.tool} only looks: ` : ''
    return `${s.n}. ${own}${s.summary}: ${fate(s, approval !== undefined)}`
  })
  const head = `${steps.length} steps, ${known} known, ${unknown} unknown. Nothing was done.`
  const tail = approval === undefined ? [] : [`Agreed as ${approval}: make these calls one by one, in this order and exactly like this.`]
  return [head, ...lines, ...tail].join('\n')
}

function fate({ state, why, needs, decision, risk, error }: PlanStep, agreedTo: boolean): string {
  if (error !== undefined) return `would fail. ${error.code}: ${visible(error.message)}`
  if (state === 'unknown') return `unknown: ${why}`
  const factors = risk === undefined || risk.level === 'low' ? '' : ` (${risk.level} risk: ${risk.factors.map((f) => f.detail).join('; ')})`
  if (decision?.verdict === 'deny') return `denied. ${decision.reason}`
  if (needs === 'question') return `a person is asked when it comes${factors}`
  if (needs === 'plan') return `${agreedTo ? 'a person agreed' : 'a person has to agree'}${factors}`
  return `passes${factors}`
}
