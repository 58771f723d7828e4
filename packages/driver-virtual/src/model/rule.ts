import { z } from 'zod'
import { parseChord } from '@deskhand/core/model'

/** What a user interface file may make happen, under `attributes.on`: an event name, and the rules that then run in order. */

const element = z.string().min(1)
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** Holds when everything that is given is so; `not` turns it round. */
const When = z.strictObject({
  element,
  value: scalar.optional(),
  label_text: z.string().optional(),
  is_checked: z.boolean().optional(),
  is_enabled: z.boolean().optional(),
  is_visible: z.boolean().optional(),
  empty: z.boolean().optional(),
  not: z.boolean().optional(),
})
export type When = z.infer<typeof When>

const when = When.optional()

const base = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('set'),
    when,
    element,
    label_text: z.string().optional(),
    value: scalar.optional(),
    is_enabled: z.boolean().optional(),
    is_visible: z.boolean().optional(),
  }),
  z.strictObject({ do: z.literal('toggle'), when, element, property: z.enum(['value', 'is_enabled', 'is_visible']).default('value') }),
  z.strictObject({ do: z.enum(['show', 'hide', 'open', 'focus', 'clear', 'remove']), when, element }),
  /** Without an element: the window that the event happened in. */
  z.strictObject({ do: z.literal('close'), when, element: element.optional() }),
  z.strictObject({ do: z.literal('submit'), when, element }),
  z.strictObject({ do: z.literal('increment'), when, element, by: z.number().default(1), format: z.string().optional() }),
  /** The request goes to the session as a `host` change; the answer is written into `into`. */
  z.strictObject({ do: z.literal('run_code'), when, from: element, into: element.optional() }),
])

export type Rule =
  | z.infer<typeof base>
  | { do: 'append'; when?: When; element: string; text?: string; item?: unknown }
  | { do: 'after'; when?: When; ms: number; then: Rule[] }

export const Rule: z.ZodType<Rule> = z.discriminatedUnion('do', [
  base,
  /** Text goes to the end of a value or label; an item becomes the last child. An item is a label or a whole element. */
  z
    .strictObject({ do: z.literal('append'), when, element, text: z.string().optional(), item: z.unknown().optional() })
    .refine((r) => (r.text === undefined) !== (r.item === undefined), 'needs either text or item'),
  z.strictObject({
    do: z.literal('after'),
    when,
    ms: z.number().min(1).max(86_400_000),
    get then() {
      return z.array(Rule)
    },
  }),
])

const EVENTS = [
  'click',
  'double_click',
  'right_click',
  'hover',
  'leave',
  'focus',
  'blur',
  'change',
  'select',
  'submit',
  'drop',
  'open',
  'close',
]

/** An event's name: one of the list, or `key:ctrl+s`. */
const EventName = z.string().refine(
  (name) => {
    return EVENTS.includes(name) || (name.startsWith('key:') && parseChord(name.slice(4)) !== undefined)
  },
  `is no event; there are ${EVENTS.join(', ')} and key:<chord>`,
)

export const Rules = z.record(EventName, z.array(Rule))
export type Rules = z.infer<typeof Rules>
