import { isModifier, type InputEvent } from '@deskhand/core/model'

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

/** Dead keys by the mark that they put on the next character, and the mark alone. */
// oxfmt-ignore
const DEAD: ReadonlyMap<number, readonly [mark: string, alone: string]> = new Map([
  [0xfe50, ['\u0300', '`']], [0xfe51, ['\u0301', '´']], [0xfe52, ['\u0302', '^']], [0xfe53, ['\u0303', '~']], [0xfe54, ['\u0304', '¯']],
  [0xfe55, ['\u0306', '˘']], [0xfe56, ['\u0307', '˙']], [0xfe57, ['\u0308', '¨']], [0xfe58, ['\u030a', '°']], [0xfe59, ['\u030b', '˝']],
  [0xfe5a, ['\u030c', 'ˇ']], [0xfe5b, ['\u0327', '¸']], [0xfe5c, ['\u0328', '˛']],
])

/** The keys of a VNC client that are down, as the desktop has them. A dead key and the character behind it are one character: the desktop's layout may have neither. */
export class ClientKeys {
  readonly #down = new Map<number, string>()
  #dead: readonly [mark: string, alone: string] | undefined

  strike(isDown: boolean, keysym: number): InputEvent[] {
    if (!isDown) {
      const key = this.#down.get(keysym)
      this.#down.delete(keysym)
      return key === undefined ? [] : [{ type: 'up', key }]
    }
    const dead = DEAD.get(keysym)
    if (dead !== undefined) this.#dead = dead
    const plain = dead === undefined ? keyOf(keysym) : undefined
    if (plain === undefined) return []
    const key = this.#composed(plain)
    this.#down.set(keysym, key)
    return [{ type: 'down', key }]
  }

  /** Lets go of everything. */
  release(): InputEvent[] {
    const ups = [...this.#down.values()].map((key): InputEvent => ({ type: 'up', key }))
    this.#down.clear()
    return ups
  }

  #composed(key: string): string {
    if (this.#dead === undefined || isModifier(key)) return key
    const [mark, alone] = this.#dead
    this.#dead = undefined
    if (key === ' ') return alone
    const one = `${key}${mark}`.normalize('NFC')
    return [...key].length === 1 && [...one].length === 1 ? one : key
  }
}
