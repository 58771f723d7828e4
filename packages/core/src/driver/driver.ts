import { setMaxListeners } from 'node:events'
import { z } from 'zod'
import { AppIdentity, Completeness, FlatNode, KeyEvent, Point, PointerEvent, Rect, Screen, WindowOp } from '../model/index.ts'

/** The boundary between Deskhand and a desktop, protocol 1. Keys, cursors and leases are opaque and valid within one epoch: the next one gives none of them again. */
export const PROTOCOL = 1

export type NodeKey = string
export type Cursor = string
export type Lease = string

/** Every call is bounded: by an abort signal and by a deadline counted from its start. */
export interface Ctx {
  signal: AbortSignal
  deadlineMs: number
}

export const Cap = z.union([
  /** `lacks`: ways that others know and this one does not use, and why. */
  z.object({ ok: z.literal(true), lacks: z.string().optional() }),
  z.object({ ok: z.literal(false), reason: z.string(), fix: z.string().optional(), consent: z.boolean().optional() }),
])
export type Cap = z.infer<typeof Cap>

// oxfmt-ignore
export const STEPS = [
  'press', 'focus', 'expand', 'collapse', 'select', 'reveal', 'setText', 'setValue',
  'pointer', 'keys', 'text', 'clipboard', 'window', 'launch',
] as const
export const CAPS = ['tree', 'push', 'hit', 'capture', 'clipboard', 'humanInput', ...STEPS.map((s) => `step:${s}` as const)] as const
export type CapName = (typeof CAPS)[number]

/** Which driver it is, and the selector prefixes that mean its nodes, as in `atspi:`. */
export const DriverPart = z.object({ kind: z.string(), name: z.string(), version: z.string(), prefixes: z.array(z.string()) })
export type DriverPart = z.infer<typeof DriverPart>

/** What is done about input that other programs inject. audit_only: it is seen and told. enforce: it is swallowed, too. */
export const AirbagMode = z.enum(['off', 'audit_only', 'enforce'])
export type AirbagMode = z.infer<typeof AirbagMode>

/** What a driver is, and what it can do here; a gap says why and how to close it. */
export const DriverInfo = DriverPart.extend({
  protocol: z.literal(PROTOCOL),
  /** The URN of the desktop, and the life of it that keys belong to. */
  desktop: z.string(),
  epoch: z.string(),
  can: z.record(z.enum(CAPS), Cap),
  /** What is really done about injected input, and why that is not what was asked for. Absent is off. */
  airbag: z.object({ mode: AirbagMode, reason: z.string().optional() }).optional(),
  /** The drivers that serve this desktop together, the preferred one first; absent where there is one. */
  parts: z.array(DriverPart).optional(),
})
export type DriverInfo = z.infer<typeof DriverInfo>

export const ReadScope = z.object({
  root: z.string().optional(),
  app: z.string().optional(),
  depth: z.number().optional(),
  maxNodes: z.number().optional(),
  /** Also entries of `root` that are not loaded, where they contain this text, whatever the case; a driver that loads all of them need not heed it. */
  text: z.string().optional(),
})
export type ReadScope = z.infer<typeof ReadScope>

/** `nodes` is ordered: a parent stands before its children. */
export const TreePart = z.object({ cursor: z.string(), nodes: z.array(FlatNode), apps: z.array(AppIdentity), completeness: Completeness })
export type TreePart = z.infer<typeof TreePart>

export const Change = z.discriminatedUnion('type', [
  z.object({ type: z.literal('put'), node: FlatNode }),
  /** The node and everything below it. */
  z.object({ type: z.literal('gone'), key: z.string() }),
  z.object({ type: z.literal('app'), app: AppIdentity }),
  /** The structure below `root` is untrusted: core reads it again. */
  z.object({ type: z.literal('dirty'), root: z.string() }),
  z.object({ type: z.literal('focus'), key: z.string().optional(), window: z.string().optional() }),
  /** The simulated Run button asks the session to run code; the answer goes back through `reply`. */
  z.object({ type: z.literal('host'), request: z.object({ id: z.string(), run: z.literal('code'), code: z.string() }) }),
  z.object({ type: z.literal('completeness'), completeness: Completeness }),
  z.object({ type: z.literal('can') }),
  z.object({ type: z.literal('screens') }),
])
export type Change = z.infer<typeof Change>

