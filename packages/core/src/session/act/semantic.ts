import type { Sent, Step } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { deliveryOf, type Action, type ActionOf } from '../../model/index.ts'
import type { Resolved } from '../see/targets.ts'
import { label } from '../words.ts'
import { incapable, keyOf, type ActContext } from './act-context.ts'
import { entersKeys } from './keyboard.ts'
import { CHOSEN } from './pointer.ts'

/** Through the element's own interface, or not at all: the decision was about this way alone. */
export async function semantically(action: ActionOf<'click' | 'type'>, on: ActContext): Promise<Sent> {
  for (const step of stepsOf(action, on)) {
    if (!on.driver.can(`step:${step.do}`)) continue
    const done = await on.lease.step(step, {}, on.signal).catch(incapable)
    if (done !== undefined) return done
  }
  throw new DeskhandError('NOT_CAPABLE', `${label(on.targets[0]?.facts ?? { role: 'the element' })} offers no interface for this`, {
    next: 'Leave delivery out, so that the pointer and the keyboard may be used.',
  })
}

function stepsOf(action: ActionOf<'click' | 'type'>, on: ActContext): Step[] {
  const [target] = on.targets
  // What was found by its pixels has no interface of its own.
  if (target?.facts.region !== undefined) return []
  const key = keyOf(on)
  const [fresh] = on.fresh
  if (action.do === 'click') {
    const ways = CHOSEN.has(fresh?.role ?? '') ? (['select', 'press'] as const) : (['press'] as const)
    return ways.map((way): Step => ({ do: way, key, delivery: 'semantic' }))
  }
  if (fresh?.states?.editable === false) throw new DeskhandError('NOT_ACTIONABLE', 'this element cannot be edited')
  const text = on.text ?? ''
  return entersKeys(text, fresh) ? [] : [{ do: 'setText', key, text, mode: action.mode, delivery: 'semantic' }]
}

/** Whether a call leaves a person undisturbed: it takes nothing that they use, and is not about the window they are in. */
export const besidePerson = (action: Action, [target]: readonly Resolved[], activeWindow: string | undefined): boolean =>
  deliveryOf(action.do, action) === 'semantic' && target?.facts.window !== undefined && target.facts.window.key !== activeWindow
