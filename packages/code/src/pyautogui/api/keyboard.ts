import { MOST_EVENTS, type KeyEvent } from '@deskhand/core/model'
import type { ScriptSession } from '../script-session.ts'
import { error } from '../interp/exceptions.ts'
import { toArray } from '../interp/iterate.ts'
import type { Machine, Steps } from '../interp/machine.ts'
import { typeName } from '../interp/types.ts'
import { isListOrTuple, PyHold, PySecret, type Value } from '../interp/values.ts'
import { arg, intArg, named, parameters, pure, textArg, type ApiFunction, type Context, type Run } from './function.ts'
import { findKey, isKeyboardCharacter, isShiftCharacter, needKey } from './keys.ts'
import { pause, seconds } from './mouse.ts'

const REFUSED = { logScreenshot: 'it would write files' }
const TAIL = { logScreenshot: null, _pause: true }
/** A key goes down and up, and a pause may follow. */
const MAX_PRESSES = Math.floor(MOST_EVENTS / 3)

const keyboard = (p: ApiFunction['parameters'], run: Run, hidden?: string[]): ApiFunction => ({
  parameters: p,
  run,
  hidden,
  pauses: true,
  refused: REFUSED,
})

const WRITE = keyboard(parameters('message', { interval: 0, ...TAIL }), write, ['message'])
/** `keys=[...]` is an argument that models invent; PyAutoGUI ignores it and presses nothing. */
const HOTKEY = keyboard({ positional: [], rest: 'args', keywordOnly: named({ interval: 0, keys: null, ...TAIL }) }, hotkey)

export const KEYBOARD: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['keyDown', keyboard(parameters('key', TAIL), (c) => single(c, 'down'))],
  ['keyUp', keyboard(parameters('key', TAIL), (c) => single(c, 'up'))],
  ['press', keyboard(parameters('keys', { presses: 1n, interval: 0, ...TAIL }), press)],
  ['write', WRITE],
  ['typewrite', WRITE],
  ['hotkey', HOTKEY],
  ['shortcut', HOTKEY],
  ['hold', { ...keyboard(parameters('keys', TAIL), hold), pure: true }],
  ['isValidKey', pure(parameters('key'), (c) => findKey(textArg(c, 'key')) !== undefined)],
  ['isShiftCharacter', pure(parameters('character'), (c) => isShiftCharacter(textArg(c, 'character')))],
])

/** Presses or releases the keys of a `with pyautogui.hold(...)`. */
export function* holdKeys(session: ScriptSession, { keys }: PyHold, direction: 'down' | 'up'): Steps<void> {
  if (keys.length > 0) yield* session.perform('keys', { events: keys.map((key) => ({ type: direction, key })) })
}

function* single(c: Context, type: 'down' | 'up'): Steps<null> {
  yield* send(c, [{ type, key: needKey(textArg(c, 'key')) }])
  return null
}

function* press(c: Context): Steps<null> {
  const keys = yield* keyNames(c.m, arg(c, 'keys'))
  const interval = seconds(c, 'interval')
  const presses = Number(intArg(c, 'presses'))
  if (presses * keys.length > MAX_PRESSES) throw error('ValueError', `at most ${MAX_PRESSES} presses at once`)
  const events: KeyEvent[] = []
  for (let i = 0; i < presses; i++) events.push(...keys.flatMap(tap), ...pause(interval))
  yield* send(c, events)
  return null
}

function* hotkey(c: Context): Steps<null> {
  const extra = arg(c, 'keys')
  const given = yield* toArray(c.m, extra ?? arg(c, 'args'))
  const [first] = given
  const list = isListOrTuple(first) ? first.items : given
  const keys = list.map(keyName)
  const gap = pause(seconds(c, 'interval'))
  yield* send(c, [
    ...keys.flatMap((key): KeyEvent[] => [{ type: 'down', key }, ...gap]),
    ...keys.toReversed().flatMap((key): KeyEvent[] => [{ type: 'up', key }, ...gap]),
  ])
  return null
}

function* hold(c: Context): Steps<Value> {
  return new PyHold(yield* keyNames(c.m, arg(c, 'keys')))
}

/** Sends text as key presses; characters that the keyboard does not have are typed as text. */
function* write(c: Context): Steps<null> {
  const message = arg(c, 'message')
  const interval = seconds(c, 'interval')
  if (message instanceof PySecret) {
    yield* c.session.perform('type', { text: message.text, redactInLogs: true })
    return null
  }
  if (typeof message !== 'string') {
    yield* send(
      c,
      (yield* toArray(c.m, message)).map(keyName).flatMap((key) => [...tap(key), ...pause(interval)]),
    )
    return null
  }
  c.m.budget.items(message.length)
  for (const run of runs(message, interval > 0)) {
    if (run.typed) {
      yield* c.session.perform('type', { text: run.text })
      yield* c.session.sleep(c.m, interval)
    } else {
      yield* send(
        c,
        Array.from(run.text).flatMap((char) => [...tap(needKey(char)), ...pause(interval)]),
      )
    }
  }
  return null
}

/** Splits text into runs of keys and runs of other characters; with an interval the latter are sent one by one. */
function runs(text: string, oneByOne: boolean): { text: string; typed: boolean }[] {
  const out: { text: string; typed: boolean }[] = []
  for (const char of text) {
    const typed = !isKeyboardCharacter(char)
    const last = out.at(-1)
    if (last && last.typed === typed && !(typed && oneByOne) && last.text.length < MAX_PRESSES) last.text += char
    else out.push({ text: char, typed })
  }
  return out
}

function* send(c: Context, events: KeyEvent[]): Steps<void> {
  if (events.length === 0) return
  if (events.length > MOST_EVENTS) throw error('ValueError', `at most ${MAX_PRESSES} presses at once`)
  c.m.budget.checkTime(events.reduce((sum, e) => sum + (e.type === 'pause' ? e.ms : 0), 0))
  yield* c.session.perform('keys', { events })
}

const tap = (key: string): KeyEvent[] => [
  { type: 'down', key },
  { type: 'up', key },
]

function* keyNames(m: Machine, v: Value): Steps<string[]> {
  return typeof v === 'string' ? [needKey(v)] : (yield* toArray(m, v)).map(keyName)
}

function keyName(v: Value): string {
  if (typeof v !== 'string') throw error('TypeError', `a key must be str, not ${typeName(v)}`)
  return needKey(v)
}
