/** Words that cannot be names. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda ' +
    'nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** Why a name cannot be used; undefined when it can. `__name__` may be read, for `if __name__ == '__main__'`. */
export function badName(name: string, use: 'read' | 'write'): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'names can only have ASCII letters, digits and _'
  if (KEYWORDS.has(name)) return `'${name}' is a keyword and cannot be a name`
  if (name.startsWith('__') && !(use === 'read' && name === '__name__'))
    return `names that start with __ are not available, such as ${name}`
  return undefined
}

/** Advice about well-known names that scripts cannot use. */
const INSTEAD: Record<string, string> = {
  open: 'files cannot be reached',
  eval: 'code cannot be run from text',
  exec: 'code cannot be run from text',
  compile: 'code cannot be run from text',
  input: 'use pyautogui.prompt() to ask the operator',
  globals: 'use variables',
  locals: 'use variables',
  vars: 'use a dict',
  dir: 'look at the documentation',
  getattr: 'write the attribute out',
  setattr: 'use a dict',
  hasattr: 'use isinstance()',
  delattr: 'use a dict',
  breakpoint: 'print() what you want to see',
  os: 'the operating system cannot be reached',
  sys: 'the interpreter cannot be reached; exit() ends the script',
  subprocess: 'programs cannot be started',
  socket: 'the network cannot be reached',
  requests: 'the network cannot be reached',
  urllib: 'the network cannot be reached',
  shutil: 'files cannot be reached',
  pathlib: 'files cannot be reached',
  pyscreeze: 'use pyautogui.locateOnScreen()',
  PIL: 'use pyautogui.screenshot() and getpixel()',
  cv2: 'use pyautogui.locateOnScreen()',
  numpy: 'use lists and the math module',
  typing: 'annotations need no import: list, dict, str',
  __future__: 'leave it out',
  datetime: 'use time.time()',
  threading: 'calls already wait for their end',
  asyncio: 'calls already wait for their end',
  logging: 'use print()',
  traceback: 'print() the exception',
  keyboard: 'use pyautogui.press() and pyautogui.hotkey()',
  pynput: 'use pyautogui',
  Xlib: 'use pyautogui',
  pygetwindow: 'windows are reached through the ui tools',
  webbrowser: 'use the desktop: open a browser and type the address',
  WAIT: 'it is a reply of its own, not a line of a script',
  DONE: 'it is a reply of its own, not a line of a script',
  FAIL: 'it is a reply of its own, not a line of a script',
}

export function instead(name: string): string {
  return Object.hasOwn(INSTEAD, name) ? `; ${INSTEAD[name]}` : ''
}

/** Advice about methods and attributes of other languages and libraries. */
const MEMBERS: Record<string, string> = {
  push: 'use append()',
  length: 'use len()',
  size: 'use len()',
  contains: 'use in',
  includes: 'use in',
  indexOf: 'use find() or index()',
  substring: 'use a slice, as in text[1:3]',
  trim: 'use strip()',
  toUpperCase: 'use upper()',
  toLowerCase: 'use lower()',
  toString: 'use str()',
  encode: 'text needs no encoding',
  decode: 'text needs no decoding',
  save: 'screenshots cannot be saved; keep the returned image',
  __class__: 'use type(x).__name__',
}

/** Advice about a method or attribute that values do not have. */
export function insteadOf(member: string, known: Iterable<string>): string {
  return Object.hasOwn(MEMBERS, member) ? `; ${MEMBERS[member]}` : closest(member, known)
}

/** The closest of the known names, for "did you mean". */
export function closest(name: string, known: Iterable<string>): string {
  let best: { name: string; distance: number } | undefined
  if (name.length < 3) return ''
  for (const candidate of known) {
    if (candidate.length < 3) continue
    const d = distance(name.toLowerCase(), candidate.toLowerCase())
    if (d <= Math.max(1, candidate.length / 3) && (!best || d < best.distance)) best = { name: candidate, distance: d }
  }
  return best ? `; did you mean ${best.name}?` : ''
}

function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 4) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? Infinity
}
