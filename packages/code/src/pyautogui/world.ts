import { findFunction, offers, readMember, writeMember } from './api/modules.ts'
import type { ApiFunction, Context } from './api/function.ts'
import { holdKeys } from './api/keyboard.ts'
import type { Desk, ScriptStep } from './desk.ts'
import { Halt } from './halt.ts'
import { bind } from './interp/arguments.ts'
import { error, PyError } from './interp/exceptions.ts'
import { wait, type Machine, type Steps, type World } from './interp/machine.ts'
import { exceptionText, repr } from './interp/repr.ts'
import { length } from './interp/text.ts'
import { truthy } from './interp/types.ts'
import type { Kwargs, PyApi, PyHold, Value } from './interp/values.ts'
import type { Pausable } from './pause.ts'
import { isModule, type ModuleName } from './program.ts'
import type { Budget } from './budget.ts'

/** A call about to be made: what rehearsals and tests look at. */
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

/** The modules of a script, on a desk; prints into `output`. */
export class DeskWorld implements World {
  output = ''
  private readonly desk: Desk
  private readonly pauses: Pausable
  private readonly observer: Observer

  constructor(desk: Desk, pauses: Pausable, observer: Observer) {
    this.desk = desk
    this.pauses = pauses
    this.observer = observer
  }

  read(_m: Machine, module: ModuleName, name: string): Value {
    return readMember(this.desk, module, name)
  }

  write(_m: Machine, module: ModuleName, name: string, value: Value): void {
    writeMember(this.desk, module, name, value)
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
    const context = { m, desk: this.desk, args: bound }
    if (fn.pure) return yield* start(fn, context)
    const planned: PlannedCall = { line: m.at.lineno, name: `${module}.${name}`, ...shown(m, fn, args, kwargs) }
    const step = yield* this.begin(m, planned)
    try {
      if (fn.pauses) this.desk.checkCorners()
      const value = yield* start(fn, context)
      if (fn.pauses && truthy(bound.get('_pause') ?? true))
        yield* this.desk.sleep(m, Math.max(0, this.desk.settings.PAUSE - this.desk.settledMs / 1000))
      return value
    } catch (thrown) {
      step.error = { code: thrown instanceof Halt ? thrown.code : 'SCRIPT_FAILED', message: complaint(m.budget, thrown) }
      throw thrown
    } finally {
      this.observer.after?.(step)
    }
  }

  *hold(m: Machine, hold: PyHold, direction: 'down' | 'up'): Steps<void> {
    const keys = hold.keys.map((k) => `'${k}'`).join(', ')
    const step = yield* this.begin(m, {
      line: m.at.lineno,
      name: direction === 'down' ? 'pyautogui.hold' : 'pyautogui.hold.end',
      args: [keys],
      kwargs: {},
    })
    yield* holdKeys(this.desk, hold, direction)
    this.observer.after?.(step)
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.pauses.whenRunning()
  }

  /** Waits for the operator, then opens the step. */
  private *begin(m: Machine, planned: PlannedCall): Steps<ScriptStep> {
    if (this.pauses.isPaused()) yield* wait(() => this.pauses.whenRunning())
    const { before } = this.observer
    if (before) yield* wait(async () => before.call(this.observer, planned))
    const given = [...planned.args, ...Object.entries(planned.kwargs).map(([k, v]) => `${k}=${v}`)].join(', ')
    const step: ScriptStep = { line: planned.line, column: m.at.col_offset + 1, call: `${planned.name}(${given})`, ops: [] }
    this.desk.steps.push(step)
    return step
  }
}

function* start(fn: ApiFunction, context: Context): Steps<Value> {
  return 'compute' in fn ? fn.compute(context) : yield* fn.run(context)
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

/** The message of an exception, short enough to be read; making it must not fail in its turn. */
function messageOf(budget: Budget, { exception }: PyError): string {
  try {
    const text = exceptionText(budget, exception)
    return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
  } catch {
    return 'its message is too long to be shown'
  }
}

const MAX_SHOWN = 120

/** The arguments as text; what is typed or copied is only measured. */
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
