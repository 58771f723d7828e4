import { Halt } from './halt.ts'
import type { Pause, ScriptAction, ScriptActions, ScriptPort } from './script-port.ts'

/**
 * The same port under the operator's pause. Keys and buttons that the script holds are let go meanwhile; a script that held one cannot
 * go on as if nothing had happened, so it ends when it is resumed.
 */
export function pausable(port: ScriptPort, pauses: Pause, signal: AbortSignal, forgive: (ms: number) => void): Pausable {
  const down = new Set<string>()
  const whenRunning = async (): Promise<void> => {
    if (!pauses.paused) return
    const since = port.clock.now()
    const held = [...down]
    await port.rest?.()
    await pauses.whenRunning()
    // The run may have ended meanwhile, and then nothing more is done.
    signal.throwIfAborted()
    forgive(port.clock.now() - since)
    if (held.length > 0) throw new Halt('SCRIPT_FAILED', `${held.join(' and ')} was let go while the operator had paused the script`)
  }
  const perform: ScriptPort['perform'] = async (kind, args, origin) => {
    if (pauses.paused) await whenRunning()
    const result = await port.perform(kind, args, origin)
    follow(down, args)
    return result
  }
  return {
    port: { ...port, perform },
    get paused() {
      return pauses.paused
    },
    whenRunning,
  }
}

export interface Pausable extends Pause {
  port: ScriptPort
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
