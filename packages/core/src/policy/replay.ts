import {
  DesktopKind,
  isKind,
  Mode,
  type ActionKind,
  type Decision,
  type EntryBody,
  type PlaybookStamp,
  type Principal,
  type Risk,
  type TargetFacts,
  type TextSource,
} from '../model/index.ts'
import type { Held, Policy, Setting, Subject } from './policy.ts'
import { RateCounter } from './rates.ts'

/** A call as a journal's `decided` entry has it. */
export interface DecidedCall {
  tool: string
  /** The action behind the tool. */
  kind?: string
  args?: unknown
  principal: Principal
  intent?: string
  targets: readonly TargetFacts[]
  carried?: readonly TextSource[]
  held?: Held
  playbook?: PlaybookStamp
  risk: Risk
  decision: Decision
  /** Where it was judged. */
  setting?: { desktop: string; driver: string; mode: string }
  op?: string
  seq?: number
  time?: string
}

export interface Redecided {
  call: DecidedCall
  was: Decision
  now: Decision
  risk: Risk
  /** The verdict or its code differs. */
  differs: boolean
}

/**
 * What `policy` would have decided, on what was recorded. `kindOf` tells the action behind tools of which the record does not; calls of
 * unknown ones are left out. Rates are counted when the setting brings a counter.
 */
export function replayDecisions(
  policy: Policy,
  calls: Iterable<DecidedCall>,
  options: { setting: Setting; kindOf?: (tool: string, args: unknown) => ActionKind | undefined },
): Redecided[] {
  const rows: Redecided[] = []
  for (const call of calls) {
    const kind = kindNamed(call.kind) ?? options.kindOf?.(call.tool, call.args) ?? kindByName(call.tool)
    if (!kind) continue
    const had = (factor: string): boolean => call.risk.factors.some((f) => f.id.startsWith(factor))
    const subject: Subject = { ...call, kind, args: call.args, tainted: had('taint.target') || had('taint.text') }
    const setting = {
      ...options.setting,
      ...recordedSetting(call),
      now: call.time === undefined ? options.setting.now : Date.parse(call.time),
    }
    const risk = policy.assess(subject, setting)
    // What reached Deskhand itself then is denied by every policy.
    const now = had('own.') ? call.decision : policy.decide(subject, risk, setting)
    if (now.verdict !== 'deny' && setting.rates instanceof RateCounter) setting.rates.record(subject, setting.now)
    rows.push({ call, was: call.decision, now, risk, differs: now.verdict !== call.decision.verdict || now.code !== call.decision.code })
  }
  return rows
}

/** The calls in a journal's entries; rehearsals are none. */
export function* decidedCalls(entries: Iterable<EntryBody & { seq?: number; time?: string }>): Generator<DecidedCall> {
  for (const entry of entries) if (entry.type === 'decided' && !entry.dryRun) yield entry
}

/** Whether it typed a text that the record does not have. */
export const hasHiddenText = ({ args }: DecidedCall): boolean =>
  typeof args === 'object' && args !== null && 'text' in args && typeof args.text === 'object'

function recordedSetting({ setting }: DecidedCall): Partial<Setting> {
  const [desktop, mode] = [DesktopKind.safeParse(setting?.desktop), Mode.safeParse(setting?.mode)]
  return setting && desktop.success && mode.success ? { desktop: desktop.data, mode: mode.data, driver: setting.driver } : {}
}

const kindNamed = (name: string | undefined): ActionKind | undefined => (name !== undefined && isKind(name) ? name : undefined)
const kindByName = (tool: string): ActionKind | undefined => kindNamed(tool.slice(tool.indexOf('.') + 1))
