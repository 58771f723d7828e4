import { isModifier, WINDOWS, type KeyEvent } from '../../model/index.ts'
import type { Resolved } from '../see/targets.ts'

/**
 * Where the events from `from` on have to be cut, because the focus may have moved: behind a key that can move it, also while other keys are
 * still down, and at the latest when all are up again.
 */
export function endOfKeys(events: readonly KeyEvent[], from: number, target: Resolved | undefined): number {
  const down = new Set<string>()
  let moves = !holdsText(target)
  let hasMoved = false
  for (let i = from; i < events.length; i++) {
    const event = events[i]
    if (event?.type === 'down') {
      const named = [...event.key].length > 1
      if (hasMoved && !isModifier(event.key)) return i
      if (!isModifier(event.key) && (MOVERS.has(event.key) || moves)) hasMoved = true
      if (named && !QUIET.has(event.key)) moves = true
      down.add(event.key)
    }
    if (event?.type === 'up') down.delete(event.key)
    if (moves && down.size === 0 && event?.type === 'up') return i + 1
  }
  return events.length
}

/** The same for a text; here the characters are the keys. */
export function endOfText(text: readonly string[], from: number, target: Resolved | undefined): number {
  if (!holdsText(target)) return from + 1
  const mover = target?.facts.states?.multiline === true ? /\t/ : /[\t\n\r]/
  const move = text.findIndex((char, i) => i >= from && mover.test(char))
  return move === -1 ? text.length : move + 1
}

/** Keys that take the focus elsewhere wherever it is. */
const MOVERS: ReadonlySet<string> = new Set(['Tab', 'Enter', 'Escape', 'F6', 'F10', 'ContextMenu'])

/** Keys with a name that leave the focus where it is. */
const QUIET: ReadonlySet<string> = new Set(['Shift', 'AltGraph', 'Backspace', 'Delete', 'Home', 'End', 'CapsLock', 'NumLock'])

/** Whether characters stay in the target. A window whose focus is unknown has to be taken as a whole. */
export function holdsText(target: Resolved | undefined): boolean {
  if (target === undefined) return true
  const { role, states, key } = target.facts
  return key === undefined || WINDOWS.has(role) || states?.editable === true || TEXT.has(role)
}

const TEXT: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'spinbutton', 'terminal', 'document'])
