import { DeskhandError } from '@deskhand/core/errors'
import { toKey } from '@deskhand/core/model'

/** The numbers of the named keys, which X11 and Wayland share. */
const NAMED: Readonly<Record<string, number>> = {
  Enter: 0xff0d,
  Tab: 0xff09,
  Escape: 0xff1b,
  Backspace: 0xff08,
  Delete: 0xffff,
  Insert: 0xff63,
  Home: 0xff50,
  End: 0xff57,
  PageUp: 0xff55,
  PageDown: 0xff56,
  ArrowLeft: 0xff51,
  ArrowUp: 0xff52,
  ArrowRight: 0xff53,
  ArrowDown: 0xff54,
  Shift: 0xffe1,
  Control: 0xffe3,
  Alt: 0xffe9,
  AltGraph: 0xfe03,
  Meta: 0xffeb,
  CapsLock: 0xffe5,
  NumLock: 0xff7f,
  ScrollLock: 0xff14,
  Pause: 0xff13,
  PrintScreen: 0xff61,
  ContextMenu: 0xff67,
}

/** The keysym of a canonical key: a name or a single character. Undefined when there is none. */
export function keysymOf(key: string): number | undefined {
  const named = NAMED[key] ?? functionKey(key)
  if (named !== undefined) return named
  const [char, ...rest] = key
  return char === undefined || rest.length > 0 || toKey(key) !== key ? undefined : keysymOfChar(char)
}

/** The keysym of a character; line breaks and tabs are keys, other control characters cannot be typed. */
export function keysymOfChar(char: string): number | undefined {
  const code = char.codePointAt(0) ?? 0
  if (char === '\n' || char === '\r') return NAMED.Enter
  if (char === '\t') return NAMED.Tab
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000)) return undefined
  return code < 0x100 ? code : 0x01000000 + code
}

/** The symbols of a text; throws when it has a character that no key can give. */
export function symbolsOf(text: string): number[] {
  return [...text.replaceAll('\r\n', '\n')].map((char) => {
    const symbol = keysymOfChar(char)
    if (symbol === undefined)
      throw new DeskhandError(
        'BAD_ARGS',
        `the text holds U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}, which cannot be typed`,
      )
    return symbol
  })
}

function functionKey(key: string): number | undefined {
  const number = /^F(\d{1,2})$/.exec(key)?.[1]
  return number === undefined ? undefined : 0xffbe + Number(number) - 1
}
