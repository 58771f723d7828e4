import type { Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { Route } from '../../model/index.ts'
import type { InputLease } from '../call.ts'
import type { Ports } from '../ports.ts'
import type { Decided, Recorder } from '../record.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { LiveTree } from '../see/live-tree.ts'
import { act } from './act.ts'
import type { Unreached } from './act-context.ts'
import type { AppCloser } from './close-app.ts'
import type { JudgeAgain, Underway } from './judge-again.ts'
import type { LeaseQueue } from './lease.ts'
import type { Checked } from './ready.ts'
import { reveal } from './reveal.ts'

interface ActorNeeds {
  tree: LiveTree
  driver: DriverState
  recorder: Recorder
  leases: LeaseQueue
  again: JudgeAgain
  closer: AppCloser
  /** Absent where there are no secrets. */
  secret: Ports['secret']
}

/** The characters that are keys. */
const SUBMITS = { Enter: '\n', Tab: '\t' } as const

/** Sends the input of a call, to the targets that were decided about and checked. */
export class Actor {
  readonly #on: ActorNeeds

  constructor(needs: ActorNeeds) {
    this.#on = needs
  }

  /** What the call types, with its secret filled in. */
  async textOf({ action, targets }: Decided): Promise<string | undefined> {
    if (action.do !== 'type') return undefined
    const submit = action.submit === undefined ? '' : SUBMITS[action.submit]
    if (action.secret === undefined) return (action.text ?? '') + submit
    const { secret } = this.#on
    if (secret === undefined) throw new DeskhandError('UNKNOWN_SECRET', `no secret ${action.secret} is known here`)
    return (await secret(action.secret, targets[0]?.facts)) + submit
  }

  reveal(decided: Decided, signal: AbortSignal): Promise<void> {
    return reveal(this.#on, decided, signal)
  }

  /** The decision on the next of these routes, where the one before could not be taken. */
  judge(underway: Underway, routes: readonly Route[]): Promise<Decided> {
    return this.#on.again.routes(underway, routes)
  }

  /** The record says what is about to be done before the first event is sent. */
  async act(underway: Underway, on: Checked & { text?: string; lease: InputLease }): Promise<Sent | Unreached> {
    const { tree, driver, recorder, again, closer } = this.#on
    const { decided, consent, signal } = underway
    const { action } = decided
    await recorder.acting(decided, on.targets, consent?.digest)
    signal.throwIfAborted()
    // Before the first key: what is typed shows in the tree while it is typed.
    const field = on.targets[0]?.facts.key
    if (action.do === 'type' && action.secret !== undefined && field !== undefined) tree.keepPrivate(field)
    const course = again.during(underway)
    if (action.do === 'close') return closer.close(action, on.targets, on.lease, signal)
    return await act(action, { ...on, driver, route: decided.routes[0], signal, again: course })
  }
}
