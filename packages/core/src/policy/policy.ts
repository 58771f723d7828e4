import type {
  ActionKind,
  AppIdentity,
  Decision,
  DesktopKind,
  FlatNode,
  PrivateSpec,
  InputGrant,
  Mode,
  PlaybookStamp,
  Principal,
  Risk,
  Route,
  TargetFacts,
  TextSource,
} from '../model/index.ts'

/** What is judged: the call, and what it would really touch. */
export interface Subject {
  tool: string
  kind: ActionKind
  args: unknown
  principal: Principal
  targets: readonly TargetFacts[]
  /** The way on which it is carried out, where that is known: acting takes no other. */
  route?: Route
  /** The text or selector of this call came from the screen. */
  tainted: boolean
  /** Where the text that it enters came from, where that is another application or page than it goes to. */
  carried?: readonly TextSource[]
  /** It also enters what its arguments do not say: what is on the clipboard, where that could be read, or what is dropped. */
  pasted?: { text?: string }
  /** Why the agent says it wants this; it can raise the risk and never lowers it. */
  intent?: string
  /** What earlier calls left down, which belongs to this one. */
  held?: Held
  /** The playbook that this call is a step of. */
  playbook?: PlaybookStamp
  /** How often the call does this, where that is not once. */
  times?: number
  /** The tool's own hints; `readOnlyHint` always follows from the kind. */
  annotations?: Readonly<Record<string, unknown>>
}

/** Keys and buttons that are down when a call begins, and what a button was pressed on. */
export interface Held {
  keys: readonly string[]
  from?: TargetFacts
}

/** Where and when it is judged. */
export interface Setting {
  desktop: DesktopKind
  driver: string
  mode: Mode
  now: number
  /** Whether a person can be asked; true when left out. */
  interactive?: boolean
  /** What the restricted mode lets through on a host desktop. */
  inputGrants?: readonly InputGrant[]
  /** Deskhand itself, which is no target for agents. */
  own?: Own
  /** What was let through lately; without it no rate is exceeded. */
  rates?: Rates
}

/** Deskhand's processes and the terminals they run in, and where its console is served. */
export interface Own {
  pids: readonly number[]
  consoleUrls: readonly string[]
  /** Exact window titles of the console, for browsers that do not tell their address. */
  titles?: readonly string[]
}

export interface Rates {
  /** How many calls with this key (see rates.ts) were let through after `since`. */
  count(key: string, since: number): number
  /** The calls of a principal, or of all, that were let through after `since`, each as it was and as what it meant, for rules about what came before. */
  past?(principal: string | undefined, since: number): readonly (readonly Subject[])[]
}

/** Policy as the session sees it. Pure: the same question gets the same answer. */
export interface Policy {
  /** Names this set of rules in journals and approvals. */
  version: string
  assess(subject: Subject, setting: Setting): Risk
  decide(subject: Subject, risk: Risk, setting: Setting): Decision
  /** Whether an agent or a viewer may know that this application is there at all. */
  visible(app: AppIdentity, principal: Principal, setting: Setting): boolean
  /** The same for one window, page or element: rules can hide a title or an address, and Deskhand's console is a page of some browser. */
  sees(target: TargetFacts, principal: Principal, setting: Setting): boolean
  /** Whether a picture of the screen may show it. */
  pictured(target: TargetFacts, principal: Principal, setting: Setting): boolean
  /** Whether an element counts as a password field though it is none. */
  masked(node: Pick<FlatNode, 'role' | 'name'>, app: AppIdentity, desktop: DesktopKind): boolean
  /** What looks private, where a rule asks for redaction. */
  private: PrivateSpec
}
