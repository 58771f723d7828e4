import { chordKey, INTERACTIVE, walk, type UiNode } from '../../model/index.ts'

/** The tabs that an arrow key, Home, End or the wheel turns to from a tab, or from what holds tabs: GTK 4 gives the focus to what is around their list. */
export function tabsBeside(from: UiNode): { node: UiNode; why: string; mayBeOwn: true }[] {
  const list = from.role === 'tab' ? from.parent : INTERACTIVE.has(from.role) ? undefined : from
  const tabs = [...walk(list?.children ?? [])].filter((n) => n.role === 'tab' && n.states?.enabled !== false)
  return tabs.map((node) => ({ node, why: 'it is turned to', mayBeOwn: true }))
}

/** Whether a chord turns to another tab, from anywhere in the window. */
export const turnsTabs = (chord: string): boolean => TURNS.has(chord)

const TURNS: ReadonlySet<string> = new Set(
  ['PageUp', 'PageDown', 'Tab']
    .flatMap((key) => [`ctrl+${key}`, `ctrl+shift+${key}`, `ctrl+alt+${key}`])
    .concat([...'0123456789'].flatMap((digit) => [`alt+${digit}`, `ctrl+${digit}`]))
    .map((chord) => chordKey(chord)),
)
