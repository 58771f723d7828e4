import { ACTIONS, type ActionKind, type Decision, type EntryBody, type Principal, type Risk, type TargetFacts } from '../model/index.ts'
import type { Policy, Setting, Subject } from './policy.ts'

/** A call as a journal's `decided` entry has it. */
export interface RecordedCall {
  tool: string
  args?: unknown
  principal: Principal
  targets: readonly TargetFacts[]
  risk: Risk
  decision: Decision
  seq?: number
  time?: string
}

export interface Redecided {
  call: RecordedCall
  was: Decision
  now: Decision
  risk: Risk
  /** The verdict or its code differs. */
  differs: boolean
}

/** What `policy` would have decided. `kindOf` tells the action behind tools not called `ui.<action>`; calls of unknown ones are left out. */
export function replayDecisions(
  policy: Policy,
  calls: Iterable<RecordedCall>,
  options: { setting: Setting; kindOf?: (tool: string, args: unknown) => ActionKind | undefined },
): Redecided[] {
  const rows: Redecided[] = []
  for (const call of calls) {
    const kind = options.kindOf?.(call.tool, call.args) ?? kindByName(call.tool)
    if (!kind) continue
    const subject: Subject = { ...call, kind, args: call.args, tainted: call.risk.factors.some((f) => f.id.startsWith('taint.')) }
    const setting = { ...options.setting, now: call.time === undefined ? options.setting.now : Date.parse(call.time) }
    const risk = policy.assess(subject, setting)
    const now = policy.decide(subject, risk, setting)
    rows.push({ call, was: call.decision, now, risk, differs: now.verdict !== call.decision.verdict || now.code !== call.decision.code })
  }
  return rows
}

/** The calls in a journal's entries. */
export function* recordedCalls(entries: Iterable<EntryBody & { seq?: number; time?: string }>): Generator<RecordedCall> {
  for (const entry of entries) if (entry.type === 'decided') yield entry
}

function kindByName(tool: string): ActionKind | undefined {
  const name = tool.slice(tool.indexOf('.') + 1)
  return KINDS.find((k) => k === name)
}

const isKind = (name: string): name is ActionKind => name in ACTIONS
const KINDS = Object.keys(ACTIONS).filter(isKind)
