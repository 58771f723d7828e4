import { z } from 'zod'
import { ACTIONS, type ActionKind } from './action.ts'
import { argument } from './entered.ts'
import { TRAITS } from './traits.ts'

/** How a call reaches its target: through the element's own interface, or with the pointer, the keyboard or the focus that a person may be using. */
export const Delivery = z.enum(['semantic', 'input'])
export type Delivery = z.infer<typeof Delivery>

/** The way on which an action is carried out: what its events come from, and what gives the focus to its target before. */
export const Route = z.object({ by: z.enum(['pointer', 'keys', 'interface']), focus: z.enum(['pointer', 'interface']).optional() })
export type Route = z.infer<typeof Route>

/** Follows from the route where one is judged, else from what the call says: acting is bound to either. */
export function deliveryOf(kind: ActionKind, args: unknown, route?: Route): Delivery {
  if (!TRAITS[kind].sends || kind === 'clipboard_write') return 'semantic'
  if (route !== undefined) return route.by === 'interface' && route.focus === undefined && kind !== 'focus' ? 'semantic' : 'input'
  return 'delivery' in ACTIONS[kind].shape && argument(args, 'delivery') === 'semantic' ? 'semantic' : 'input'
}
