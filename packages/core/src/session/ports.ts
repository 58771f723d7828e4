import type {
  ActionKind,
  ActionOf,
  Answer,
  Approval,
  DesktopKind,
  Mode,
  Point,
  Principal,
  Rect,
  Result,
  Screen,
  TargetFacts,
} from '../model/index.ts'
import type { Cap, Driver, Frame } from '../driver/driver.ts'
import type { DeskhandError } from '../errors.ts'
import type { EvidenceStore } from '../journal/index.ts'
import type { Journal } from '../journal/journal.ts'
import type { Own, Policy } from '../policy/policy.ts'
import type { HumanSettings } from './human.ts'
import type { Hands } from './lease.ts'

/** One call from any face: a tool's name, the action behind it and its raw arguments. */
export interface Call {
  tool: string
  kind: ActionKind
  args: unknown
  principal: Principal
  /** The same id from the same principal is the same call: it is carried out once. */
  callId?: string
  /** Why the agent wants this, in its own words; recorded, never believed. */
  intent?: string
  origin?: { script: string; line: number }
  signal?: AbortSignal
  /** Resolve and decide only. */
  dryRun?: boolean
  /** A lease that the caller already holds, as a script does. */
  hands?: Hands
  /** Hears how far a long call is. */
  onProgress?(note: unknown): void
}

/** Keeps what must not be written or shown out of everything that leaves. */
export interface Redactor {
  /** Stands for a text in the journal: its length and a keyed commitment. */
  commit(text: string): unknown
  text(text: string): string
  value(value: unknown): unknown
}

/** Runs code that was let through. What the code does on the desktop goes through `perform`, call by call. */
export interface CodeEngine {
  run(job: ActionOf<'code'>, on: CodeStage): Promise<{ data: unknown; failure?: DeskhandError }>
}

export interface CodeStage {
  signal: AbortSignal
  /** Tells whoever waits for the code how far it is. */
  progress(note: unknown): void
  /** Where the screens lie. */
  screens(): Promise<readonly Screen[]>
  /** What an action would touch, as far as the caller may know of it; nothing is decided or done. */
  touches(kind: ActionKind, args: unknown): Promise<Touched[]>
  /** Holds the lease while the code runs; a call that a person is asked about gives it up meanwhile, and so does `rest`. */
  hold<T>(work: (perform: CodePerform, rest: () => Promise<void>) => Promise<T>): Promise<T>
}

export type CodePerform = (tool: string, kind: ActionKind, args: unknown, line: number, dryRun?: boolean) => Promise<Result>

/** An element, by a selector that names it and no other; no selector where the caller may not know of it. */
export interface Touched {
  selector?: string
  role: string
  at?: Point
  window?: Rect
}

/** What a session is made of. Only the session ever holds the driver's `act`. */
export interface Ports {
  driver: Driver
  journal: Journal
  policy(): Policy
  desktop: DesktopKind
  /** How far real input may go until an operator changes it. */
  mode: Mode
  redactor: Redactor
  /** Nobody can answer where this is absent. */
  approver?: { expiryMs: number; onChange?: (approval: Approval, outcome?: Answer | DeskhandError) => void }
  secret?(name: string, target: TargetFacts | undefined): Promise<string>
  /** Encodes what a driver does not: it gives PNG by itself. */
  encode?(frame: Frame, format: 'jpeg' | 'webp'): Promise<Frame['data']>
  /** Where rules have evidence kept; none is where this is absent. */
  evidence?: EvidenceStore
  code?: CodeEngine
  /** What a person at the controls means for the agent; nobody looks for one where this is absent. */
  human?: HumanSettings
  /** Whether pictures show windows of applications that tell nothing of what is in them. Shown where this is absent. */
  treeless?: 'mask' | 'show'
  /** Which picture formats can be encoded here. */
  formats?(): Promise<{ [format: string]: Cap }>
  /** What Deskhand itself can do here, beside its driver. */
  features?(): { [feature: string]: Cap }
  /** Drivers beside the one in use, and why they cannot be used here. */
  otherDrivers?(): ({ kind: string; available: true } | { kind: string; available: false; reason: string; fix?: string })[]
  /** Deskhand's own windows and terminals, which no agent may touch. */
  own?(): Own
  /** Ends an application of this desktop, and nothing else; absent where its processes are not ours to end. */
  end?(pid: number): Promise<void>
  /** Sync the journal before input and before the answer. */
  durable: boolean
  now?(): number
}
