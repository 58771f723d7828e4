import { error } from '../interp/exceptions.ts'
import { toArray } from '../interp/iterate.ts'
import type { Question } from '../script-port.ts'
import type { Steps } from '../interp/machine.ts'
import { str } from '../interp/repr.ts'
import { PyList, PySecret, type Value } from '../interp/values.ts'
import { arg, numberArg, parameters, type ApiFunction, type Context } from './function.ts'

const REFUSED = { root: 'there is no window of the script', icon: 'there are no icons', _tkinter: 'there is no window of the script' }
const MORE = { root: null, timeout: null }
/** PyAutoGUI's answer when the operator did not answer in time. */
const TIMED_OUT = 'Timeout'

/** Questions for the operator; the agent never sees or answers them. */
export const DIALOGS: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['alert', { parameters: parameters('', { text: '', title: '', button: 'OK', ...MORE }), refused: REFUSED, run: alert }],
  ['confirm', { parameters: parameters('', { text: '', title: '', buttons: null, ...MORE }), refused: REFUSED, run: confirm }],
  [
    'prompt',
    { parameters: parameters('', { text: '', title: '', default: '', ...MORE }), refused: REFUSED, run: (c) => answer(c, 'prompt') },
  ],
  [
    'password',
    {
      parameters: parameters('', { text: '', title: '', default: '', mask: '*', ...MORE }),
      refused: REFUSED,
      hidden: ['default'],
      run: secret,
    },
  ],
])

/** Asks the operator; the time until the answer does not count against the script's budget. */
function* ask(c: Context, question: Question): Steps<string | null> {
  const { now } = c.session.port.clock
  const since = now()
  const timeoutMs = arg(c, 'timeout') === null ? undefined : Math.max(0, Math.round(numberArg(c, 'timeout')))
  const answer = yield* c.session.ask({ ...question, timeoutMs })
  c.m.budget.forgive(now() - since)
  return answer === undefined ? TIMED_OUT : answer
}

const shown = (c: Context, name: string): string => str(c.m.budget, arg(c, name))

function* alert(c: Context): Steps<Value> {
  return yield* ask(c, { kind: 'alert', text: shown(c, 'text'), title: shown(c, 'title'), buttons: [shown(c, 'button')] })
}

function* confirm(c: Context): Steps<Value> {
  const buttons = (yield* toArray(c.m, arg(c, 'buttons') ?? new PyList(['OK', 'Cancel']))).map((b) => str(c.m.budget, b))
  if (buttons.length === 0 || buttons.length > 20) throw error('ValueError', 'confirm() needs between 1 and 20 buttons')
  return yield* ask(c, { kind: 'confirm', text: shown(c, 'text'), title: shown(c, 'title'), buttons })
}

function* answer(c: Context, kind: 'prompt' | 'password'): Steps<string | null> {
  const text = yield* ask(c, { kind, text: shown(c, 'text'), title: shown(c, 'title'), default: shown(c, 'default') })
  if (text !== null) c.m.budget.text(text.length)
  return text
}

function* secret(c: Context): Steps<Value> {
  const text = yield* answer(c, 'password')
  return text === null ? null : new PySecret(text)
}
