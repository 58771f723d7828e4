import { z } from 'zod'
import { ACTIONS, type ActionKind } from './action.ts'
import { argument } from './entered.ts'
import { TRAITS } from './traits.ts'

/** How a call reaches its target: through the element's own interface, or with the pointer, the keyboard or the focus that a person may be using. */
export const Delivery = z.enum(['semantic', 'input'])
export type Delivery = z.infer<typeof Delivery>

/**
 * The way on which an action is carried out: what its events come from, and what gives the focus to its target before. `opening`: an entry is
 * not chosen, but acted upon by its own action, which may open it.
 */
export const Route = z.object({
  by: z.enum(['pointer', 'keys', 'interface', 'opening']),
  focus: z.enum(['pointer', 'interface']).optional(),
})
export type Route = z.infer<typeof Route>

/** Follows from the route where one is judged, else from what the call says: acting is bound to either. */
export function deliveryOf(kind: ActionKind, args: unknown, route?: Route): Delivery {
  if (!TRAITS[kind].sends || kind === 'clipboard_write') return 'semantic'
  if (route !== undefined) {
    const isOwn = route.by === 'interface' || route.by === 'opening'
    return isOwn && route.focus === undefined && kind !== 'focus' ? 'semantic' : 'input'
  }
  return 'delivery' in ACTIONS[kind].shape && argument(args, 'delivery') === 'semantic' ? 'semantic' : 'input'
}
