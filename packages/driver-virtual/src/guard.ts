import { belongsTo, type Guard } from '@deskhand/core/driver'
import type { Desktop } from './desktop.ts'
import { hitTest } from './hit.ts'
import { isInside } from './model/element.ts'

/** The part of a guard that does not hold now. */
export function brokenGuard(desk: Desktop, guard: Guard): keyof Guard | undefined {
  if (guard.window !== undefined && desk.active?.key !== guard.window) return 'window'
  if (guard.focus !== undefined) {
    const wanted = desk.find(guard.focus)
    if (!wanted || !desk.focus || !isInside(desk.focus, wanted)) return 'focus'
  }
  if (guard.hit) {
    const wanted = guard.hit.key === undefined ? undefined : desk.find(guard.hit.key)
    const { element } = hitTest(desk, guard.hit.at)
    if (guard.hit.key === undefined ? element : !wanted || !element || !belongsTo(element, wanted, guard.hit.by, (el) => el.role))
      return 'hit'
  }
  if (desk.activity.isBeyond(guard.human)) return 'human'
  return undefined
}
