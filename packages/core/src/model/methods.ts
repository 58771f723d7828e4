import { z } from 'zod'
import { ACTIONS } from './action.ts'
import { Answer, Approval, Grant } from './approval.ts'
import { CallOrigin, Counts } from './counts.ts'
import { OperationStatus } from './event.ts'
import { TraceStep, Verification } from './record.ts'
import { HumanState } from './human.ts'
import { InputEvent } from './input.ts'
import { EntryType, JournalEntry } from './journal.ts'
import { Explanation, InputGrant, PolicyInForce, PolicyProblem, RiskLevel, RuleUse, SavedRules, Verdict } from './policy.ts'
import { DesktopKind, Mode, type Principal, type PrincipalRole, Trust } from './principal.ts'
import { PYTHON_TIMEOUT } from './python-timeout.ts'
import { Result } from './result.ts'
import { Check, SettingsInForce, TokenHolder } from './settings.ts'
import { PolicyTrial } from './trial.ts'

const EVERYONE: readonly PrincipalRole[] = ['agent', 'viewer', 'operator']
/** Those who watch the desktop; they learn what other principals do. */
const WATCHERS: readonly PrincipalRole[] = ['viewer', 'operator']
const AGENTS: readonly PrincipalRole[] = ['agent']
const OPERATOR: readonly PrincipalRole[] = ['operator']

const nothing = z.strictObject({})
const done = z.null()
const id = z.string().max(100)
const bytes = z.custom<Uint8Array>((v) => v instanceof Uint8Array)

/** What a desktop is and how it stands. */
export const DesktopInfo = z.object({
  /** The URN of the desktop. */
  desktop: z.string(),
  kind: DesktopKind,
  driver: z.object({ kind: z.string(), name: z.string(), version: z.string(), epoch: z.string() }),
  can: z.record(
    z.string(),
    z.object({ ok: z.boolean(), reason: z.string().optional(), fix: z.string().optional(), consent: z.boolean().optional() }),
  ),
  mode: Mode,
  /** Where input is restricted: what has it, and until when. */
  inputGrants: z.array(InputGrant).optional(),
  stopped: z.boolean(),
  paused: z.boolean(),
  human: HumanState,
  /** Told by a broker. */
  trust: Trust.optional(),
  /** The newest event of the feed. */
  event: z.string(),
})
export type DesktopInfo = z.infer<typeof DesktopInfo>

/**
 * Everything that can be asked of a desktop, from every face: who may ask, what it takes and what it answers. What an agent does on the
 * desktop goes through `call`.
 */
