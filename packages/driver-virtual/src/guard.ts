import type { Guard } from '@deskhand/core/driver'
import { isPartOf, isValueControl } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { hitTest } from './hit.ts'
import { isInside, type Element } from './model/element.ts'

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
    if (guard.hit.key === undefined ? element : !wanted || !element || !belongs(element, wanted, guard.hit.by)) return 'hit'
  }
  if (desk.activity.isBeyond(guard.human)) return 'human'
  return undefined
}

/** Whether what lies at a point is the wanted element or a part of it; a control of its own inside it is not. */
function belongs(element: Element, wanted: Element, by: NonNullable<Guard['hit']>['by']): boolean {
  for (let el: Element | undefined = element; el !== undefined; el = el.parent) {
    if (el === wanted) return true
    if (by !== 'move' && !isPartOf(el.role, wanted.role) && (by !== 'wheel' || isValueControl(el.role))) return false
  }
  return false
}
