import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { ToldScript } from '../code/told-steps.ts'
import type { CallOptions, Desk } from './desk.ts'
import { open } from '../wiring/open.ts'
import { connect } from './connect.ts'

export interface ScriptRunOptions extends Pick<CallOptions, 'signal' | 'waitMs' | 'onProgress'> {
  /** Where it runs; when left out the desktop that is up, or where none is a simulated one of its own. */
  desk?: Desk
  profile?: 'strict' | 'agent'
  relativeCoordinates?: boolean
  /** Seconds between two calls. */
  pause?: number
  /** Only say what each call would touch, and what would be decided. */
  rehearse?: boolean
}

/** Runs a PyAutoGUI script under the policy, call by call. Never throws: every way to fail is in the answer. */
export async function runAutomationScript(script: string, options: ScriptRunOptions = {}): Promise<ToldScript> {
  const { desk, signal, waitMs, onProgress, ...how } = options
  if (desk === undefined) {
    try {
      const found = await whereverUp()
      try {
        return await runAutomationScript(script, { ...options, desk: found })
      } finally {
        await found.close()
      }
    } catch (thrown) {
      return failed(DeskhandError.from(thrown))
    }
  }
  const { data, error, desktop } = await desk.call('script.run', { script, ...how }, { signal, waitMs, onProgress })
  if (isResult(data)) return { ...data, detail: desktop === undefined ? data.detail : `${data.detail} (on ${desktop})` }
  return failed(error === undefined ? new DeskhandError('INTERNAL', 'the script gave no answer') : DeskhandError.revive(error))
}

/** The desktop that is up, of which the caller is an agent; a simulated one of its own where none is. */
function whereverUp(): Promise<Desk> {
  return connect().catch((thrown: unknown) => {
    if (DeskhandError.from(thrown).code !== 'NO_BROKER') throw thrown
    return open()
  })
}

const failed = (error: DeskhandError): ToldScript => ({
  status: 'error',
  detail: error.message,
  error: error.toJSON(),
  steps: [],
  output: '',
})

const Shape = z.object({ status: z.enum(['ok', 'error']), detail: z.string(), steps: z.array(z.unknown()), output: z.string() })
const isResult = (data: unknown): data is ToldScript => Shape.safeParse(data).success
