import type { Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { ActionOf, AppIdentity } from '../../model/index.ts'
import type { InputLease } from '../call.ts'
import { stillRunning } from '../see/apps.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Resolved } from '../see/targets.ts'
import type { Waiter } from '../see/waiter.ts'

/** How long the windows of an application may take to close. */
const CLOSE_MS = 3_000

/** Ends applications. */
export class AppCloser {
  readonly #tree: LiveTree
  readonly #waiter: Waiter
  readonly #end?: (pid: number) => Promise<void>

  /** `end` is absent where the processes of this desktop are not ours. */
  constructor(tree: LiveTree, waiter: Waiter, end?: (pid: number) => Promise<void>) {
    this.#tree = tree
    this.#waiter = waiter
    this.#end = end
  }

  /** Asks every window of an application to close, waits until it is gone, and ends its process where that was asked for and is possible. */
  async close(action: ActionOf<'close'>, targets: readonly Resolved[], lease: InputLease, signal: AbortSignal): Promise<Sent> {
    let units = 0
    for (const { facts } of targets) {
      if (facts.key === undefined) continue
      const sent = await lease.step({ do: 'window', key: facts.key, op: 'close' }, {}, signal).catch(closedByItself)
      units += sent?.units ?? 0
    }
    const { app } = targets[0]?.facts ?? {}
    if (!action.force || (await this.isGone(app, action, signal))) return { sent: 'all', units, via: 'window manager', held: [] }
    if (app?.pid === undefined || this.#end === undefined) {
      throw new DeskhandError('NOT_CAPABLE', 'it did not close, and the processes of this desktop are not ours to end', {
        next: 'Answer what it asks, or let a person end it.',
        details: { sent: 'all' },
      })
    }
    await this.#end(app.pid)
    return { sent: 'all', units: units + 1, via: 'process', held: [] }
  }

  /** Whether an application shows no window any more, within the time that closing may take. */
  async isGone(app: AppIdentity | undefined, action: ActionOf<'close'>, signal: AbortSignal): Promise<boolean> {
    const look = () => ({ holds: stillRunning(app, this.#tree) === undefined, details: '' })
    const judgement = await this.#waiter.until(look, { timeoutMs: action.timeoutMs ?? CLOSE_MS, signal })
    return judgement.holds === true
  }
}

/** An application may close its other windows together with the first. */
function closedByItself(thrown: unknown): undefined {
  if (thrown instanceof DeskhandError && (thrown.code === 'STALE_REF' || thrown.code === 'NOT_FOUND')) return undefined
  throw thrown
}
