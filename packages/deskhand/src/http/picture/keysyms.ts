/** X's numbers of keys that are no characters, as VNC clients send them. */
// oxfmt-ignore
const NAMED: Readonly<Record<number, string>> = {
  0xff08: 'Backspace', 0xff09: 'Tab', 0xff0d: 'Enter', 0xff13: 'Pause', 0xff14: 'ScrollLock', 0xff1b: 'Escape', 0xff50: 'Home',
  0xff51: 'ArrowLeft', 0xff52: 'ArrowUp', 0xff53: 'ArrowRight', 0xff54: 'ArrowDown', 0xff55: 'PageUp', 0xff56: 'PageDown',
  0xff57: 'End', 0xff61: 'PrintScreen', 0xff63: 'Insert', 0xff67: 'ContextMenu', 0xff7f: 'NumLock', 0xff8d: 'Enter',
  0xff95: 'Home', 0xff96: 'ArrowLeft', 0xff97: 'ArrowUp', 0xff98: 'ArrowRight', 0xff99: 'ArrowDown', 0xff9a: 'PageUp',
  0xff9b: 'PageDown', 0xff9c: 'End', 0xff9e: 'Insert', 0xff9f: 'Delete', 0xffaa: '*', 0xffab: '+', 0xffac: ',', 0xffad: '-',
  0xffae: '.', 0xffaf: '/', 0xffbd: '=', 0xffe1: 'Shift', 0xffe2: 'Shift', 0xffe3: 'Control', 0xffe4: 'Control', 0xffe5: 'CapsLock',
  0xffe7: 'Meta', 0xffe8: 'Meta', 0xffe9: 'Alt', 0xffea: 'Alt', 0xffeb: 'Meta', 0xffec: 'Meta', 0xfe03: 'AltGraph', 0xffff: 'Delete',
  0x20ac: '€',
}
const UNICODE = 0x01000000

/** The key that a VNC client means; undefined for those that no driver could press. */
export function keyOf(keysym: number): string | undefined {
  const named = NAMED[keysym]
  if (named !== undefined) return named
  if (keysym >= 0xffbe && keysym < 0xffbe + 24) return `F${keysym - 0xffbe + 1}`
  if (keysym >= 0xffb0 && keysym <= 0xffb9) return String(keysym - 0xffb0)
  if ((keysym >= 0x20 && keysym < 0x7f) || (keysym >= 0xa0 && keysym <= 0xff)) return String.fromCodePoint(keysym)
  const code = keysym - UNICODE
  return code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : undefined
}
