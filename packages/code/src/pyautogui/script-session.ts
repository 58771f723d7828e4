import { DeskhandError, type ErrorCode } from '@deskhand/core/errors'
import { Point, Screen, type Decision, type Effect, type Rect, type ResolvedTarget, type Result, type Risk } from '@deskhand/core/model'
import type { Random } from './api/mersenne.ts'
import type { ScriptPort, ImageSearch, Origin, Question, ScriptAction, ScriptActions } from './script-port.ts'
import { Halt } from './halt.ts'
import { FAIL_SAFE, PYAUTOGUI_EXCEPTION, raise } from './interp/exceptions.ts'
import { wait, type Machine, type Steps } from './interp/machine.ts'
import type { Value } from './interp/values.ts'

/** One call of the script and its outcome. */
export interface ScriptStep {
  line: number
  column: number
  call: string
  /** The operations in the session's journal that the call led to. */
  ops: string[]
  decision?: Decision
  risk?: Risk
  target?: ResolvedTarget
  sent?: Result['sent']
  effect?: Effect
  error?: { code: string; message: string }
}

/** The longest time that an action may look for its effect. */
const MOST_SETTLING_MS = 400

interface SessionOptions {
  port: ScriptPort
  signal: AbortSignal
  random: Random
  relativeCoordinates: boolean
  pause: number
}

/** The state of one run that the functions of pyautogui share. */
export class ScriptSession {
  readonly steps: ScriptStep[] = []
  readonly settings: { PAUSE: number; FAILSAFE: boolean; MINIMUM_DURATION: number; MINIMUM_SLEEP: number }
  /** The settings as the script wrote them. */
  readonly given = new Map<string, Value>()
  readonly random: Random
  readonly relativeCoordinates: boolean
  raiseWhenImageNotFound = true
  /** How much of the pause the last action spent looking for its effect. */
  settledMs = 0
  /** Where the script itself left the pointer. */
  pointer: Point | undefined
  /** The point off the screen that the script asked for when it left the pointer at the edge. */
  beyond: Point | undefined
  readonly port: ScriptPort
  readonly signal: AbortSignal
  #size: Rect | undefined

  constructor({ port, signal, random, relativeCoordinates, pause }: SessionOptions) {
    this.port = port
    this.signal = signal
    this.random = random
    this.relativeCoordinates = relativeCoordinates
    this.settings = { PAUSE: pause, FAILSAFE: true, MINIMUM_DURATION: 0.1, MINIMUM_SLEEP: 0.05 }
  }

  /** One action. What a script may handle becomes an exception; everything else ends the run. */
  *perform<K extends ScriptAction>(kind: K, args: ScriptActions[K]): Steps<Result> {
    const step = this.#step()
    const settleMs = kind === 'pointer' || kind === 'keys' ? Math.min(MOST_SETTLING_MS, Math.round(this.settings.PAUSE * 1000)) : 0
    const given = settleMs > 0 ? { ...args, settleMs } : args
    const since = this.port.clock.now()
    const result = yield* this.#reach((origin) => this.port.perform(kind, given, origin))
    this.settledMs = Math.min(settleMs, this.port.clock.now() - since)
    step.ops.push(result.op)
    if (kind !== 'screens') {
      if (result.decision) step.decision = result.decision
      if (result.risk) step.risk = result.risk
      if (result.resolvedTarget) step.target = result.resolvedTarget
      step.sent = result.sent
      step.effect = result.effect
    }
    if (result.status === 'error') throw failure(DeskhandError.revive(result.error ?? { code: 'INTERNAL', message: 'the action failed' }))
    return result
  }

  *ask(question: Question): Steps<string | null | undefined> {
    const { ask } = this.port
    if (!ask) throw failure(new DeskhandError('NOT_CAPABLE', 'no operator can be asked here'))
    return yield* this.#reach((origin) => ask.call(this.port, question, origin))
  }

