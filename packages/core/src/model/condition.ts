import { z } from 'zod'
import { Target } from './target.ts'

const uiState = z
  .strictObject({
    target: Target.optional().describe("the action's own target when left out"),
    present: z.boolean().optional(),
    enabled: z.boolean().optional(),
    visible: z.boolean().optional(),
    focused: z.boolean().optional(),
    checked: z.boolean().optional(),
    selected: z.boolean().optional(),
    expanded: z.boolean().optional(),
    name: z.string().optional(),
    value: z.string().optional().describe('the exact value'),
    valueContains: z.string().optional(),
    changed: z.literal(true).optional().describe('anything about the element differs from before the action'),
  })
  .refine((c) => Object.values(c).some((v) => v !== undefined), 'needs a target or a state')

const window = z.strictObject({
  title: z.string().optional().describe('the exact title'),
  titleContains: z.string().optional(),
  dialog: z.boolean().optional().describe('only dialogs count'),
  present: z.boolean().optional().describe('false: no such window is left'),
  appeared: z.literal(true).optional().describe('it was not there before the action'),
})

const text = z.union([
  z.string(),
  z.strictObject({ contains: z.string(), present: z.boolean().optional().describe('false: the text is nowhere visible') }),
])

/** One type for verify, wait and assert; every part that is given must hold. */
export interface Condition {
  uiState?: z.output<typeof uiState>
  window?: z.output<typeof window>
  text?: z.output<typeof text>
  any?: Condition[]
  not?: Condition
}
/** Each part may look through the whole tree. */
const MOST_PARTS = 100
const inside = ({ any = [], not }: Condition): Condition[] => [...any, ...(not === undefined ? [] : [not])]
const partsOf = (condition: Condition): number => inside(condition).reduce((sum, c) => sum + partsOf(c), 1)

export const Condition: z.ZodType<Condition> = z
  .strictObject({
    uiState: uiState.optional(),
    window: window.optional(),
    text: text.optional(),
    get any() {
      return z.array(Condition).min(1).optional()
    },
    get not() {
      return Condition.optional()
    },
  })
  .refine((c) => Object.values(c).some((v) => v !== undefined), 'needs uiState, window, text, any or not')
  .refine((c) => partsOf(c) <= MOST_PARTS, `a condition has at most ${MOST_PARTS} parts; wait for one thing after the other`)

/** What a condition says that only an action could give a meaning to: its own target, and how things were before it. */
export function needsAction(condition: Condition): string | undefined {
  const { uiState: state, window: win } = condition
  if (state !== undefined && state.target === undefined) return 'uiState needs a target: here is no action whose own target could be meant'
  if (state?.changed || win?.appeared) return 'changed and appeared compare with the time before an action, and here is none: use verify'
  return inside(condition)
    .map(needsAction)
    .find((problem) => problem !== undefined)
}

/** An absence claimed on an incomplete tree is unknown, never true. */
export type Truth = true | false | 'unknown'
export interface Judgement {
  holds: Truth
  details: string
  /** Pixels were looked at, too, and they change without the tree. */
  seen?: boolean
}
