import { DeskhandError, type ErrorBody, type ErrorCode } from '@deskhand/core/errors'
import { z } from 'zod'
import { Random } from './api/mersenne.ts'
import { Budget, LIMITS, type Limits } from './budget.ts'
import { ScriptSession, type ScriptStep } from './script-session.ts'
import type { Pause, ScriptPort } from './script-port.ts'
import { excerpt } from './excerpt.ts'
import { Halt } from './halt.ts'
import { BUILTINS } from './interp/builtins.ts'
import { PyError } from './interp/exceptions.ts'
import { drive, type Machine } from './interp/machine.ts'
import { binary, type Operators } from './interp/operators.ts'
import { execute } from './interp/statements.ts'
import { pausable } from './pause.ts'
import type { ProfileName } from './profile.ts'
import type { Program, Scope } from './program.ts'
import { compile } from './validate.ts'
import { complaint, ScriptWorld, type Observer } from './world.ts'

export interface RunOptions {
  port: ScriptPort
  profile?: ProfileName
  limits?: Partial<Limits>
  /** Ends the run at once; the script cannot catch it. */
  signal?: AbortSignal
  /** The operator's pause: the script waits before its next action while it is on. */
  pauses?: Pause
  observer?: Observer
  /** Floats from 0 to 1 are parts of the desktop's width and height. */
  relativeCoordinates?: boolean
  /** The initial `pyautogui.PAUSE` in seconds; 0.1 as in PyAutoGUI when left out. */
  pause?: number
  /** Makes `random` repeatable. */
  seed?: bigint
}

export interface ScriptResult {
  status: 'ok' | 'error'
  /** One sentence: what happened, and on which line. */
  detail: string
  /** `where`: the line and a mark below the place, for people and models to read. */
  error?: ErrorBody & { line?: number; column?: number; where?: string }
  steps: ScriptStep[]
  /** What the script printed. */
  output: string
}

/** Checks the script, then runs it through the port. Never throws: every way to fail is in the answer. */
export async function interpretScript(script: string, options: RunOptions): Promise<ScriptResult> {
  return await runWith(binary, script, options)
}

/** The same with other operators; tests prove with it that a wrong one is noticed. */
export async function runWith(operators: Operators, script: string, options: RunOptions): Promise<ScriptResult> {
  const done: Done = { steps: [], output: '' }
  try {
    const program = compile(script, options)
    await runProgram(program, operators, options, done)
    return { status: 'ok', detail: `done, ${counted(done.steps.length)}`, ...done }
  } catch (thrown) {
    return { ...failed(thrown, done, script), steps: done.steps, output: done.output }
  }
}

interface Done {
  steps: ScriptStep[]
  output: string
}

const RELEASE_MS = 2000
const NEVER_PAUSED: Pause = { paused: false, whenRunning: async () => {} }

async function runProgram(program: Program, operators: Operators, options: RunOptions, done: Done): Promise<void> {
  const signal = options.signal ?? new AbortController().signal
  const { relativeCoordinates = false, pause = 0.1 } = options
  const { clock } = options.port
  const budget = new Budget({ ...LIMITS, ...options.limits }, () => clock.now())
  const paused = pausable(options.port, options.pauses ?? NEVER_PAUSED, signal, (ms) => budget.forgive(ms))
  const { port } = paused
  const session = new ScriptSession({
    port,
    signal,
    relativeCoordinates,
    pause,
    random: new Random(options.seed),
  })
  const world = new ScriptWorld(session, paused, options.observer ?? {})
  const scope = program.scopes.get(program.body) ?? MODULE_SCOPE
  const globals = { scope, vars: new Map(), parent: undefined }
  const machine: Machine = {
    program,
    budget,
    world,
    operators,
    builtins: BUILTINS,
    globals,
    handling: [],
    at: { lineno: 1, col_offset: 0 },
  }
  done.steps = session.steps
  try {
    await drive(execute(machine, program.body, globals), signal)
  } catch (thrown) {
    throw located(thrown, machine)
  } finally {
    done.output = world.output
    await letGo(port)
  }
}

const MODULE_SCOPE: Scope = { locals: new Set(), globals: new Set(), kind: 'module' }

/** Releases what is held; a port that does not answer must not keep the run open. */
async function letGo(port: ScriptPort): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, RELEASE_MS)))
  await Promise.race([port.release().catch(() => {}), late])
  clearTimeout(timer)
}

/** An error with the position at which the script ended. */
class Located extends Error {
  readonly line: number
  readonly column: number | undefined
  readonly code: ErrorCode

  constructor(code: ErrorCode, at: { line: number; column?: number }, message: string, cause: unknown) {
    super(message, { cause })
    this.code = code
    this.line = at.line
    this.column = at.column
  }
}

function located(thrown: unknown, m: Machine): unknown {
  const { lineno: line } = m.at
  const here = { line, column: columnIn(m.program.source, m.at) }
  if (thrown instanceof PyError) {
    const { type, args } = thrown.exception
    const [code = null] = args
    if (type.name === 'SystemExit' && (code === null || code === 0n || code === false)) return new Finished()
    const at = thrown.line && thrown.line !== line ? { line: thrown.line } : here
    return new Located('SCRIPT_FAILED', at, complaint(m.budget, thrown), thrown)
  }
  if (thrown instanceof Halt) return new Located(thrown.code, here, thrown.message, thrown)
  if (thrown instanceof RangeError) return new Located('SCRIPT_FAILED', here, 'the script nests too deeply', thrown)
  return new Located('INTERNAL', here, thrown instanceof Error ? thrown.message : String(thrown), thrown)
}

const Place = z.object({ line: z.number(), column: z.number() })

/** `exit()` without an error code. */
class Finished extends Error {}

/** The parser counts columns in UTF-8 bytes, from 0. */
function columnIn(source: string, { lineno, col_offset }: Machine['at']): number {
  const line = source.split('\n')[lineno - 1] ?? ''
  return Buffer.from(line).subarray(0, col_offset).toString().length + 1
}

function failed(thrown: unknown, done: Done, script: string): Pick<ScriptResult, 'status' | 'detail' | 'error'> {
  if (thrown instanceof Finished) return { status: 'ok', detail: `done, ${counted(done.steps.length)}` }
  if (thrown instanceof Located) {
    const { code, line, column, message } = thrown
    const detail = `line ${line}: ${message}`
    return {
      status: 'error',
      detail,
      error: { ...new DeskhandError(code, detail).toJSON(), line, column, where: excerpt(script, line, column) },
    }
  }
  const e = DeskhandError.from(thrown)
  const place = Place.safeParse(e.details)
  const { line, column } = place.success ? place.data : {}
  const where = line === undefined ? undefined : excerpt(script, line, column)
  return { status: 'error', detail: e.message, error: { ...e.toJSON(), line, column, where } }
}

const counted = (calls: number): string => `${calls} call${calls === 1 ? '' : 's'}`
