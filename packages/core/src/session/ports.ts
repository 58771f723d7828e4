import type { Cap, Driver, Frame } from '../driver/driver.ts'
import type { DeskhandError } from '../errors.ts'
import type { EvidenceStore, ReadableJournal } from '../journal/index.ts'
import type {
  ActionKind,
  ActionOf,
  DesktopKind,
  HumanState,
  Mode,
  Point,
  Rect,
  Region,
  Result,
  Role,
  Screen,
  TargetFacts,
} from '../model/index.ts'
import type { NamedSelectors } from './named.ts'
import type { Own, Policy } from '../policy/policy.ts'

/** Keeps what must not be written or shown out of everything that leaves. */
export interface Redactor {
  /** Stands for a text in the journal: its length and a keyed commitment. */
  commit(text: string): unknown
  /** Keyed: the same for equal values, and for others not. */
  digest(value: unknown): string
  text(text: string): string
  value(value: unknown): unknown
}

/** Runs code that was let through. What the code does on the desktop goes through `perform`, call by call. */
export interface CodeEngine {
  run(job: ActionOf<'code'>, on: CodeStage): Promise<{ data: unknown; failure?: DeskhandError; pictures?: readonly Frame[] }>
}

export interface CodeStage {
  signal: AbortSignal
  pause: Pause
  /** Tells the caller how far the code is. */
  progress(note: unknown): void
  /** Where the screens lie. */
  screens(): Promise<readonly Screen[]>
  /** What an action would touch, as far as the caller may know of it; nothing is decided or done. */
  touches(kind: ActionKind, args: unknown): Promise<Touched[]>
  /** Holds the lease while the code runs; a call that a person is asked about gives it up meanwhile, and so does `rest`. */
  hold<T>(work: (perform: CodePerform, rest: () => Promise<void>) => Promise<T>): Promise<T>
}

/** The operator's pause. */
export interface Pause {
  readonly paused: boolean
  whenRunning(): Promise<void>
}

export type CodePerform = (tool: string, kind: ActionKind, args: unknown, line: number, dryRun?: boolean) => Promise<Result>

/** An element, by a selector that names it and no other; no selector where the caller may not know of it. */
export interface Touched {
  selector?: string
  role: string
  at?: Point
  window?: Rect
}

/** Finds text and pictures in pixels. The pixels are masked for the caller before a recognizer gets them. */
export interface Recognizer {
  /** Lines of text with their words where `ocr` is wanted, and the places of these pictures. */
  recognize(frame: Frame, wanted: Sought, signal: AbortSignal): Promise<readonly Region[]>
  /** Controls and text in the pixels of a window that tells nothing of itself, placed on the desktop. */
  structure?(frame: Frame, signal: AbortSignal): Promise<readonly Part[]>
  /** Whether text can be read here, and what is missing where not. */
  readonly canRead?: Cap
  /** What changes all the time is read anew only after `rest` times what a reading took: the more, the less the machine has left. */
  readonly effort?: { rest: number }
}

/** Something that was made out in pixels, with what lies in it. */
export interface Part {
  role: Role
  /** What is written on it or beside it. */
  name?: string
  /** What a field holds. */
  value?: string
  checked?: boolean
  rect: Rect
  /** How sure the recognizer is of what it is and of what it says, 0 to 1. */
  confidence: number
  children: Part[]
}

export interface Sought {
  ocr: boolean
  images: readonly string[]
  /** What was looked for was not found: read once more by other means, where there are any. */
  again?: boolean
}

export interface HumanSettings {
  /** off: input is not looked at. audit: what a person does is recorded. enforce: the agent pauses meanwhile, too. */
  mode: HumanState['mode']
  /** After so long without input the person has left the controls. */
  idleMs: number
  /** How long a call without a deadline of its own waits for the person to leave. */
  waitMs: number
  /** Whether a pointer that a person moved into a corner of the screen stops everything. */
  corner: boolean
  /** Whether the clipboard of an operator's VNC client reaches the desktop; not when left out. */
  clipboard?: boolean
}

export type OtherDriver = { kind: string; available: true } | { kind: string; available: false; reason: string; fix?: string }

/** What a session is made of. Only the session ever holds the driver's `act`. */
export interface Ports {
  /** The identity of this desktop in every call, result and entry. */
  urn: string
  driver: Driver
  journal: ReadableJournal
  policy(): Policy
  desktop: DesktopKind
  /** How far real input may go until an operator changes it. */
  mode: Mode
  redactor: Redactor
  /** Selectors by name, from extensions. */
  names?: NamedSelectors
  /** Questions cannot be answered where this is absent. */
  approver?: {
    expiryMs: number
    /** How long a call that names no time waits for an answer before it says that it is pending; until it expires when left out. */
    waitMs?: number
    /** Agents whose own client may bring a person's answer, by name; none when left out. */
    trusted?: readonly string[]
  }
  secret?(name: string, target: TargetFacts | undefined): Promise<string>
  /** Encodes what a driver does not: it gives PNG by itself. */
  encode?(frame: Frame, format: 'jpeg' | 'webp'): Promise<Frame['data']>
  /** Where rules have evidence kept; none is where this is absent. */
  evidence?: EvidenceStore
  code?: CodeEngine
  recognizer?: Recognizer
  /** What a person at the controls means for the agent; human input is not looked at where this is absent. */
  human?: HumanSettings
  /** Whether pictures show windows of applications that tell nothing of what is in them. Shown where this is absent. */
  treeless?: 'mask' | 'show'
  /** Which picture formats can be encoded here. */
  formats?(): Promise<{ [format: string]: Cap }>
  /** What Deskhand itself can do here, beside its driver. */
  features?(): { [feature: string]: Cap }
  /** Drivers beside the one in use, and why they cannot be used here. */
  otherDrivers?(): OtherDriver[]
  /** Deskhand's own windows and terminals, which agents must not touch. */
  own?(): Own
  /** Opens and closes a person's desktop to input and pictures by their consent; the last call counts, and ends one under way. Absent where none is asked for. */
  admit?(isGiven: boolean): Promise<void>
  /** Ends an application of this desktop, and nothing else; absent where its processes are not ours to end. */
  end?(pid: number): Promise<void>
  /** Sync the journal before input and before the answer. */
  durable: boolean
  now?(): number
}
