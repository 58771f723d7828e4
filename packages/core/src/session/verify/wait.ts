import { DeskhandError } from '../../errors.ts'
import type { Condition, Principal } from '../../model/index.ts'
import { LOOKED, type Outcome } from '../outcome.ts'
import type { WaitOptions } from '../see/waiter.ts'
import type { Scene } from './scene.ts'

/** Waits until a condition holds; a condition that does not is a failure with this code. */
export async function untilHolds(
  scene: Scene,
  condition: Condition,
  who: Principal,
  code: 'TIMEOUT' | 'ASSERT_FAILED',
  options: WaitOptions,
): Promise<Outcome> {
  const { holds, details } = await scene.until(condition, who, options)
  const verification = { passed: holds === true, details }
  if (holds === true) return { ...LOOKED, effect: 'confirmed', verification, text: details }
  const unknown = holds === 'unknown' ? ' (unknown: the tree is incomplete)' : ''
  return { ...LOOKED, verification, failure: new DeskhandError(code, `${details}${unknown}`) }
}
