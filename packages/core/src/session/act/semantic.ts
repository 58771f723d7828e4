import type { Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { deliveryOf, type Action } from '../../model/index.ts'
import type { Resolved } from '../see/targets.ts'
import { isEntry } from '../see/entries.ts'
import { label } from '../words.ts'
import { incapable, keyOf, type ActContext, type Unreached } from './act-context.ts'

/** Presses or chooses an element through its own interface, as the route that was judged says. */
export async function byInterface(on: ActContext): Promise<Sent | Unreached> {
  // What was found by its pixels has no interface of its own.
  if (on.targets[0]?.facts.region !== undefined) return noInterface(on)
  const key = keyOf(on)
  const way = isChosen(on) && on.route?.by !== 'opening' ? 'select' : 'press'
  if (!on.driver.can(`step:${way}`)) return noInterface(on)
  const done = await on.lease.step({ do: way, key, delivery: 'semantic' }, {}, on.signal).catch(incapable)
  return done ?? noInterface(on)
}

export const noInterface = (on: ActContext): Unreached => ({
  unreached: 'by',
  why: new DeskhandError('NOT_CAPABLE', `${label(on.targets[0]?.facts ?? { role: 'the element' })} offers no interface for this`, {
    next: 'Leave delivery out, so that the pointer and the keyboard may be used.',
  }),
})

export const isChosen = ({ fresh, targets }: ActContext): boolean => isEntry(fresh[0]?.role, targets[0]?.node)

/** Whether a call leaves a person undisturbed: it takes nothing that they use, and is not about the window they are in. */
export const besidePerson = (action: Action, [target]: readonly Resolved[], activeWindow: string | undefined): boolean =>
  deliveryOf(action.do, action) === 'semantic' && target?.facts.window !== undefined && target.facts.window.key !== activeWindow
