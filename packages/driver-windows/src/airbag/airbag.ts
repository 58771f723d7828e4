import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ActivityLog, AirbagMode, DriverInfo } from '@deskhand/core/driver'
import { WINE } from '../win32/api.ts'
import { type Count, Ring, STATE } from './ring.ts'

const STARTS_MS = 30_000
const LOOK_MS = 20
const SLOW = 'decisions took too long too often, so that the low-level hooks were taken away'
const ENDED = 'the process with the low-level hooks ended'

export interface AirbagOptions {
  mode: AirbagMode
  mark: bigint
  excepted: string
}

/**
 * Looks at every event that reaches this session: counts a person's, and sees those that other programs inject, which it swallows in
 * `enforce`. The hooks live in a process of their own; when it ends, the desktop goes on without them.
 */
export class Airbag {
  /** What it does: less than was asked for where hooks are refused, and nothing once they are gone. */
  does: NonNullable<DriverInfo['airbag']>
  /** Told when the hooks are gone before the driver closed them, and why. */
  onGone: (reason: string) => void = () => {}
  readonly #ring: Ring
  readonly #process: ChildProcess
  readonly #looking: NodeJS.Timeout
  readonly #known = new Map<Count, number>()
  #isClosed = false

  /**
   * Answers with why there are no hooks, where Windows or another program refuses them. `mark` is on our own events; `excepted` names the programs
   * into whose windows others may inject.
   */
  static async start({ mode, mark, excepted }: AirbagOptions, activity: ActivityLog): Promise<Airbag | string> {
    const name = `Local\\deskhand-airbag-${randomUUID()}`
    const ring = new Ring(name)
    const file = fileURLToPath(new URL(`./hooks${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
    const child = spawn(process.execPath, [file, name, String(mark), mode, String(process.pid), excepted], { stdio: 'ignore' })
    child.unref()
    let hasEnded = false
    child.once('exit', () => (hasEnded = true))
    const patience = performance.now() + STARTS_MS
    while (ring.state === STATE.starting && !hasEnded && performance.now() < patience) await sleep(LOOK_MS)
    if (ring.state === STATE.hooked || ring.state === STATE.listening) return new Airbag(ring, child, activity, mode)
    child.kill('SIGKILL')
    return ring.state === STATE.refused
      ? `Windows refused Raw Input and the low-level hooks (error ${ring.error}); security software may forbid them`
      : 'the process with the low-level hooks did not start'
  }

  private constructor(ring: Ring, child: ChildProcess, activity: ActivityLog, mode: AirbagMode) {
    const isOnlyTold = ring.state === STATE.listening
    this.does = {
      mode: isOnlyTold ? 'audit_only' : mode,
      ...(isOnlyTold && {
        reason: `Windows refused the low-level hooks (error ${ring.error}); injected input is known by Raw Input, which swallows nothing`,
      }),
    }
    this.#ring = ring
    this.#process = child
    activity.foreign = { seen: 0, swallowed: 0 }
    this.#looking = setInterval(() => this.#take(activity), LOOK_MS).unref()
    const ended = (): void => {
      clearInterval(this.#looking)
      if (this.#isClosed) return
      this.#take(activity)
      const reason = `${ring.state === STATE.slow ? SLOW : ENDED}; no input is watched any more`
      this.does = { mode: 'off', reason }
      this.onGone(reason)
    }
    if (child.exitCode !== null || child.signalCode !== null) setImmediate(ended)
    else child.once('exit', ended)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#looking)
    this.#process.kill('SIGKILL')
  }

  #take(activity: ActivityLog): void {
    let isNews = false
    const more = (what: Count): number => {
      const now = this.#ring.count(what)
      const added = now - (this.#known.get(what) ?? 0)
      this.#known.set(what, now)
      if (added > 0) isNews = true
      return added
    }
    for (const what of ['moves', 'buttons', 'keys'] as const) {
      const events = more(what)
      // Wine gives back as a device's what programs did to its pointer.
      if (events > 0 && !(what === 'moves' && WINE !== undefined)) activity.count(what, events)
    }
    activity.stray(more('seen'), more('swallowed'))
    if (isNews) activity.tell(WINE === undefined ? this.#ring.pointer : undefined)
  }
}
