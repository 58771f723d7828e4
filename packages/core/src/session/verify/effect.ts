import { entersKeys } from '../act/keyboard.ts'
import type { Action, Effect, FlatNode } from '../../model/index.ts'

/** What an action implies about its own target, where it implies anything: true once it is observed. */
type Implied = (now: FlatNode | undefined) => boolean

/** Only what can be seen on the target itself counts; a clock ticking elsewhere never confirms a dead button. */
export function implied(action: Action, before: FlatNode | undefined, text: string | undefined): Implied | undefined {
  if (before === undefined) return undefined
  switch (action.do) {
    case 'type':
      // What a key behind the text makes of it is the application's to say.
      return action.submit === undefined ? typed(action.mode, before, text ?? '') : undefined
    case 'focus':
      return (now) => now?.states?.focused === true
    case 'click':
      return action.button === 'left' && action.clickCount === 1 && !action.modifiers?.length ? clicked(before) : undefined
    case 'window':
      return windowed(action.op, action.bounds)
    default:
      return undefined
  }
}

function typed(mode: 'insert' | 'replace' | 'append', before: FlatNode, text: string): Implied | undefined {
  // What Enter leaves in a field is the application's to say.
  if (before.states?.password || text === '' || entersKeys(text, before)) return undefined
  const was = before.value ?? ''
  if (mode === 'replace') return (now) => now?.value === text
  if (mode === 'append') return (now) => now?.value === was + text
  // Text that stood there before proves nothing; it has to be there once more.
  return (now) => now?.value !== undefined && countOf(now.value, text) > countOf(was, text)
}

const countOf = (value: string, text: string): number => value.split(text).length - 1

function clicked(before: FlatNode): Implied | undefined {
  switch (before.role) {
    case 'checkbox':
    case 'switch':
    case 'togglebutton':
    case 'menuitemcheckbox':
      return (now) => now?.states?.checked !== undefined && now.states.checked !== before.states?.checked
    case 'radio':
    case 'menuitemradio':
      return (now) => now?.states?.checked === true
    case 'tab':
    case 'option':
    case 'listitem':
    case 'row':
    case 'treeitem':
      return (now) => now?.states?.selected === true
    case 'textbox':
    case 'searchbox':
    case 'spinbutton':
      return (now) => now?.states?.focused === true
    default:
      return undefined
  }
}

function windowed(op: string, bounds: { x?: number; y?: number; w?: number; h?: number } | undefined): Implied | undefined {
  if (op === 'close') return (now) => now === undefined
  if (op === 'activate') return (now) => now?.states?.active === true
  if (bounds === undefined) return undefined
  return (now) => now?.bounds !== undefined && Object.entries(bounds).every(([k, v]) => Math.abs(now.bounds![k as 'x'] - v) < 1)
}

/** What can be claimed when nothing was stated and nothing implied was seen. */
export function unproven(sent: string, changed: boolean, watching: boolean): Effect {
  if (sent === 'none') return 'refused'
  if (changed) return 'changed'
  return watching ? 'no_effect' : 'unverified'
}
