import { nearest } from './nearest.ts'

/** Named keys, in the spelling of the DOM's KeyboardEvent.key. Any single character is a key too. */
// oxfmt-ignore
export const NAMED_KEYS = [
  'Enter', 'Tab', 'Escape', 'Backspace', 'Delete', 'Insert', 'Home', 'End', 'PageUp', 'PageDown', 'ArrowLeft', 'ArrowRight',
  'ArrowUp', 'ArrowDown', 'Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'ScrollLock', 'Pause',
  'PrintScreen', 'ContextMenu', ...Array.from({ length: 24 }, (_, i) => `F${i + 1}`),
] as const

// oxfmt-ignore
const ALIASES: Record<string, string> = {
  return: 'Enter', esc: 'Escape', del: 'Delete', ins: 'Insert', pgup: 'PageUp', pgdn: 'PageDown', pagedown: 'PageDown',
  left: 'ArrowLeft', right: 'ArrowRight', up: 'ArrowUp', down: 'ArrowDown', ctrl: 'Control', control: 'Control', win: 'Meta',
  super: 'Meta', cmd: 'Meta', command: 'Meta', windows: 'Meta', option: 'Alt', opt: 'Alt', altgr: 'AltGraph', alt_gr: 'AltGraph', ctl: 'Control', space: ' ', spacebar: ' ',
  plus: '+', minus: '-', hyphen: '-', dash: '-', equal: '=', equals: '=', comma: ',', period: '.', dot: '.', slash: '/', backslash: '\\', semicolon: ';',
  apostrophe: "'", quote: "'", grave: '`', backtick: '`', underscore: '_', asterisk: '*', bracketleft: '[', bracketright: ']', prior: 'PageUp', next: 'PageDown',
  kpenter: 'Enter', controlormeta: 'Control', commandorcontrol: 'Control', cmdorctrl: 'Control', menu: 'ContextMenu', apps: 'ContextMenu', print: 'PrintScreen', prtsc: 'PrintScreen', caps: 'CapsLock',
}
const byLower = new Map(NAMED_KEYS.map((k) => [k.toLowerCase(), k as string]))

export const MODIFIERS = ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta'] as const

export const isModifier = (key: string): boolean => MODIFIERS.some((m) => m === key)

/** One key's canonical name; undefined when there is no such key. */
export function toKey(word: string): string | undefined {
  if (CONTROL.test(word)) return CONTROLS[word]
  if ([...word].length === 1) return word
  const w = word.toLowerCase()
  const key = named(w) ?? named(w.replaceAll(/(?<=[^ _-])[ _-](?=[^ _-])/g, ''))
  if (key !== undefined) return key
  // Toolkits and PyAutoGUI tell the modifiers of both sides apart: Control_L, shiftleft.
  const either = named(w.replace(SIDE, ''))
  return either !== undefined && isModifier(either) ? either : undefined
}

/** Characters that keyboards have as keys of their own; no other control character is a key. */
const CONTROLS: Record<string, string> = {
  '\n': 'Enter',
  '\r': 'Enter',
  '\t': 'Tab',
  '\b': 'Backspace',
  '\x1b': 'Escape',
  '\x7f': 'Delete',
}
const CONTROL = /^\p{Cc}$/u

const SIDE = /(?:_[lr]|[ _-]?(?:left|right))$/
const named = (word: string): string | undefined => byLower.get(word) ?? (Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined)

/** The chords of a list of keys: a bare modifier goes with the key after it, so that ["ctrl", "s"] is "ctrl+s". */
export function chordsOf(keys: unknown): unknown[] {
  const chords: unknown[] = []
  let held: string[] = []
  for (const key of [keys].flat()) {
    const bare = typeof key === 'string' ? toKey(key.trim()) : undefined
    if (typeof key === 'string' && bare !== undefined && isModifier(bare)) {
      if (!held.includes(key)) held.push(key)
      continue
    }
    chords.push(typeof key === 'string' ? [...held, key].join('+') : key)
    held = []
  }
  return held.length === 0 ? chords : [...chords, held.join('+')]
}

/** Splits "ctrl+shift+s" into canonical keys; "+" itself is a key, and "ctrl-s" is understood. Undefined when a part is no key. */
export function parseChord(chord: string): string[] | undefined {
  const keys = partsOf(chord).map((p) => toKey(p === ' ' ? p : p.trim()))
  return keys.every((k) => k !== undefined) ? keys : undefined
}

function partsOf(chord: string): string[] {
  if (chord === '+') return ['+']
  const parts = chord.replace(/\+\+$/, '+plus').split('+')
  if (parts.length > 1 || toKey(chord.trim()) !== undefined) return parts
  const dashed = chord.trim().replace(/--$/, '-minus').split('-')
  return isModifier(toKey(dashed[0] ?? '') ?? '') ? dashed : parts
}

/** Why a chord or a key cannot be pressed: which part is no key, and which one was most likely meant. */
export function keyProblem(chord: string): string {
  const several = chord.trim().split(/[\s,;]+/)
  if (several.length > 1 && several.every((one) => parseChord(one) !== undefined))
    return `there is no key ${JSON.stringify(chord.slice(0, 40))}; several in order are a list: ${JSON.stringify(several.slice(0, 8))}`
  const wrong = partsOf(chord).find((p) => toKey(p === ' ' ? p : p.trim()) === undefined) ?? chord
  const word = wrong.trim().replaceAll(/[ _-]/g, '')
  const near = nearest(word, [...NAMED_KEYS, ...Object.keys(ALIASES)])
  const meant = near === undefined ? undefined : toKey(near)
  const help =
    meant === undefined
      ? 'keys are called Enter, Tab, Escape, ArrowDown, PageUp, F5, ctrl, shift, alt, or are a character; ui.type types text'
      : `did you mean ${near}?`
  return `there is no key ${JSON.stringify(wrong.slice(0, 40))}; ${help}`
}

const chordKeys = new Map<string, string>()

/** The same text for every spelling of a chord: modifiers in one order, letters in lower case. */
export function chordKey(chord: string | readonly string[]): string {
  if (typeof chord !== 'string') {
    const held = MODIFIERS.filter((m) => chord.includes(m))
    return [...held, ...chord.filter((k) => !isModifier(k)).map((k) => k.toLowerCase())].join('+')
  }
  let key = chordKeys.get(chord)
  if (key === undefined) {
    key = chordKey(parseChord(chord) ?? [chord])
    if (chordKeys.size < 10_000) chordKeys.set(chord, key)
  }
  return key
}

/** Chords that mean the same in nearly every program, and destroy nothing by that: copy, undo, find, save, move, open a menu. */
export const USUAL_CHORDS: ReadonlySet<string> = new Set(
  [
    ...[...'acvxzyfghnopstbiukl'].map((c) => `ctrl+${c}`),
    ...[...'zsftn'].map((c) => `ctrl+shift+${c}`),
    ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', 'Tab'].flatMap((k) => [
      `ctrl+${k}`,
      `ctrl+shift+${k}`,
      `alt+${k}`,
      `alt+shift+${k}`,
    ]),
    ...['ctrl++', 'ctrl+-', 'ctrl+=', 'ctrl+0', 'ctrl+Insert', 'ctrl+Backspace', 'ctrl+Delete', 'alt+ ', 'F1', 'F3', 'F6', 'F10'],
  ].map((chord) => chordKey(chord)),
)
