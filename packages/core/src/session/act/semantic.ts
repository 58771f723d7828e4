import type { Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { deliveryOf, type Action } from '../../model/index.ts'
import type { Resolved } from '../see/targets.ts'
import { label } from '../words.ts'
import { incapable, keyOf, type ActContext, type Unreached } from './act-context.ts'

/** Presses or chooses an element through its own interface. A click on an entry chooses it; its own action may do more, such as opening it. */
export async function byInterface(on: ActContext): Promise<Sent | Unreached> {
  // What was found by its pixels has no interface of its own.
  if (on.targets[0]?.facts.region !== undefined) return noInterface(on)
  const key = keyOf(on)
  for (const way of isChosen(on) ? (['select', 'press'] as const) : (['press'] as const)) {
    if (!on.driver.can(`step:${way}`)) continue
    const done = await on.lease.step({ do: way, key, delivery: 'semantic' }, {}, on.signal).catch(incapable)
    if (done !== undefined) return done
  }
  return noInterface(on)
}

export const noInterface = (on: ActContext): Unreached => ({
  unreached: 'by',
  why: new DeskhandError('NOT_CAPABLE', `${label(on.targets[0]?.facts ?? { role: 'the element' })} offers no interface for this`, {
    next: 'Leave delivery out, so that the pointer and the keyboard may be used.',
  }),
})

/** An entry of a list, also one that opens from a combobox. */
export function isChosen({ fresh, targets }: ActContext): boolean {
  const { role } = fresh[0] ?? {}
  const menu = targets[0]?.node?.parent
  return CHOSEN.has(role ?? '') || (role === 'menuitem' && (menu?.role === 'combobox' || menu?.parent?.role === 'combobox'))
}

/** A click on these chooses one of several. */
const CHOSEN: ReadonlySet<string> = new Set(['option', 'listitem', 'row', 'treeitem', 'cell', 'tab'])

/** Whether a call leaves a person undisturbed: it takes nothing that they use, and is not about the window they are in. */
export const besidePerson = (action: Action, [target]: readonly Resolved[], activeWindow: string | undefined): boolean =>
  deliveryOf(action.do, action) === 'semantic' && target?.facts.window !== undefined && target.facts.window.key !== activeWindow