  *locate(search: ImageSearch): Steps<Rect[]> {
    const { locate } = this.port
    if (!locate)
      throw failure(
        new DeskhandError('NOT_CAPABLE', 'there is no image search on this desktop; find the element by its name with the ui tools'),
      )
    return yield* this.#reach((origin) => locate.call(this.port, search, origin))
  }

  *sleep(m: Machine, seconds: number): Steps<void> {
    const ms = seconds * 1000
    m.budget.checkTime(ms)
    if (ms > 0) yield* wait(() => this.port.clock.sleep(ms, this.signal))
  }

  /** The desktop's extent: what holds all screens. */
  *extent(): Steps<Rect> {
    const { screens } = this.port
    if (!this.#size && screens) {
      const found = yield* this.#reach(() => screens.call(this.port))
      if (found.length > 0) this.#size = around(found.map((s) => s.bounds))
    }
    if (!this.#size) yield* this.#look()
    return this.#size ?? { x: 0, y: 0, w: 0, h: 0 }
  }

  /** PyAutoGUI's fail-safe: a script that moved the pointer into a corner stops. The operator's own stop comes through the port. */
  checkCorners(): void {
    const { pointer } = this
    if (!this.settings.FAILSAFE || !pointer || !this.#corners().some((p) => p.x === pointer.x && p.y === pointer.y)) return
    throw raise(FAIL_SAFE, 'PyAutoGUI fail-safe triggered from mouse moving to a corner of the screen.')
  }

  /** The corners of the desktop, once its extent is known. */
  #corners(): Point[] {
    if (!this.#size) return []
    const { x, y, w, h } = this.#size
    return [x, x + w - 1].flatMap((px) => [y, y + h - 1].map((py) => ({ x: px, y: py })))
  }

  /** The real position of the pointer. */
  *whereIsPointer(): Steps<Point> {
    return yield* this.#look()
  }

  *#look(): Steps<Point> {
    const { data } = yield* this.perform('screens', {})
    const screens = Screen.array().safeParse(field(data, 'screens'))
    const pointer = Point.safeParse(field(data, 'pointer'))
    if (!screens.success || screens.data.length === 0 || !pointer.success)
      throw new Halt('INTERNAL', 'the desktop did not say how large it is')
    this.#size = around(screens.data.map((s) => s.bounds))
    return { x: Math.trunc(pointer.data.x), y: Math.trunc(pointer.data.y) }
  }

  *#reach<T>(start: (origin: Origin) => Promise<T>): Steps<T> {
    const { line, column, call } = this.#step()
    try {
      return yield* wait(() => start({ line, column, call, signal: this.signal }))
    } catch (thrown) {
      if (thrown instanceof Halt) throw thrown
      throw failure(DeskhandError.from(thrown))
    }
  }

  #step(): ScriptStep {
    const step = this.steps.at(-1)
    if (!step) throw new Halt('INTERNAL', 'an action outside of a call')
    return step
  }
}

/** Errors that a script can react to. A refusal, a stop and an internal fault end the run instead. */
const HANDLED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_FOUND',
  'AMBIGUOUS_TARGET',
  'STALE_REF',
  'NOT_ACTIONABLE',
  'TARGET_CHANGED',
  'GUARD_BROKEN',
  'VERIFY_FAILED',
  'ASSERT_FAILED',
  'TIMEOUT',
  'NOT_CAPABLE',
  'APP_HUNG',
  'BAD_ARGS',
])

function failure(e: DeskhandError): Error {
  if (HANDLED.has(e.code)) return raise(PYAUTOGUI_EXCEPTION, `${e.code}: ${e.message}`)
  return new Halt(e.code, e.message, { cause: e })
}

function field(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null && name in data ? Reflect.get(data, name) : undefined
}

function around(rects: readonly Rect[]): Rect {
  const x = Math.min(...rects.map((r) => r.x))
  const y = Math.min(...rects.map((r) => r.y))
  return { x, y, w: Math.max(...rects.map((r) => r.x + r.w)) - x, h: Math.max(...rects.map((r) => r.y + r.h)) - y }
}
