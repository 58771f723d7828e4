import { z } from 'zod'
import { ACTIONS, type ActionKind } from './action.ts'
import { argument } from './entered.ts'
import { TRAITS } from './traits.ts'

/** How a call reaches its target: through the element's own interface, or with the pointer, the keyboard or the focus that a person may be using. */
export const Delivery = z.enum(['semantic', 'input'])
export type Delivery = z.infer<typeof Delivery>

/** Known from the call alone, so that a rule can decide by it: acting is bound to `semantic` where the call says so. */
export function deliveryOf(kind: ActionKind, args: unknown): Delivery {
  if (!TRAITS[kind].sends || kind === 'clipboard_write') return 'semantic'
  return 'delivery' in ACTIONS[kind].shape && argument(args, 'delivery') === 'semantic' ? 'semantic' : 'input'
}
