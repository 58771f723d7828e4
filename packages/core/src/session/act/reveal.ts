import { DeskhandError } from '../../errors.ts'
import { deliveryOf, TRAITS } from '../../model/index.ts'
import type { Decided, Recorder } from '../record.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { LiveTree } from '../see/live-tree.ts'
import { isNamed } from '../words.ts'
import type { LeaseQueue } from './lease.ts'

interface RevealNeeds {
  tree: LiveTree
  driver: DriverState
  leases: LeaseQueue
  recorder: Recorder
}

/** Brings targets into view that are scrolled out of it. Where that cannot be done, waiting for them to be operable says what is wrong. */
export async function reveal(on: RevealNeeds, decided: Decided, signal: AbortSignal): Promise<void> {
  const { action, call, targets } = decided
  if (!TRAITS[action.do].operable || !on.driver.can('step:reveal')) return
  // A view that offers no other way is scrolled with the wheel.
  if (deliveryOf(action.do, action) === 'semantic') return
  for (const target of targets) {
    const { node, facts } = target
    const { key } = facts
    if (key === undefined || !isNamed(facts) || node?.states?.visible !== false || node.states.enabled === false) continue
    await on.leases.with(call.lease, signal, async (lease) => {
      await on.recorder.acting(decided, [target], undefined, 'bring into view, to ')
      await lease.step({ do: 'reveal', key }, {}, signal).catch(unable)
    })
    await on.tree.sync()
  }
}

function unable(thrown: unknown): void {
  if (!(thrown instanceof DeskhandError) || (thrown.code !== 'NOT_CAPABLE' && thrown.code !== 'NOT_ACTIONABLE')) throw thrown
}
