import { DeskhandError } from '@deskhand/core/errors'
import type { Principal, Result } from '@deskhand/core/model'
import { toolNamed } from './tools/list.ts'
import { performer, type Station } from './tools/tool.ts'

export interface CallOptions {
  /** Past this the answer is APPROVAL_PENDING or RUNNING with the operation's id. */
  waitMs?: number
  callId?: string
  intent?: string
  dryRun?: boolean
  signal?: AbortSignal
  /** Hears how far a script is, call by call. */
  onProgress?: (note: unknown) => void
}

/** A desktop as a caller holds it, in this process or behind a broker. */
export interface Desk {
  /** Never throws for what a call can come to: a refusal is a result with an error in it. */
  call(tool: string, args?: unknown, options?: CallOptions): Promise<Result>
  close(): Promise<void>
}

/** Carries one call of any face to the session. */
export async function dispatch(on: Station, who: Principal, name: string, args: unknown, options: CallOptions = {}): Promise<Result> {
  const { session } = on
  try {
    const tool = toolNamed(name)
    if ('control' in tool) return await tool.control(session, args, who)
    if ('compose' in tool) {
      // What a composed tool would do is only known by taking it apart.
      if (options.dryRun && tool.name !== 'plan.rehearse')
        return await dispatch(on, who, 'plan.rehearse', { actions: [{ tool: tool.name, args }] }, { ...options, dryRun: undefined })
      return await tool.compose(performer(session, tool.name, who, options), args, on, who)
    }
    const { waitMs, ...rest } = options
    return await session.call({ tool: tool.name, kind: tool.kind, args: args ?? {}, principal: who, ...rest }, waitMs)
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    const { redactor } = session.ports
    if (error.code === 'UNKNOWN_TOOL') await session.reject(redactor.text(name).slice(0, 100), who, error)
    return redactor.value(refusal(error)) as Result
  }
}

export const refusal = (error: DeskhandError): Result => ({
  status: 'error',
  op: '',
  sent: 'none',
  effect: 'refused',
  error: error.toJSON(),
})

/** The exit code that a result means for a command. */
export function exitCode(result: Result): number {
  return result.error === undefined ? 0 : DeskhandError.revive(result.error).exitCode
}
