import { findFunction, offers, readMember, writeMember } from './api/modules.ts'
import type { ApiFunction, Context } from './api/function.ts'
import { holdKeys } from './api/keyboard.ts'
import type { Pause } from './script-port.ts'
import type { ScriptSession, ScriptStep } from './script-session.ts'
import { Halt } from './halt.ts'
import { bind } from './interp/arguments.ts'
import { error, PyError } from './interp/exceptions.ts'
import { isSteps, wait, type Machine, type Steps, type World } from './interp/machine.ts'
import { exceptionText, repr } from './interp/repr.ts'
import { length } from './interp/text.ts'
import { truthy } from './interp/types.ts'
import type { Kwargs, PyApi, PyHold, Value } from './interp/values.ts'
import { isModule, type ModuleName } from './program.ts'
import type { Budget } from './budget.ts'

/** A call that is about to be made, as observers see it. */
export interface PlannedCall {
  line: number
  name: string
  /** The arguments as Python shows them. */
  args: string[]
  kwargs: Record<string, string>
}

export interface Observer {
  /** Before a call; the run waits for it. */
  before?(call: PlannedCall): void | Promise<void>
  after?(step: ScriptStep): void
}

/** What the modules of a script do in its session; `print` writes into `output`. */
export class ScriptWorld implements World {
  output = ''
  readonly #session: ScriptSession
  readonly #pauses: Pause
  readonly #observer: Observer

  constructor(session: ScriptSession, pauses: Pause, observer: Observer) {
    this.#session = session
    this.#pauses = pauses
    this.#observer = observer
  }

  read(_m: Machine, module: ModuleName, name: string): Value {
    return readMember(this.#session, module, name)
  }

  write(_m: Machine, module: ModuleName, name: string, value: Value): void {
    writeMember(this.#session, module, name, value)
  }

  names(module: ModuleName): readonly string[] {
    return [...offers(module)]
  }

  print(m: Machine, text: string): void {
    if (this.output.length + text.length > m.budget.limits.output)
      throw new Halt('SCRIPT_FAILED', `the script printed more than ${m.budget.limits.output} characters`)
    this.output += text
  }

  *call(m: Machine, { module, name }: PyApi, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
    const fn = isModule(module) ? findFunction(module, name) : undefined
    if (!fn) throw error('AttributeError', `module '${module}' has no attribute '${name}'`)
    m.budget.call()
    const bound = bind(name, fn.parameters, args, kwargs)
    checkRefused(fn, name, args, kwargs)
    const context = { m, session: this.#session, args: bound }
    if (fn.pure) return yield* start(fn, context)
    const planned: PlannedCall = { line: m.at.lineno, name: `${module}.${name}`, ...shown(m, fn, args, kwargs) }
    const step = yield* this.#begin(m, planned)
    try {
      if (fn.pauses) this.#session.checkCorners()
      const value = yield* start(fn, context)
      if (fn.pauses && truthy(bound.get('_pause') ?? true))
        yield* this.#session.sleep(m, Math.max(0, this.#session.settings.PAUSE - this.#session.settledMs / 1000))
      return value
    } catch (thrown) {
      step.error = { code: thrown instanceof Halt ? thrown.code : 'SCRIPT_FAILED', message: complaint(m.budget, thrown) }
      throw thrown
    } finally {
      this.#observer.after?.(step)
    }
  }

  *hold(m: Machine, hold: PyHold, direction: 'down' | 'up'): Steps<void> {
    const keys = hold.keys.map((k) => `'${k}'`).join(', ')
    const step = yield* this.#begin(m, {
      line: m.at.lineno,
      name: direction === 'down' ? 'pyautogui.hold' : 'pyautogui.hold.end',
      args: [keys],
      kwargs: {},
    })
    yield* holdKeys(this.#session, hold, direction)
    this.#observer.after?.(step)
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.#pauses.whenRunning()
  }

  /** Waits for the operator, then opens the step. */
  *#begin(m: Machine, planned: PlannedCall): Steps<ScriptStep> {
    if (this.#pauses.paused) yield* wait(() => this.#pauses.whenRunning())
    const { before } = this.#observer
    if (before) yield* wait(async () => before.call(this.#observer, planned))
    const given = [...planned.args, ...Object.entries(planned.kwargs).map(([k, v]) => `${k}=${v}`)].join(', ')
    const step: ScriptStep = { line: planned.line, column: m.at.col_offset + 1, call: `${planned.name}(${given})`, ops: [] }
    this.#session.steps.push(step)
    return step
  }
}

function* start(fn: ApiFunction, context: Context): Steps<Value> {
  const answer = fn.run(context)
  return isSteps(answer) ? yield* answer : answer
}

function checkRefused(fn: ApiFunction, name: string, args: readonly Value[], kwargs: Kwargs): void {
  for (const [parameter, reason] of Object.entries(fn.refused ?? {})) {
    const position = fn.parameters.positional.findIndex((p) => p.name === parameter)
    if (kwargs.has(parameter) || (position >= 0 && position < args.length))
      throw error('TypeError', `${name}(${parameter}=...) is not available; ${reason}`)
  }
}

/** What was thrown, in one sentence. */
export function complaint(budget: Budget, thrown: unknown): string {
  if (!(thrown instanceof PyError)) return thrown instanceof Error ? thrown.message : String(thrown)
  const text = messageOf(budget, thrown)
  return text === '' ? thrown.exception.type.fullName : `${thrown.exception.type.fullName}: ${text}`
}

const MAX_MESSAGE = 1000

/** The message of an exception, cut to a readable length; never throws. */
function messageOf(budget: Budget, { exception }: PyError): string {
  try {
    const text = exceptionText(budget, exception)
    return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
  } catch {
    return 'its message is too long to be shown'
  }
}

const MAX_SHOWN = 120

/** The arguments as text; of typed and copied text only the length. */
function shown(m: Machine, fn: ApiFunction, args: readonly Value[], kwargs: Kwargs): Pick<PlannedCall, 'args' | 'kwargs'> {
  const show = (name: string | undefined, v: Value): string => {
    if (name !== undefined && fn.hidden?.includes(name)) return typeof v === 'string' ? `<${length(v)} characters>` : '<hidden>'
    const text = repr(m.budget, v)
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
  }
  return {
    args: args.map((v, i) => show(fn.parameters.positional[i]?.name, v)),
    kwargs: Object.fromEntries([...kwargs].map(([k, v]) => [k, show(k, v)])),
  }
}