/** `more`: the driver has further changes ready; ask again at once. */
export const Changes = z.union([
  z.object({ reset: z.literal(true) }),
  z.object({ cursor: z.string(), changes: z.array(Change), more: z.boolean().optional() }),
])
export type Changes = z.infer<typeof Changes>

/** Pixels, RGBA rows without padding, and where they lie: desktop = origin + pixel / scale. */
export const Frame = z.object({ width: z.number(), height: z.number(), data: z.instanceof(Uint8Array), origin: Point, scale: z.number() })
export type Frame = z.infer<typeof Frame>

/** An application and the area that one of its windows, frames or menus covers. */
export const WindowOwner = z.object({ app: AppIdentity, rect: Rect })
export type WindowOwner = z.infer<typeof WindowOwner>

/** A picture that was taken. Its pixels stay in the driver's process until core has told which areas to hide. */
export const CaptureHandle = Frame.omit({ data: true }).extend({
  id: z.string(),
  /** Every window that was on the screen while the picture was taken; absent where all of them are in the tree. */
  windows: z.array(WindowOwner).optional(),
  /** What is black already, as windows of others lie over the one that was asked for. */
  covered: z.array(Rect).optional(),
  /** Where other windows of the same application lie over the one that was asked for: they are in the picture, and no part of that window. */
  over: z.array(Rect).optional(),
  /** All pixels are of one colour. */
  blank: z.boolean().optional(),
})
export type CaptureHandle = z.infer<typeof CaptureHandle>

/**
 * The areas of the desktop to black out, and the form to give: RGBA rows without padding, or a PNG. With `into`, rows may be written into that
 * file of this machine, from that byte on: the answer is empty where they were.
 */
export const RenderOptions = z.object({
  hide: z.array(Rect),
  as: z.enum(['rgba', 'png']),
  into: z.object({ file: z.string(), at: z.number() }).optional(),
})
export type RenderOptions = z.infer<typeof RenderOptions>

/** What was drawn and what a person did. The driver asks no application for it, so waiting costs nothing. */
export const Activity = z.object({
  cursor: z.string(),
  /** Where something was drawn since the cursor; the whole screen when that was too long ago. */
  damage: z.array(Rect),
  /** Where something was drawn again and again lately without a step of the driver's: a caret, a clock, an animation. */
  restless: z.array(Rect).optional(),
  /** All input so far that the driver did not send itself. */
  human: z.object({ moves: z.number(), buttons: z.number(), keys: z.number() }),
  /** Input that other programs injected, where that is looked for: how many events were seen, and how many of them swallowed. */
  foreign: z.object({ seen: z.number(), swallowed: z.number() }).optional(),
  /** Where a person moved the pointer to last. */
  at: Point.optional(),
})
export type Activity = z.infer<typeof Activity>

/** What ends a wait for activity: a person's input, or something drawn. */
export const ActivityKind = z.enum(['input', 'drawing'])
export type ActivityKind = z.infer<typeof ActivityKind>

export const Step = z.discriminatedUnion('do', [
  /**
   * `action` names one of the node's own actions; without it the driver chooses by name, never by position. Where the toolkit offers no way, a
   * driver may use the pointer, but not with `delivery`.
   */
  z.object({
    do: z.enum(['press', 'focus', 'expand', 'collapse', 'select', 'reveal']),
    key: z.string(),
    action: z.string().optional(),
    delivery: z.literal('semantic').optional(),
  }),
  z.object({
    do: z.literal('setText'),
    key: z.string(),
    text: z.string(),
    mode: z.enum(['insert', 'replace', 'append']),
    delivery: z.literal('semantic').optional(),
  }),
  z.object({ do: z.literal('setValue'), key: z.string(), value: z.number(), delivery: z.literal('semantic').optional() }),
  z.object({ do: z.literal('pointer'), events: z.array(PointerEvent) }),
  z.object({ do: z.literal('keys'), events: z.array(KeyEvent) }),
  /** Typed as a person would, exactly, into the node that has the focus. */
  z.object({ do: z.literal('text'), text: z.string() }),
  z.object({ do: z.literal('clipboard'), text: z.string() }),
  z.object({ do: z.literal('window'), key: z.string(), op: WindowOp, rect: Rect.partial().optional() }),
  /** `waitMs`: how long it may take to show something. */
  z.object({ do: z.literal('launch'), app: z.string(), args: z.array(z.string()), waitMs: z.number().optional() }),
])
export type Step = z.infer<typeof Step>

