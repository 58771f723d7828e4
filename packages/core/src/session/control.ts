import { DeskhandError } from '../errors.ts'
import { Notifier } from '../notifier.ts'
import { TRAITS, type Action, type InputGrant, type Mode, type Principal } from '../model/index.ts'
import type { InputLease } from './call.ts'
import type { Pause } from './ports.ts'

/** What the operator set: how far real input may go, whether everything is stopped, and whether acting waits. */
export class Control implements Pause {
  readonly #running = new Notifier()
  #mode: Mode
  #inputGrants: readonly InputGrant[] = []
  #stopped?: { by: Principal; at: string }
  #paused = false

  constructor(mode: Mode) {
    this.#mode = mode
  }

  get mode(): Mode {
    return this.#mode
  }

  get inputGrants(): readonly InputGrant[] {
    return this.#inputGrants
  }

  get stopped(): boolean {
    return this.#stopped !== undefined
  }

  get paused(): boolean {
    return this.#paused
  }

  setMode(mode: Mode, grants: readonly InputGrant[]): void {
    this.#mode = mode
    this.#inputGrants = grants
  }

  stop(by: Principal, at: string): void {
    this.#stopped ??= { by, at }
  }

  pause(): void {
    this.#paused = true
  }

  /** Ends a stop and a pause. */
  resume(): void {
    this.#stopped = undefined
    this.#paused = false
    this.#running.notify()
  }

  refuseWhileStopped(action: Action): void {
    if (this.#stopped === undefined || TRAITS[action.do].reads) return
    throw new DeskhandError('STOPPED', `${this.#stopped.by.id} stopped this desktop at ${this.#stopped.at}`)
  }

  /** Throws while the desktop is stopped, and waits without the lease while it is paused; looking is always free. */
  async mayAct(action: Action, signal: AbortSignal, lease?: InputLease): Promise<void> {
    this.refuseWhileStopped(action)
    if (TRAITS[action.do].reads || !this.#paused) return
    await lease?.rest()
    await this.whenRunning(signal)
    this.refuseWhileStopped(action)
  }

  async whenRunning(signal: AbortSignal = NEVER): Promise<void> {
    while (this.#paused) {
      signal.throwIfAborted()
      await this.#running.wait(signal)
    }
    signal.throwIfAborted()
  }
}

const NEVER = new AbortController().signal
