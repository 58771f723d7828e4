import type { Observe, Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { Principal, Route } from '../../model/index.ts'
import type { InputLease } from '../call.ts'
import type { Ports } from '../ports.ts'
import type { Decided, Recorder } from '../record.ts'
import { check } from '../see/check.ts'
import type { Resolved } from '../see/targets.ts'
import type { WaitNeeds } from '../see/wait-for.ts'
import type { PrivateCopies } from '../decide/private-copies.ts'
import { act } from './act.ts'
import type { Unreached } from './act-context.ts'
import { closeApp } from './close-app.ts'
import { followFocus, followRelease, judgeRoutes, settled, type FollowNeeds, type Underway } from './judge-again.ts'
import type { LeaseQueue } from './lease.ts'
import type { Checked } from './ready.ts'
import { reveal } from './reveal.ts'

export interface ActorNeeds {
  observe: Observe
  recorder: Recorder
  leases: LeaseQueue
  wait: WaitNeeds
  follow: FollowNeeds
  copies: PrivateCopies
  ports: Pick<Ports, 'secret' | 'end'>
  /** Told who is about to send input. */
  inputBy(who: Principal): void
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
    const { secret } = this.#on.ports
    if (secret === undefined) throw new DeskhandError('UNKNOWN_SECRET', `no secret ${action.secret} is known here`)
    return (await secret(action.secret, targets[0]?.facts)) + submit
  }

  reveal(decided: Decided, signal: AbortSignal): Promise<void> {
    const { wait, leases, recorder } = this.#on
    return reveal({ tree: wait.tree, driver: wait.driver, leases, recorder }, decided, signal)
  }

  /** The decision on the next of these routes, where the one before could not be taken. */
  judge(underway: Underway, routes: readonly Route[]): Promise<Decided> {
    return judgeRoutes(this.#on.follow, underway, routes)
  }

  /** The record says what is about to be done before the first event is sent. */
  async act(underway: Underway, on: Checked & { text?: string; lease: InputLease }): Promise<Sent | Unreached> {
    const { observe, recorder, wait, follow, copies, ports, inputBy } = this.#on
    const { decided, consent, signal } = underway
    const { action, call } = decided
    await recorder.acting(decided, on.targets, consent?.digest)
    signal.throwIfAborted()
    inputBy(call.principal)
    // Before the first key: what is typed shows in the tree while it is typed.
    const field = on.targets[0]?.facts.key
    if (action.do === 'type' && action.secret !== undefined && field !== undefined) wait.tree.keepPrivate(field)
    const notice = (targets: readonly Resolved[]): void =>
      copies.acting(
        action,
        targets.map((t) => t.facts),
        call.lease?.held,
      )
    notice(on.targets)
    if (action.do === 'close') return closeApp({ wait, end: ports.end }, action, on.targets, on.lease, signal)
    return await act(action, {
      ...on,
      driver: wait.driver,
      route: decided.routes[0],
      signal,
      again: {
        check: (key) => check(observe, key),
        focus: async (from, rest) => {
          const now = await followFocus(follow, underway, from, rest)
          if (now !== from) notice(now)
          return now
        },
        release: (at, instead) => followRelease(follow, underway, { at, instead, judged: on.targets }),
        settled: (pause) => settled(follow.tree, signal, pause),
      },
    })
  }
}
