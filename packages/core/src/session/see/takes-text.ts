import { DeskhandError } from '../../errors.ts'
import { TEXT_CONTROLS, walk, type Action, type UiNode } from '../../model/index.ts'
import { label } from '../words.ts'
import { windowOf } from './live-tree.ts'
import type { Sight } from './see.ts'
import type { Resolved } from './targets.ts'

/** What has the focus and does something else with a text: a space in it presses them. */
const TEXTLESS: ReadonlySet<string> = new Set(['button', 'togglebutton', 'checkbox', 'radio', 'switch', 'link'])
const MOST_NAMED = 4

/** A text is meant for a field; where a button is named or has the focus, the fields that the caller may know of are named instead. */
export function mustTakeText(action: Action, [target]: readonly Resolved[], seen: Sight, id: (node: UiNode) => string | undefined): void {
  if (action.do !== 'type' || !(action.secret !== undefined || /\S/.test(action.text ?? ''))) return
  const node = seen.see(target?.facts.key)
  if (node === undefined || target?.facts.region !== undefined || !TEXTLESS.has(node.role) || node.states?.editable === true) return
  const fields = [...walk([windowOf(node) ?? node])].filter(isOpenField).slice(0, MOST_NAMED)
  const named = fields.map((field) => `${id(field) ?? ''} ${label(field)}`.trim()).join(', ')
  const next = `${named === '' ? 'No field is in view in this window' : `Name the field as the target: ${named}`}.`
  const it = `${id(node) ?? ''} ${label(node)}`.trim()
  throw action.target === undefined
    ? new DeskhandError('NOT_FOUND', `${it} has the focus, and it takes no text`, {
        next: `${next} ui.key sends keys whatever has the focus.`,
      })
    : new DeskhandError('NOT_ACTIONABLE', `${it} takes no text`, { next: `${next} ui.set brings a checkbox or a switch to true or false.` })
}

const isOpenField = ({ role, states }: UiNode): boolean =>
  (states?.editable ?? TEXT_CONTROLS.has(role)) && states?.visible !== false && states?.enabled !== false
