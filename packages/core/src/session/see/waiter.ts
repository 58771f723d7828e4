import { setTimeout as sleep } from 'node:timers/promises'
import type { Judgement } from '../../model/index.ts'
import type { DriverState } from './driver-state.ts'
import type { LiveTree } from './live-tree.ts'

/** How often a driver that tells no changes is asked. */
const POLL_MS = 200
const CODE_MS = 10

export interface WaitOptions {
  timeoutMs: number
  signal: AbortSignal
  pollMs?: number
}

/** Waits for what a look has to show. */
export class Waiter {
  readonly #tree: LiveTree
  readonly #driver: DriverState
  readonly #isBusy: () => boolean

  /** `isBusy`: code still runs for the desktop itself and may change it. */
  constructor(tree: LiveTree, driver: DriverState, isBusy: () => boolean) {
    this.#tree = tree
    this.#driver = driver
    this.#isBusy = isBusy
  }

  /** Looks again after every change, until the judgement holds or the time is over; answers with the last one. */
  async until(look: () => Judgement | Promise<Judgement>, { timeoutMs, signal, pollMs = POLL_MS }: WaitOptions): Promise<Judgement> {
    const end = Date.now() + timeoutMs
    for (;;) {
      await this.#tree.sync()
      const begun = Date.now()
      const judgement = await look()
      const left = end - Date.now()
      // Reading pixels may take longer than the caller waits: the last look begins when the time is over, not before.
      if (judgement.holds === true || begun >= end || (left <= 0 && judgement.seen !== true)) return judgement
      signal.throwIfAborted()
      // What is drawn is told by no change of the tree.
      if (judgement.seen === true || !this.#driver.can('push')) {
        await sleep(Math.min(Math.max(left, 0), pollMs))
        continue
      }
      // A simulated clock has then moved on by all of `left`; only code that still runs for the desktop can change anything more.
      if (!(await this.#tree.changed(left, signal))) {
        if (!this.#isBusy()) return look()
        await sleep(CODE_MS)
      }
    }
  }
}
