import { DeskhandError } from '../errors.ts'
import { ACTIONS, READS, type Action, type ActionKind, type ActionOf, type Plan, type PlannedStep, type PlanStep } from '../model/index.ts'
import { visible } from '../selector/index.ts'
import { beyond } from './approvals.ts'
import { agree, type Waiting } from './asking.ts'
import { judge } from './deciding.ts'
import { bind } from './digest.ts'
import { Foresight } from './foresight.ts'
import { parseCall } from './perform.ts'
import type { Call } from './ports.ts'
import { Record, type Outcome } from './record.ts'
import type { Session } from './session.ts'

/** A step as a person is asked about it, and as the agent may know it. */
interface Rehearsed {
  planned: PlannedStep
  shown: PlanStep
}

/** Resolves and decides every step against the desktop as it is, and does none of them. Each is written down under the plan's operation. */
export async function rehearse(
  s: Session,
  action: ActionOf<'plan'>,
  record: Record,
  signal: AbortSignal,
  waiting: Waiting,
): Promise<Outcome> {
  const foresight = new Foresight()
  const steps: Rehearsed[] = []
  for (const [i, one] of action.actions.entries()) {
    signal.throwIfAborted()
    steps.push(await rehearseStep(s, record, i + 1, one, foresight, signal))
  }
  const shown = steps.map((step) => step.shown)
  const unknown = shown.filter((step) => step.state === 'unknown').length
  const planned = steps.map((step) => step.planned)
  const approval = action.ask ? await agreed(s, planned, record, signal, waiting) : undefined
  const plan: Plan = { steps: shown, known: shown.length - unknown, unknown, approval }
  return { sent: 'none', effect: 'none', data: plan, text: planText(plan) }
}

async function rehearseStep(
  s: Session,
  plan: Record,
  n: number,
  one: ActionOf<'plan'>['actions'][number],
  foresight: Foresight,
  signal: AbortSignal,
): Promise<Rehearsed> {
  const { tool, args = {} } = one
  const call: Call = { tool, kind: kindOf(one.kind), args, principal: plan.call.principal, dryRun: true }
  const record = new Record(s, call, `${plan.op}.${n}`)
  const bound = { call: bind(tool, args, [], ''), reads: READS.has(call.kind) }
  let action: Action | undefined
  try {
    action = parseCall(call)
    s.refuseWhileStopped(action)
    const targets = await s.resolve(action, call, signal)
    const { risk, decision, cover } = judge(s, call, action, targets)
    await record.decided(action, targets, risk, decision, cover)
    const { summary, digest, args: kept, targets: facts } = record.question()
    const why = foresight.doubt(action, facts)
    if (decision.verdict !== 'deny') foresight.took(n, action, facts)
    const state = why === undefined ? 'known' : 'unknown'
    const asks = decision.verdict === 'ask_user' && cover === undefined
    const needs = state === 'unknown' ? 'grant' : !asks ? 'nothing' : beyond(risk.level) ? 'question' : 'plan'
    const step: PlanStep = { n, tool, summary, state, why, needs, risk, decision }
    const { resolvedTarget, risk: told } = record.rehearsed()
    // What a caller may not know of has no name here either.
    const hidden = resolvedTarget === undefined && facts.length > 0 && told === undefined
    return {
      planned: { ...step, ...bound, target: resolvedTarget, args: kept, targets: facts, digest },
      shown: { ...step, target: resolvedTarget, risk: told, summary: hidden ? action.do : summary },
    }
  } catch (thrown) {
    const { error } = await record.failed(signal.aborted ? signal.reason : thrown, 'none')
    const why = action && foresight.hope(DeskhandError.from(thrown).code)
    const step: PlanStep = { n, tool, summary: call.kind, state: 'known', needs: 'nothing', error }
    const shown: PlanStep = why === undefined ? step : { n, tool, summary: call.kind, state: 'unknown', why, needs: 'grant' }
    if (action !== undefined && why !== undefined) foresight.lost(n, action)
    return { shown, planned: { ...shown, ...bound, args: s.ports.redactor.value(args), targets: [], digest: '' } }
  }
}

function kindOf(kind: string): ActionKind {
  if (isKind(kind) && kind !== 'plan') return kind
  throw new DeskhandError('BAD_ARGS', `${kind} is no action that can be planned`)
}

const isKind = (kind: string): kind is ActionKind => Object.hasOwn(ACTIONS, kind)

/** One question for all the steps that need one; undefined where none does. */
async function agreed(
  s: Session,
  steps: PlannedStep[],
  record: Record,
  signal: AbortSignal,
  waiting: Waiting,
): Promise<string | undefined> {
  const unasked = steps.find((step) => step.decision?.code === 'APPROVAL_NEEDED')
  if (unasked !== undefined) throw new DeskhandError('APPROVAL_NEEDED', `step ${unasked.n}: ${unasked.decision?.reason}`)
  const covered = steps.filter((step) => step.needs === 'plan')
  const open = steps.filter((step) => step.needs === 'grant' && !step.reads)
  if (covered.length + open.length === 0) return undefined
  const [weightiest] = covered.toSorted((a, b) => (b.risk?.score ?? 0) - (a.risk?.score ?? 0))
  const about: ReturnType<Record['question']> = {
    ...record.question(),
    digest: bind(
      record.call.tool,
      steps.map((step) => step.digest || step.call),
      [],
      s.policy.version,
    ),
    summary: `a plan of ${steps.length} steps: ${covered.length} to agree to, ${open.length} unknown`,
    args: {},
    steps,
    risk: weightiest?.risk ?? { level: 'low', score: 0, factors: [] },
    decision: weightiest?.decision ?? { verdict: 'ask_user', reason: 'What its steps will touch is not known yet.', obligations: {} },
  }
  const { approval, answer } = await agree(s, record, signal, waiting, about)
  s.approvals.plans.approve(approval, answer.by)
  return approval.id
}

/** The plan as a model and a person read it. */
function planText({ steps, known, unknown, approval }: Plan): string {
  const lines = steps.map((s) => `${s.n}. ${s.summary}: ${fate(s, approval !== undefined)}`)
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
