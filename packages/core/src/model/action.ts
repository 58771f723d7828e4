import { z } from 'zod'
import { Question } from './approval.ts'
import { atMost, MOST_EVENTS } from './bounds.ts'
import { complaints } from './complaint.ts'
import { Condition, needsAction } from './condition.ts'
import { Rect } from './geometry.ts'
import { Button, KeyEvent, PointerEvent, WindowOp } from './input.ts'
import { toKey } from './keys.ts'
import { Expectation } from './playbook.ts'
import { CoordinateSpace, Target } from './target.ts'

const verify = Condition.optional()
const timeoutMs = z.number().int().min(0).max(600_000).optional()
/** How long raw events look for their effect: a script goes at its own pace, and not at all when this is left out. */
const settleMs = z.number().int().min(0).max(400).optional()
const button = Button.default('left')
const delivery = z.literal('semantic').optional().describe('no pointer, no keys: the focus stays')
/** In any of the spellings that keys have. */
const modifiers = z
  .array(z.preprocess((word) => (typeof word === 'string' ? (toKey(word) ?? word) : word), z.enum(['Shift', 'Control', 'Alt', 'Meta'])))
  .refine(...atMost(20, 'modifiers'))
  .optional()
const boundedText = z.string().refine(...atMost(200_000, 'characters'))
const events = <T extends z.ZodType>(event: T): z.ZodArray<T> =>
  z
    .array(event)
    .min(1)
    .refine(...atMost(MOST_EVENTS, 'events'))
const chord = z.string().refine((keys) => keys.length <= 200, 'a chord is a few keys with + between them; send several as a list')
const Place = z.strictObject({ x: z.number(), y: z.number(), coordinateSpace: CoordinateSpace.default('desktop') })
/** Where a drag begins or ends. */
export const DragEnd = z.union([Target, Place])
const deltas = { deltaX: z.number().default(0), deltaY: z.number().default(0) }

/** A condition on things as they are, without an action. */
const stands = (condition: Condition, at: z.RefinementCtx): void => {
  const problem = needsAction(condition)
  if (problem !== undefined) at.addIssue({ code: 'custom', message: problem })
}

