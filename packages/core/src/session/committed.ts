import {
  argument,
  characterOf,
  commits,
  strokesOfChords,
  strokesOfEvents,
  type Action,
  type Stroke,
  type TargetFacts,
} from '../model/index.ts'

/** What an action would enter, as commitments; chords and named keys stay, as they are no text. */
export function committed(action: Action, commit: (text: string) => unknown): object {
  const names = commits(action)
  const fields = Object.entries(action).filter(([name]) => names.includes(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, commit(asText(value))]))
}

/** Whether text follows a key that can move the focus: it may end up in a password field that is not known when the call is decided. */
export function runsOn(action: Action, target: TargetFacts | undefined): boolean {
  if (action.do === 'type') return (target?.states?.multiline === true ? /\t[^]/ : /[\t\n\r][^]/).test(action.text ?? '')
  const keys = argument(action, 'keys')
  const events = argument(action, 'events')
  if (action.do === 'key' && keys !== undefined) return textAfterMove(strokesOfChords([keys].flat()))
  return action.do === 'keys' && Array.isArray(events) && textAfterMove(strokesOfEvents(events))
}

function textAfterMove(strokes: readonly Stroke[]): boolean {
  const move = strokes.findIndex((s) => [...s.key].length > 1 && !STAYS.has(s.key))
  return move >= 0 && strokes.slice(move + 1).some((s) => /[^\n]/.test(characterOf(s)))
}

/** Named keys that leave the focus where it is. */
const STAYS: ReadonlySet<string> = new Set(['Backspace', 'Delete', 'Home', 'End', 'ArrowLeft', 'ArrowRight', 'CapsLock', 'NumLock'])

function asText(value: unknown): string {
  const words = [value].flat()
  return words.every((w) => typeof w === 'string') ? words.join(' ') : JSON.stringify(value)
}
