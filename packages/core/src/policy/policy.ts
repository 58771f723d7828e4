import type { ActionKind, AppIdentity, Decision, DesktopKind, Mode, Principal, Risk, TargetFacts } from '../model/index.ts'

/** What is judged: the call, and what it would really touch. */
export interface Subject {
  tool: string
  kind: ActionKind
  args: unknown
  principal: Principal
  targets: readonly TargetFacts[]
  /** The text or selector of this call came from the screen. */
  tainted: boolean
}

/** Where and when it is judged. */
export interface Setting {
  desktop: DesktopKind
  driver: string
  mode: Mode
  now: number
}

/** Policy as the session sees it. Pure: the same question gets the same answer. */
export interface Policy {
  /** Names this set of rules in journals and approvals. */
  version: string
  assess(subject: Subject, setting: Setting): Risk
  decide(subject: Subject, risk: Risk, setting: Setting): Decision
  /** Whether an agent may know that this application is there at all. */
  visible(app: AppIdentity, principal: Principal, setting: Setting): boolean
}