export const METHODS = {
  info: { roles: EVERYONE, params: nothing, result: DesktopInfo },
  call: {
    roles: EVERYONE,
    params: z.strictObject({
      tool: z.string().max(200),
      args: z.unknown().optional(),
      /** The URN of the desktop that is meant. */
      desktop: z.string().max(200).optional(),
      waitMs: z.number().min(0).optional(),
      callId: z.string().max(200).optional(),
      intent: z.string().max(2_000).optional(),
      dryRun: z.boolean().optional(),
      /** Whether the answer of an action says what changed; it does when left out. */
      changes: z.boolean().optional(),
      /** The trace that it belongs to. */
      trace: CallOrigin.optional(),
      /** The controls that the caller keeps, from `hold`. */
      hold: id.optional(),
      /** Send `progress` with this word while the call runs. */
      progress: z.string().max(100).optional(),
    }),
    result: Result,
  },
  /** Keeps the controls over several calls, until `release`, the end of the connection, a minute without a call or five minutes in all; other callers wait. */
  hold: { roles: AGENTS, params: nothing, result: id },
  /** Gives them back, and with them every key and button that is down. */
  release: { roles: AGENTS, params: z.strictObject({ hold: id }), result: done },

  /** Ends everything between two input events and holds until `resume`. */
  stop: { roles: OPERATOR, params: nothing, result: done },
  /** Acting calls wait until `resume`; what runs is not broken off. */
  pause: { roles: OPERATOR, params: nothing, result: done },
  /** Ends a stop and a pause, and lets agents go on although a person is at the controls. */
  resume: { roles: OPERATOR, params: nothing, result: done },
  /** The operator operates the desktop through its picture from now on; agents wait. */
  takeover: { roles: OPERATOR, params: nothing, result: done },
  /** What they do; the first of it takes over by itself. `release` lets go of every key and button. */
  'takeover.input': {
    roles: OPERATOR,
    params: z.strictObject({ events: z.array(InputEvent).max(500), release: z.boolean().default(false) }),
    result: done,
  },
  /** The text in the desktop's clipboard, for the operator who operates it, where the configuration lets clipboards pass. */
  'takeover.clipboard': { roles: OPERATOR, params: nothing, result: z.object({ text: z.string().optional() }) },
  /** Another size of the screen of a sandbox. */
  'screen.size': {
    roles: OPERATOR,
    params: z.strictObject({ width: z.int().min(200).max(16_384), height: z.int().min(200).max(16_384) }),
    result: done,
  },
  /** They hand back: agents go on. */
  'takeover.end': { roles: OPERATOR, params: nothing, result: done },
  /** Lets agents send input and see pixels for so long on the desktop of a person that asks for consent; told by `consent` in `can`. */
  'consent.give': {
    roles: OPERATOR,
    params: z.strictObject({
      minutes: z
        .number()
        .positive()
        .max(24 * 60),
    }),
    result: z.object({ until: z.iso.datetime() }),
  },
  /** Ends it at once. */
  'consent.withdraw': { roles: OPERATOR, params: nothing, result: done },
  /** How far real input may go. */
  mode: { roles: OPERATOR, params: z.strictObject({ mode: Mode, grants: z.array(InputGrant).default([]) }), result: done },
  shutdown: { roles: OPERATOR, params: nothing, result: done },

  'approvals.list': { roles: WATCHERS, params: nothing, result: z.array(Approval) },
  'approvals.answer': {
    roles: OPERATOR,
    params: Answer.omit({ by: true, channel: true })
      .extend({ id, reason: z.string().max(2_000).optional() })
      .strict(),
    result: Approval,
  },
  /** A person has this question before them: its time runs from now on. */
  'approvals.shown': { roles: OPERATOR, params: z.strictObject({ id }), result: Approval },
  /** What the person at an MCP client said to a question of that client's own call; it counts only where the policy trusts the client by name. */
  'approvals.relay': {
    roles: AGENTS,
    params: z.strictObject({ id, allow: z.boolean(), reason: z.string().max(2_000).optional() }),
    result: Approval,
  },
  /** What the element in question looks like, as a PNG file; nothing where that may not be shown. */
  'approvals.picture': {
    roles: WATCHERS,
    params: z.strictObject({ id }),
    result: z.object({ png: bytes.optional() }),
  },
  /** An operator answers in the terminal of these processes: agents must not act on it while the connection lasts. */
  'approvals.watch': { roles: OPERATOR, params: z.strictObject({ pids: z.array(z.int().min(2)).max(64) }), result: done },
  'grants.list': { roles: WATCHERS, params: nothing, result: z.array(Grant) },
  'grants.revoke': { roles: OPERATOR, params: z.strictObject({ id }), result: Grant },
  /** What happened here, in numbers. */
  counters: { roles: WATCHERS, params: nothing, result: Counts },
  'operations.list': { roles: WATCHERS, params: nothing, result: z.array(OperationStatus) },
  /** The outcome of a call by the callId that its caller gave it, for a client whose connection broke meanwhile. */
  'operations.result': {
    roles: EVERYONE,
    params: z.strictObject({ callId: z.string().max(200), waitMs: z.number().min(0).max(600_000).default(0) }),
    result: Result,
  },

  /** Entries of the record after a sequence number and before another, oldest first or newest first. */
  'journal.read': {
    roles: WATCHERS,
    params: z.strictObject({
      after: z.int().min(0).default(0),
      before: z.int().min(1).optional(),
      limit: z.int().min(1).max(1_000).default(200),
      types: z.array(EntryType).optional(),
      /** Of one operation. */
      op: id.optional(),
      /** Times as ISO strings, both inclusive. */
      since: z.iso.datetime().optional(),
      until: z.iso.datetime().optional(),
      /** A text anywhere in the entry, whatever its case. */
      text: z.string().max(200).optional(),
      /** Calls of this agent, tool or application (a part of its name), with this verdict, risk or effect: whole calls, as with `calls`. */
      agent: id.optional(),
      tool: z.string().max(200).optional(),
      app: z.string().max(200).optional(),
      verdict: Verdict.optional(),
      risk: RiskLevel.optional(),
      effect: Result.shape.effect.optional(),
      newest: z.boolean().default(false),
      /** Whole calls, newest first by their decisions, each found by any of its entries; `limit` counts calls, and `before` is about decisions. */
      calls: z.boolean().default(false),
    }),
    result: z.array(JournalEntry),
  },
  /** The last calls, each with what became of it, newest first. */
  trace: {
    roles: WATCHERS,
    params: z.strictObject({ limit: z.int().min(1).max(500).default(50), before: z.int().min(1).optional() }),
    result: z.array(TraceStep),
  },
  /** Reads the whole record and says where, if anywhere, its story was changed. */
  'journal.verify': { roles: WATCHERS, params: nothing, result: Verification },
  /** What a rule had kept encrypted, opened with the key of the configuration. */
  'journal.evidence': { roles: OPERATOR, params: z.strictObject({ id }), result: z.object({ bytes }) },
  /** The feed of events after one of them, or from now on; each comes as a message `event` under this name. */
  'events.subscribe': { roles: WATCHERS, params: z.strictObject({ name: id, after: id.optional() }), result: done },

  /** A recorded call, again, as the agent `as`; `seq` is its entry in the journal that it was read from. */
  replay: {
    roles: OPERATOR,
    params: z.strictObject({
      seq: z.int(),
      tool: z.string().max(200),
      kind: z.enum(Object.keys(ACTIONS) as [keyof typeof ACTIONS, ...(keyof typeof ACTIONS)[]]),
      args: z.unknown().optional(),
      as: id,
      dryRun: z.boolean(),
    }),
    result: Result,
  },
  /** What the policy would say to a call of the agent `as`. */
  'policy.explain': {
    roles: OPERATOR,
    params: z.strictObject({ tool: z.string().max(200), args: z.unknown().optional(), as: id, intent: z.string().max(2_000).optional() }),
    result: Explanation,
  },
  /** Every rule that is in force, the strongest tier last, and what the configuration adds. */
  'policy.rules': { roles: WATCHERS, params: nothing, result: PolicyInForce },
  /** How often each rule decided in the whole record. */
  'policy.uses': { roles: WATCHERS, params: nothing, result: z.array(RuleUse) },
  /** Everything wrong or doubtful about the text of a policy file. */
  'policy.check': { roles: OPERATOR, params: z.strictObject({ text: z.string().max(200_000) }), result: z.array(PolicyProblem) },
  /**
   * What would have been decided differently about recorded calls, with this text in place of the saved rules: the newest decisions, or those
   * before an entry. Rates are counted within what is read.
   */
  'policy.trial': {
    roles: OPERATOR,
    params: z.strictObject({
      text: z.string().max(200_000),
      before: z.int().min(1).optional(),
      limit: z.int().min(1).max(1_000).default(500),
      all: z.boolean().default(false),
    }),
    result: PolicyTrial,
  },
  /** A rule for calls like the one of this operation, as TOML; nothing is saved. */
  'policy.propose': {
    roles: OPERATOR,
    params: z.strictObject({ op: id, decision: Verdict }),
    result: z.object({ text: z.string() }),
  },
  /** The rules that operators saved, which stand beside the files of the configuration. */
  'policy.saved': { roles: OPERATOR, params: nothing, result: SavedRules },
  /** Puts a text in their place, for the policy of this version; it counts from the next call on. */
  'policy.save': {
    roles: OPERATOR,
    params: z.strictObject({ text: z.string().max(200_000), version: z.string().max(200) }),
    result: SavedRules,
  },
  /** What is wrong with a PyAutoGUI script or with Python, read as a whole; nothing of it runs. */
  'script.check': {
    roles: OPERATOR,
    params: z.strictObject({ script: z.string().max(200_000), language: z.enum(['pyautogui', 'python']).default('pyautogui') }),
    result: z.array(z.object({ line: z.number(), message: z.string() })),
  },
  /** The configuration in force. */
  settings: { roles: OPERATOR, params: nothing, result: SettingsInForce },
  /** How many seconds `python.run` may take, from its next call on until the desktop ends. */
  'settings.python': {
    roles: OPERATOR,
    params: z.strictObject({ timeout: z.number().min(PYTHON_TIMEOUT.min).max(PYTHON_TIMEOUT.max) }),
    result: done,
  },
  /** What is there on this machine and what is missing. */
  doctor: { roles: OPERATOR, params: nothing, result: z.array(Check) },
  /** Who has a token for this desktop. */
  'tokens.list': { roles: OPERATOR, params: nothing, result: z.array(TokenHolder) },
  /** A token for an agent or a viewer, told this once; operators make those of operators by the command. */
  'tokens.add': {
    roles: OPERATOR,
    params: z.strictObject({ id: z.string().regex(/^[\w-]{1,60}$/), role: z.enum(['agent', 'viewer']) }),
    result: z.object({ token: z.string() }),
  },
  'tokens.remove': { roles: OPERATOR, params: z.strictObject({ id }), result: done },
} as const satisfies Record<string, { roles: readonly PrincipalRole[]; params: z.ZodType; result: z.ZodType }>

export type MethodName = keyof typeof METHODS
export type MethodInput<M extends MethodName> = z.input<(typeof METHODS)[M]['params']>
export type MethodParams<M extends MethodName> = z.output<(typeof METHODS)[M]['params']>
export type MethodResult<M extends MethodName> = z.output<(typeof METHODS)[M]['result']>

/** Who asks, and for how long they want to know. */
export interface MethodContext {
  who: Principal
  signal: AbortSignal
  /** The transport that it came by; a call from within the process names none. */
  channel?: string
}

export type Handler<M extends MethodName> = (params: MethodParams<M>, on: MethodContext) => MethodResult<M> | Promise<MethodResult<M>>
export type Handlers<M extends MethodName> = { [K in M]: Handler<K> }
