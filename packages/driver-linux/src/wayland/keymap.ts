import { closeSync } from 'node:fs'
import type { Keymap } from '../display-server.ts'
import { keysymOf } from '../keysyms.ts'
import type { Connection } from './connection.ts'
import { sharedFile } from './socket.ts'

const SET_KEYMAP = 0
const XKB_V1 = 1
/** F13 to F24 and the keys of Asian keyboards: Chromium drops what comes from keys that no keyboard has, and takes other ones for commands. */
const SPARE_CODES = [191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 94, 97, 98, 99, 100, 101, 102, 130, 131, 132]

export interface Stroke {
  code: number
  shift: boolean
}

/**
 * The layout of our own virtual keyboard, whatever a person's is: US, which shortcuts need whole, and spare keys for all other
 * characters. A change of it travels in line with the keys, so that what was struck before keeps its meaning.
 */
export class WaylandKeymap implements Keymap {
  readonly #connection: Connection
  readonly #keyboard: number
  readonly #spare: number[] = []
  #isSet = false

  constructor(connection: Connection, keyboard: number) {
    this.#connection = connection
    this.#keyboard = keyboard
  }

  load(): Promise<void> {
    if (!this.#isSet) this.#send()
    return Promise.resolve()
  }

  find(symbol: number): Stroke | undefined {
    const own = US.get(symbol)
    if (own !== undefined) return own
    const at = this.#spare.indexOf(symbol)
    return at < 0 ? undefined : { code: SPARE_CODES[at] ?? 0, shift: false }
  }

  reach(symbols: readonly number[]): number {
    const borrowed = new Set<number>()
    for (const [i, symbol] of symbols.entries()) {
      if (!US.has(symbol)) borrowed.add(symbol)
      if (borrowed.size > SPARE_CODES.length) return i
    }
    return symbols.length
  }

  borrow(symbols: readonly number[]): Promise<boolean> {
    const missing = [...new Set(symbols)].filter((s) => this.find(s) === undefined)
    if (missing.length > 0) {
      if (this.#spare.length + missing.length > SPARE_CODES.length) this.#spare.length = 0
      this.#spare.push(...[...new Set(symbols)].filter((s) => this.find(s) === undefined))
      this.#send()
    }
    return Promise.resolve(true)
  }

  /** The keyboard goes with its connection. */
  restore(): void {}

  #send(): void {
    const text = Buffer.from(`${describe(this.#spare)}\0`)
    const file = sharedFile(this.#connection.folder, text.length, text)
    this.#connection.request(this.#keyboard, SET_KEYMAP, [XKB_V1, text.length], file)
    closeSync(file)
    this.#isSet = true
  }
}

/** GTK 3 finds no shortcut in a map that has only the keys in use. */
function describe(spare: readonly number[]): string {
  const name = (i: number): string => `<D${i.toString(36).toUpperCase().padStart(3, '0')}>`
  const codes = spare.map((_, i) => `${name(i)} = ${SPARE_CODES[i]};`).join(' ')
  const keys = spare.map((symbol, i) => `key ${name(i)} { [ 0x${symbol.toString(16)} ] };`).join(' ')
  return `xkb_keymap {
xkb_keycodes { include "evdev+aliases(qwerty)" ${codes} };
xkb_types { include "complete" };
xkb_compatibility { include "complete" };
xkb_symbols { include "pc+us+inet(evdev)" ${keys} };
};`
}

/** Runs of keys: the first keycode, what they give, and what they give with Shift. */
const ROWS: readonly [number, string, string][] = [
  [10, '1234567890-=', '!@#$%^&*()_+'],
  [24, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [38, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [51, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [65, ' ', ' '],
]
// oxfmt-ignore
const NAMED: Readonly<Record<string, number>> = {
  Enter: 36, Tab: 23, Escape: 9, Backspace: 22, Delete: 119, Insert: 118, Home: 110, End: 115, PageUp: 112, PageDown: 117,
  ArrowLeft: 113, ArrowUp: 111, ArrowRight: 114, ArrowDown: 116, Shift: 50, Control: 37, Alt: 64, AltGraph: 92, Meta: 133,
  CapsLock: 66, NumLock: 77, ScrollLock: 78, Pause: 127, PrintScreen: 107, ContextMenu: 135,
  F1: 67, F2: 68, F3: 69, F4: 70, F5: 71, F6: 72, F7: 73, F8: 74, F9: 75, F10: 76, F11: 95, F12: 96,
}

/** The symbols of a US keyboard. */
export const US: ReadonlyMap<number, Stroke> = readRows()

function readRows(): Map<number, Stroke> {
  const strokes = new Map<number, Stroke>()
  const learn = (key: string, code: number, shift: boolean): void => void strokes.set(keysymOf(key) ?? 0, { code, shift })
  for (const [first, plain, shifted] of ROWS) {
    ;[...shifted].forEach((char, i) => learn(char, first + i, true))
    ;[...plain].forEach((char, i) => learn(char, first + i, false))
  }
  for (const [key, code] of Object.entries(NAMED)) learn(key, code, false)
  return strokes
}
