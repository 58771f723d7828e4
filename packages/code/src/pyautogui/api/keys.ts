import { keyProblem, toKey } from '@deskhand/core/model'
import { PYAUTOGUI_EXCEPTION, raise } from '../interp/exceptions.ts'

/** PyAutoGUI's own names where they differ from the common ones. */
const NAMES: Readonly<Record<string, string>> = {
  '\n': 'Enter',
  '\r': 'Enter',
  '\t': 'Tab',
  '\b': 'Backspace',
  altleft: 'Alt',
  altright: 'Alt',
  ctrlleft: 'Control',
  ctrlright: 'Control',
  shiftleft: 'Shift',
  shiftright: 'Shift',
  winleft: 'Meta',
  winright: 'Meta',
  optionleft: 'Alt',
  optionright: 'Alt',
  printscreen: 'PrintScreen',
  prntscrn: 'PrintScreen',
  prtscr: 'PrintScreen',
  multiply: '*',
  add: '+',
  subtract: '-',
  divide: '/',
  decimal: '.',
  separator: ',',
  ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`num${i}`, `${i}`])),
}

/** Names PyAutoGUI lists for keys that common desktops do not have. */
const ELSEWHERE =
  'accept browserback browserfavorites browserforward browserhome browserrefresh browsersearch browserstop clear convert execute final fn hanguel hangul ' +
  'hanja help junja kana kanji launchapp1 launchapp2 launchmail launchmediaselect modechange nexttrack nonconvert playpause prevtrack select sleep stop ' +
  'volumedown volumemute volumeup yen'

const LISTED =
  'alt altleft altright apps backspace capslock ctrl ctrlleft ctrlright decimal del delete divide down end enter esc escape home insert left multiply add ' +
  'subtract separator num0 num1 num2 num3 num4 num5 num6 num7 num8 num9 numlock pagedown pageup pause pgdn pgup print printscreen prntscrn prtsc prtscr ' +
  'return right scrolllock shift shiftleft shiftright space tab up win winleft winright command option optionleft optionright'

/** `pyautogui.KEY_NAMES`. */
export const KEY_NAMES: readonly string[] = [
  '\t',
  '\n',
  '\r',
  ...' !"#$%&\'()*+,-./0123456789:;<=>?@[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~',
  ...[...LISTED.split(' '), ...ELSEWHERE.split(' '), ...Array.from({ length: 24 }, (_, i) => `f${i + 1}`)].sort(),
]

/** The key that a script means, or undefined when there is none. */
export function findKey(name: string): string | undefined {
  const word = [...name].length > 1 ? name.toLowerCase() : name
  return Object.hasOwn(NAMES, word) ? NAMES[word] : toKey(word)
}

/** The key that a script means; an unknown one is an exception here, where PyAutoGUI drops it silently. */
export function needKey(name: string): string {
  const key = name === '' ? undefined : findKey(name)
  if (key !== undefined) return key
  const parts = name.split('+')
  const chord = parts.length > 1 && parts.every((p) => findKey(p.trim()) !== undefined)
  const help = chord
    ? `write pyautogui.hotkey(${parts.map((p) => `'${p.trim()}'`).join(', ')})`
    : `${keyProblem(name).replace(/^.*; /, '')}; pyautogui.KEY_NAMES lists them; pyautogui.write() types text`
  throw raise(PYAUTOGUI_EXCEPTION, `there is no key '${name.slice(0, 40)}' on this desktop; ${help}`)
}

/** Characters that a plain keyboard has; all others are typed as text. */
export const isKeyboardCharacter = (c: string): boolean => /^[\x20-\x7e\n\r\t\b]$/.test(c)

export const isShiftCharacter = (c: string): boolean => /^\p{Lu}$/u.test(c) || '~!@#$%^&*()_+{}|:"<>?'.includes(c)
