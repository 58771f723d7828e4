import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { ScriptResult } from '@deskhand/code/pyautogui'
import type { CallOptions, Desk } from './desk.ts'
import { open } from './open.ts'

export interface ScriptRunOptions extends Pick<CallOptions, 'signal' | 'waitMs' | 'onProgress'> {
  /** Where it runs; a simulated desktop of its own when left out. */
  desk?: Desk
  profile?: 'strict' | 'agent'
  relativeCoordinates?: boolean
  /** Seconds between two calls. */
  pause?: number
  /** Only say what each call would touch, and what would be decided. */
  rehearse?: boolean
}

/** Runs a PyAutoGUI script under the policy, call by call. Never throws: every way to fail is in the answer. */
export async function runAutomationScript(script: string, options: ScriptRunOptions = {}): Promise<ScriptResult> {
  const { desk, signal, waitMs, onProgress, ...how } = options
  if (desk === undefined) {
    const own = await open()
    try {
      return await runAutomationScript(script, { ...options, desk: own })
    } finally {
      await own.close()
    }
  }
  const { data, error } = await desk.call('script.run', { script, ...how }, { signal, waitMs, onProgress })
  if (isResult(data)) return data
  const failure = error === undefined ? new DeskhandError('INTERNAL', 'the script gave no answer') : DeskhandError.revive(error)
  return { status: 'error', detail: failure.message, error: failure.toJSON(), steps: [], output: '' }
}

const Shape = z.object({ status: z.enum(['ok', 'error']), detail: z.string(), steps: z.array(z.unknown()), output: z.string() })
const isResult = (data: unknown): data is ScriptResult => Shape.safeParse(data).success
