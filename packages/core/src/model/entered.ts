import type { Action, ActionKind } from './action.ts'
import { chordsOf, parseChord } from './keys.ts'
import { characterOf, strokesOfChords, strokesOfEvents, type Stroke } from './strokes.ts'
import { TRAITS } from './traits.ts'

/** The text a call would enter: typed, key by key too, put on the clipboard, run, or handed to a program. A line break alone is no text. */
export function enteredText(kind: ActionKind, args: unknown): string {
  return read(kind, args, (strokes) => {
    const text = strokes.map(characterOf).join('')
    return /[^\n]/.test(text) ? text : ''
  })
}

/** The texts an action would enter, for comparing with what was on the screen: keys that give no character separate words. */
export function enters(action: Action): string[] {
  const text = read(action.do, action, (strokes) => strokes.map((s) => characterOf(s) || ' ').join(''))
  return text === '' ? [] : [text]
}

/** The selectors by which an action names its elements. */
export function selectors(action: Action): string[] {
  return TRAITS[action.do].names.flatMap((name) => {
    const target = argument(action, name)
    const selector = argument(target, 'selector')
    return typeof selector === 'string' ? [selector] : []
  })
}

/** The arguments that become commitments when redaction is asked for; chords that give no character stay as they are. */
export function commits(action: Action): string[] {
  return TRAITS[action.do].commits.filter((name) => {
    const value = argument(action, name)
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return false
    if (name === 'keys') return chordsOf(value).some((chord) => typeof chord !== 'string' || givesText(chord))
    return name !== 'events' || !Array.isArray(value) || value.some(hasCharacterKey)
  })
}

/** One argument of a call or one field of a value; undefined where there is none. */
export function argument(args: unknown, name: string): unknown {
  return typeof args === 'object' && args !== null && Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined
}

function read(kind: ActionKind, args: unknown, typed: (strokes: readonly Stroke[]) => string): string {
  const { text } = TRAITS[kind]
  return text.length === 0 ? '' : text.flatMap((name) => parts(name, argument(args, name), typed)).join(' ')
}

function parts(name: string, value: unknown, typed: (strokes: readonly Stroke[]) => string): string[] {
  if (name === 'keys') return [typed(strokesOfChords([value].flat()))]
  if (name === 'events') return Array.isArray(value) ? [typed(strokesOfEvents(value))] : []
  return [value].flat().filter((part) => typeof part === 'string')
}

/** A chord that cannot be read counts as text. */
const givesText = (chord: string): boolean =>
  parseChord(chord) === undefined || strokesOfChords([chord]).some((s) => /[^\n]/.test(characterOf(s)))

/** Also one that is only let go: a press and its release may come in two calls. */
const hasCharacterKey = (event: unknown): boolean => {
  const key = argument(event, 'key')
  return typeof key === 'string' && [...key].length === 1
}
