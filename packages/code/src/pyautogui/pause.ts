import { Halt } from './halt.ts'
import type { Hands, ScriptAction, ScriptActions } from './hands.ts'

/** The operator's pause: every script waits before its next action until it is resumed. */
export class PauseSwitch {
  private waiting: { promise: Promise<void>; resume: () => void } | undefined

  get paused(): boolean {
    return this.waiting !== undefined
  }

  pause(): void {
    if (this.waiting) return
    let resume = (): void => {}
    const promise = new Promise<void>((resolve) => (resume = resolve))
    this.waiting = { promise, resume }
  }

  resume(): void {
    this.waiting?.resume()
    this.waiting = undefined
  }

  async whenRunning(): Promise<void> {
    while (this.waiting) await this.waiting.promise
  }
}

/**
 * The same hands under the operator's pause. What the script holds down is let go meanwhile; a script that held something cannot go on as
 * if nothing had happened, so it ends when it is resumed.
 */
export function pausable(hands: Hands, pauses: PauseSwitch, signal: AbortSignal, forgive: (ms: number) => void): Pausable {
  const down = new Set<string>()
  const whenRunning = async (): Promise<void> => {
    if (!pauses.paused) return
    const since = hands.clock.now()
    const held = [...down]
    await hands.rest?.()
    await pauses.whenRunning()
    // The run may have ended meanwhile, and then nothing more is done.
    signal.throwIfAborted()
    forgive(hands.clock.now() - since)
    if (held.length > 0) throw new Halt('SCRIPT_FAILED', `${held.join(' and ')} was let go while the operator had paused the script`)
  }
  const perform: Hands['perform'] = async (kind, args, origin) => {
    if (pauses.paused) await whenRunning()
    const result = await hands.perform(kind, args, origin)
    follow(down, args)
    return result
  }
  return { hands: { ...hands, perform }, isPaused: () => pauses.paused, whenRunning }
}

export interface Pausable {
  hands: Hands
  isPaused(): boolean
  /** Resolves when the script may go on. */
  whenRunning(): Promise<void>
}

/** What is down after the events of an action. */
function follow(down: Set<string>, args: ScriptActions[ScriptAction]): void {
  for (const e of 'events' in args ? args.events : []) {
    const what = 'key' in e ? e.key : 'button' in e ? `the ${e.button} button` : undefined
    if (what === undefined) continue
    if (e.type === 'down') down.add(what)
    else down.delete(what)
  }
}