/** Every action, with the arguments its `ui.*` tool takes. What is not here cannot be done through Deskhand. */
export const ACTIONS = {
  capabilities: z.strictObject({}),
  snapshot: z.strictObject({
    scope: z.enum(['window', 'app', 'desktop']).default('window').describe('active window, its application, or everything'),
    includeTree: z.boolean().default(false).describe('also the tree as JSON'),
    includeScreenshot: z.boolean().default(false),
    includeTextIndex: z.boolean().default(false),
    maxDepth: z.number().int().min(1).optional(),
    root: Target.optional().describe('only below this element'),
    budget: z.number().int().min(50).optional().describe('tokens the outline may cost'),
    since: z.string().optional().describe('a snapshotId: only what changed since'),
    all: z.boolean().default(false).describe('also what is idle, empty or scrolled out of view'),
    skeleton: z.boolean().default(false).describe('only windows and their parts, with counts'),
  }),
  query: z.strictObject({ selector: z.string().min(1), limit: z.number().int().min(1).max(500).default(20), timeoutMs }),
  describe: z.strictObject({ element: Target }),
  capture: z
    .strictObject({
      region: Rect.optional(),
      target: Target.optional(),
      /** `raw`: the pixels themselves, for scripts. */
      format: z.enum(['png', 'jpeg', 'webp', 'raw']).default('png'),
    })
    .refine((a) => a.region === undefined || a.target === undefined, 'takes either region or target'),
  wait: z
    .strictObject({
      until: Condition,
      timeoutMs: z.number().int().min(0).max(600_000).default(10_000),
      pollMs: z.number().int().min(10).optional(),
    })
    .superRefine(({ until }, at) => stands(until, at)),
  assert: z.strictObject({ condition: Condition }).superRefine(({ condition }, at) => stands(condition, at)),
  click: z
    .strictObject({ target: Target, button, clickCount: z.number().int().min(1).max(3).default(1), modifiers, delivery, verify, timeoutMs })
    .refine(
      (a) => a.delivery === undefined || (a.button === 'left' && a.clickCount === 1 && !a.modifiers?.length),
      'delivery "semantic" is for a plain click',
    ),
  click_xy: z.strictObject({
    x: z.number(),
    y: z.number(),
    coordinateSpace: CoordinateSpace.default('desktop'),
    imageId: z.string().optional(),
    button,
    clickCount: z.number().int().min(1).max(3).default(1),
    modifiers,
    verify,
  }),
  type: z
    .strictObject({
      text: boundedText.optional(),
      secret: z.string().optional().describe('the name of a secret'),
      target: Target.optional().describe('else what has the focus'),
      mode: z.enum(['insert', 'replace', 'append']).default('insert'),
      submit: z.enum(['Enter', 'Tab']).optional().describe('a key to press behind the text'),
      redactInLogs: z.boolean().default(false),
      delivery,
      verify,
      timeoutMs,
    })
    .refine((a) => (a.text === undefined) !== (a.secret === undefined), 'needs either text or secret')
    .refine((a) => a.delivery === undefined || a.target !== undefined, 'delivery "semantic" needs a target'),
  key: z.strictObject({
    keys: z
      .union([
        chord,
        z
          .array(chord)
          .min(1)
          .refine(...atMost(500, 'chords')),
      ])
      .describe('"ctrl+s", or a list of them'),
    target: Target.optional(),
    holdMs: z.number().int().min(0).max(10_000).optional(),
    verify,
    timeoutMs,
  }),
  scroll: z.strictObject({ target: Target.optional(), ...deltas, verify, timeoutMs }),
  focus: z.strictObject({ target: Target, verify, timeoutMs }),
  hover: z.strictObject({ target: Target, verify, timeoutMs }),
  drag: z.strictObject({
    from: DragEnd,
    to: DragEnd,
    durationMs: z.number().int().min(0).max(10_000).default(100),
    verify,
    timeoutMs,
  }),
  window: z
    .strictObject({
      target: Target.optional().describe('the active window when left out'),
      op: WindowOp,
      bounds: Rect.partial().optional(),
      verify,
    })
    .refine(({ op, bounds }) => (op !== 'move' && op !== 'resize') || bounds !== undefined, 'to move or resize it needs bounds'),
  launch: z.strictObject({
    app: z
      .string()
      .min(1)
      .refine(...atMost(1_000, 'characters')),
    args: z.array(boundedText).default([]),
    timeoutMs,
  }),
  /** The applications that show windows. */
  apps: z.strictObject({}),
  close: z.strictObject({
    app: z.string().min(1).describe('its name, executable or pid, as desktop.list shows it'),
    force: z.boolean().default(false).describe('end its process when its windows do not close'),
    timeoutMs,
  }),
  screens: z.strictObject({}),
  clipboard_read: z.strictObject({}),
  clipboard_write: z.strictObject({ text: boundedText }),
  /** Replaces what the simulated desktop shows; it is no input, and yet it is done. */
  simulate: z.strictObject({ contentHash: z.string().optional().describe('what it shows from then on, by its hash') }),
  /** Raw events for scripts, in desktop coordinates; what lies under every press is resolved and judged first. */
  pointer: z.strictObject({ events: events(PointerEvent), settleMs }),
  keys: z.strictObject({ events: events(KeyEvent), settleMs }),
  /** A script's question to the operator; its answer is the script's alone. */
  ask: z.strictObject({
    question: Question.shape.kind,
    message: z.string().max(4_000),
    title: z.string().max(200).default(''),
    buttons: z.array(z.string().max(200)).min(1).max(20).optional(),
    default: z.string().max(4_000).optional(),
    timeoutMs,
  }),
  /** Several calls, rehearsed: resolved and decided in order against the desktop as it is. `ask` puts the plan to a person. */
  plan: z.strictObject({
    actions: z
      .array(z.strictObject({ tool: z.string().max(200), kind: z.string(), args: z.unknown().optional(), expects: Expectation.optional() }))
      .min(1)
      .max(100),
    ask: z.boolean().default(false),
  }),
  /** Runs code in an engine of the session's; no driver is involved. */
  code: z.strictObject({
    code: z.string().optional(),
    file: z.string().optional(),
    args: z.array(z.string()).default([]),
    engine: z.string().optional(),
    options: z.record(z.string(), z.unknown()).optional(),
  }),
} as const

export type ActionKind = keyof typeof ACTIONS
export const isKind = (name: string): name is ActionKind => Object.hasOwn(ACTIONS, name)
export const KINDS: readonly ActionKind[] = Object.keys(ACTIONS).filter(isKind)
export type ActionOf<K extends ActionKind> = { [P in K]: { do: P } & z.output<(typeof ACTIONS)[P]> }[K]
export type Action = ActionOf<ActionKind>

/** Reads an action's arguments; the problems name the bad field. */
export function parseAction<K extends ActionKind>(
  kind: K,
  args: unknown,
): { ok: true; action: ActionOf<K> } | { ok: false; problems: string[] } {
  const read = ACTIONS[kind].safeParse(args ?? {})
  if (read.success) return { ok: true, action: { do: kind, ...read.data } as unknown as ActionOf<K> }
  return { ok: false, problems: complaints(read.error.issues, args ?? {}, Object.keys(ACTIONS[kind].shape)) }
}