/**
 * Checked by the driver right before the first event and between chunks of a long step. `window` must be the active window,
 * `focus` must have the focus (or hold the node that has it), and `hit.at` must belong to `hit.key` or to a part of it; without a key nothing
 * may lie there. A control of its own inside `hit.key` is no part of it (`isPartOf`), as it would be what is pressed; for a wheel only
 * controls count whose value it changes, and for a mere move none does.
 * `human` is the sum of `Activity.human` that is known: more input by a person breaks it, between any two events.
 */
export const Guard = z.object({
  window: z.string().optional(),
  focus: z.string().optional(),
  hit: z.object({ at: Point, key: z.string().optional(), by: z.enum(['press', 'wheel', 'move']).optional() }).optional(),
  human: z.number().optional(),
})
export type Guard = z.infer<typeof Guard>

export const Sent = z.object({
  sent: z.enum(['none', 'partial', 'all']),
  /** Events or characters that were delivered. */
  units: z.number(),
  via: z.string(),
  /** The guard that failed, when one did. */
  broken: z.enum(['window', 'focus', 'hit', 'human']).optional(),
  /** Keys and buttons still down after this step. */
  held: z.array(z.string()),
  /** What a step found out beside its delivery: the pid of a launch. */
  detail: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
})
export type Sent = z.infer<typeof Sent>

export interface Observe {
  info(ctx: Ctx): Promise<DriverInfo>
  screens(ctx: Ctx): Promise<Screen[]>
  read(scope: ReadScope, ctx: Ctx): Promise<TreePart>
  /** Waits up to `waitMs` for something to tell; `reset` when `since` is too old to continue from. */
  changes(since: Cursor, waitMs: number, ctx: Ctx): Promise<Changes>
  /** Waits up to `waitMs` for activity of this kind after `since`; without `since`, or with one of another epoch, it answers at once. */
  watch(of: ActivityKind, since: Cursor | undefined, waitMs: number, ctx: Ctx): Promise<Activity>
  /** The nodes as the application has them now, not as the mirror does; null when gone. */
  check(keys: NodeKey[], ctx: Ctx): Promise<(FlatNode | null)[]>
  hit(at: Point, ctx: Ctx): Promise<{ window?: NodeKey; node?: NodeKey }>
  capture(area: { rect?: Rect; window?: NodeKey }, ctx: Ctx): Promise<CaptureHandle>
  /** The pixels of a capture, once; STALE_REF when it was rendered before or is not kept any more. */
  render(id: string, how: RenderOptions, ctx: Ctx): Promise<Frame['data']>
  readClipboard(ctx: Ctx): Promise<string>
  /** Where the pointer is. */
  pointer(ctx: Ctx): Promise<Point>
  /** Whether there is a program of this name to launch. */
  canLaunch(app: string, ctx: Ctx): Promise<boolean>
}

export interface Act {
  /** One lease at a time; taking a second one while the first lives fails with LEASE_LOST. Every step renews it. */
  take(ttlMs: number, ctx: Ctx): Promise<Lease>
  step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent>
  reply(id: string, result: unknown, ctx: Ctx): Promise<void>
  /** Releases everything held. */
  drop(lease: Lease): Promise<void>
  /** Ends every lease between two events and releases everything held; implied when the link dies. */
  stop(): Promise<void>
}

export interface Driver {
  observe: Observe
  act: Act
  close(): Promise<void>
}

const NEVER = new AbortController().signal
// Every call that has no signal of its own listens to this one.
setMaxListeners(0, NEVER)

/** A context for one call. */
export function within(deadlineMs: number, signal: AbortSignal = NEVER): Ctx {
  return { signal, deadlineMs }
}
