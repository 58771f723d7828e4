import { DeskhandError } from '@deskhand/core/errors'
import type { Desktop } from '../desktop.ts'
import { isDisplayed } from '../focus.ts'
import { closest, isEnabled, windowOf, type Element } from '../model/element.ts'
import { blockedBy } from '../windows.ts'
import { widgetOf } from '../widgets/index.ts'

/** The element that answers for a place: a label in a button is the button, a cell is its row. */
export function operative(el: Element): Element {
  return closest(el, (e) => e.attributes.on?.['click'] !== undefined || behaves(e)) ?? el
}

function behaves(el: Element): boolean {
  const { activate, down, key } = widgetOf(el)
  return activate !== undefined || down !== undefined || key !== undefined
}

/** What a completed click, Space, Enter or a press does: the widget's own action, then the interface's rules. `done`: the widget acted already. */
export function press(desk: Desktop, el: Element, done = false): void {
  if (!done) widgetOf(el).activate?.(desk, el)
  const source = closest(el, (e) => e.attributes.on?.['click'] !== undefined) ?? el
  if (desk.elements.has(source.key)) desk.emit(source, 'click')
}

/** Refuses what a person could not do either. */
export function mustBeOperable(desk: Desktop, el: Element): void {
  const name = el.label ? `"${el.label}"` : el.id
  const refuse = (why: string): never => {
    throw new DeskhandError('NOT_ACTIONABLE', `The ${el.role} ${name} ${why}.`)
  }
  if (!isEnabled(el)) refuse('is disabled')
  const blocker = blockedBy(desk, windowOf(el))
  if (blocker) refuse(`is behind the dialog "${blocker.label ?? blocker.id}", which has to be answered first`)
  if (!isDisplayed(el)) refuse('is not visible')
}
