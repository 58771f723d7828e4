import { error, PYPERCLIP_EXCEPTION, raise } from '../interp/exceptions.ts'
import type { Steps } from '../interp/machine.ts'
import { str } from '../interp/repr.ts'
import { typeName } from '../interp/types.ts'
import { PySecret, type Value } from '../interp/values.ts'
import { arg, intArg, numberArg, parameters, pure, type ApiFunction, type Context } from './function.ts'

export const SLEEP: ApiFunction = { parameters: parameters('seconds'), run: sleep }

const clock = pure(parameters(''), ({ session }) => session.port.clock.now() / 1000)

export const TIME: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['sleep', SLEEP],
  ['time', clock],
  ['monotonic', clock],
  ['perf_counter', clock],
])

export const COUNTDOWN: ApiFunction = { parameters: parameters('seconds'), run: countdown }

export const PYPERCLIP: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['copy', { parameters: parameters('text'), hidden: ['text'], run: copy }],
  ['paste', { parameters: parameters(''), run: paste }],
])

function* sleep(c: Context): Steps<Value> {
  const seconds = numberArg(c, 'seconds')
  if (Number.isNaN(seconds)) throw error('ValueError', 'Invalid value NaN (not a number)')
  if (seconds < 0) throw error('ValueError', 'sleep length must be non-negative')
  yield* c.session.sleep(c.m, seconds)
  return null
}

function* countdown(c: Context): Steps<Value> {
  for (let i = intArg(c, 'seconds'); i > 0n; i--) {
    c.m.world.print(c.m, `${i} `)
    yield* c.session.sleep(c.m, 1)
  }
  c.m.world.print(c.m, '\n')
  return null
}

function* copy(c: Context): Steps<Value> {
  const v = arg(c, 'text')
  if (v instanceof PySecret) throw raise(PYPERCLIP_EXCEPTION, 'a password does not go through the clipboard; use pyautogui.write()')
  if (typeof v === 'object')
    throw raise(PYPERCLIP_EXCEPTION, `only str, int, float, and bool values can be copied to the clipboard, not ${typeName(v)}`)
  yield* c.session.perform('clipboard_write', { text: str(c.m.budget, v) })
  return null
}

function* paste(c: Context): Steps<Value> {
  const { data } = yield* c.session.perform('clipboard_read', {})
  const text = typeof data === 'object' && data !== null && 'text' in data ? data.text : data
  if (typeof text !== 'string') throw raise(PYPERCLIP_EXCEPTION, 'the clipboard holds no text')
  c.m.budget.text(text.length)
  return text
}
