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
  super: 'Meta', cmd: 'Meta', command: 'Meta', windows: 'Meta', option: 'Alt', altgr: 'AltGraph', space: ' ', spacebar: ' ',
  plus: '+', menu: 'ContextMenu', apps: 'ContextMenu', print: 'PrintScreen', prtsc: 'PrintScreen', caps: 'CapsLock',
}
const byLower = new Map(NAMED_KEYS.map((k) => [k.toLowerCase(), k as string]))

export const MODIFIERS = ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta'] as const

/** One key's canonical name; undefined when there is no such key. */
export function toKey(word: string): string | undefined {
  if ([...word].length === 1) return word
  const w = word.toLowerCase()
  return byLower.get(w) ?? (Object.hasOwn(ALIASES, w) ? ALIASES[w] : undefined)
}

/** Splits "ctrl+shift+s" into canonical keys; "+" itself is a key. Undefined when a part is no key. */
export function parseChord(chord: string): string[] | undefined {
  const parts = chord === '+' ? ['+'] : chord.replace(/\+\+$/, '+plus').split('+')
  const keys = parts.map((p) => toKey(p === ' ' ? p : p.trim()))
  return keys.every((k) => k !== undefined) ? keys : undefined
}
