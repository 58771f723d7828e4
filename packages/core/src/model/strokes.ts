import type { Action } from './action.ts'
import { chordsOf, isModifier, parseChord } from './keys.ts'

/** A key that is pressed, with the modifiers that are down meanwhile. */
export interface Stroke {
  key: string
  held: readonly string[]
}

/** The strokes of chords such as "ctrl+s"; a chord with an unknown key has none. */
export function strokesOfChords(chords: readonly unknown[]): Stroke[] {
  return chordsOf(chords).flatMap((chord) => {
    const keys = typeof chord === 'string' ? (parseChord(chord) ?? []) : []
    const held = keys.filter(isModifier)
    return keys.filter((k) => !isModifier(k)).map((key) => ({ key, held }))
  })
}

/** The strokes of raw key events. */
export function strokesOfEvents(events: readonly unknown[]): Stroke[] {
  const held = new Set<string>()
  return events.flatMap((event) => {
    if (typeof event !== 'object' || event === null || !('key' in event) || typeof event.key !== 'string') return []
    const { key } = event
    const isDown = 'type' in event && event.type === 'down'
    if (!isModifier(key)) return isDown ? [{ key, held: [...held] }] : []
    if (isDown) held.add(key)
    else held.delete(key)
    return []
  })
}

/** The strokes of an action that sends keys. */
export function strokesOf(action: Action): Stroke[] {
  switch (action.do) {
    case 'key':
      return strokesOfChords([action.keys].flat())
    case 'keys':
      return strokesOfEvents(action.events)
    case 'type':
      return [...strokesOfText(action.text ?? ''), ...(action.submit === undefined ? [] : [{ key: action.submit, held: [] }])]
    default:
      return []
  }
}

/** The same while these keys and buttons are down already. */
export const strokesWith = (strokes: readonly Stroke[], down: readonly string[]): Stroke[] =>
  strokes.map((stroke) => ({ ...stroke, held: [...new Set([...down.filter(isModifier), ...stroke.held])] }))

/** A text is keys wherever it is not kept: each of its characters counts once between two that may move the focus. */
export const strokesOfText = (text: string): Stroke[] => text.split(/([\r\n\t])/).flatMap(strokesOfPart)

const strokesOfPart = (part: string): Stroke[] =>
  [...new Set(part)].map((char) => ({ key: char === '\t' ? 'Tab' : char === '\n' || char === '\r' ? 'Enter' : char, held: [] }))

/** The character that a stroke gives; empty for a shortcut or a named key. Enter gives a line break. */
export function characterOf(stroke: Stroke): string {
  if (isCommand(stroke)) return ''
  return stroke.key === 'Enter' ? '\n' : [...stroke.key].length === 1 ? stroke.key : ''
}

export const isCommand = ({ held }: Stroke): boolean => held.some((key) => key === 'Control' || key === 'Alt' || key === 'Meta')

/** Copies or cuts what is selected, by the chords of toolkits and by keys that some keyboards have for it, which Qt knows. */
export const copiesText = ({ key, held }: Stroke): boolean =>
  (isControlled(held) && /^(?:[cx]|Insert)$/i.test(key)) || (held.includes('Shift') && key === 'Delete') || key === 'F16' || key === 'F20'

export const pastesText = ({ key, held }: Stroke): boolean =>
  (isControlled(held) && /^v$/i.test(key)) || (held.includes('Shift') && key === 'Insert') || key === 'F18'

/** Closes the window, or what is shown in it, or ends the program: what window managers, and toolkits without a menu for it, do at these. */
export const closesWindow = ({ key, held }: Stroke): boolean =>
  (held.includes('Alt') && key === 'F4') || (isControlled(held) && /^(?:[qw]|F4)$/i.test(key))

const isControlled = (held: readonly string[]): boolean => held.includes('Control') || held.includes('Meta')
