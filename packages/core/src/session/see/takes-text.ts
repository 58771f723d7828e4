import { DeskhandError } from '../../errors.ts'
import { TEXT_CONTROLS, walk, type Action, type UiNode } from '../../model/index.ts'
import { label } from '../words.ts'
import { windowOf } from './live-tree.ts'
import type { Sight } from './see.ts'
import type { Resolved } from './targets.ts'

/** What has the focus and does something else with a text: a space in it presses them. */
const TEXTLESS: ReadonlySet<string> = new Set(['button', 'togglebutton', 'checkbox', 'radio', 'switch', 'link'])
const MOST_NAMED = 4

/** A text without a target is meant for a field; where the focus is on a button, the fields that the caller may know of are named instead. */
export function mustTakeText(action: Action, [target]: readonly Resolved[], seen: Sight, id: (node: UiNode) => string | undefined): void {
  if (action.do !== 'type' || action.target !== undefined || !(action.secret !== undefined || /\S/.test(action.text ?? ''))) return
  const focus = seen.see(target?.facts.key)
  if (focus === undefined || !TEXTLESS.has(focus.role) || focus.states?.editable === true) return
  const fields = [...walk([windowOf(focus) ?? focus])].filter(isOpenField).slice(0, MOST_NAMED)
  const named = fields.map((field) => `${id(field) ?? ''} ${label(field)}`.trim()).join(', ')
  throw new DeskhandError('NOT_FOUND', `${id(focus) ?? ''} ${label(focus)} has the focus, and it takes no text`.trim(), {
    next: `${named === '' ? 'No field is in view in this window' : `Name the field as the target: ${named}`}. ui.key sends keys whatever has the focus.`,
  })
}

const isOpenField = ({ role, states }: UiNode): boolean =>
  (states?.editable ?? TEXT_CONTROLS.has(role)) && states?.visible !== false && states?.enabled !== false
