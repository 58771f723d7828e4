import { DeskhandError } from '@deskhand/core/errors'
import type { Principal, Result } from '@deskhand/core/model'
import { refusal } from '../sdk/desk.ts'
import { toolNamed } from './list.ts'
import { performer, type DispatchOptions, type ToolContext } from './tool.ts'

/** Carries one call of any face to the session. */
export async function dispatch(
  on: ToolContext,
  who: Principal,
  name: string,
  args: unknown,
  options: DispatchOptions = {},
): Promise<Result> {
  const { session } = on
  try {
    const tool = toolNamed(name)
    if ('control' in tool) return await tool.control(session, args, who)
    if ('compose' in tool) {
      // What a composed tool would do is only known by taking it apart.
      if (options.dryRun && tool.name !== 'plan.rehearse')
        return await dispatch(on, who, 'plan.rehearse', { actions: [{ tool: tool.name, args }] }, { ...options, dryRun: undefined })
      const { waitMs } = options
      const act = performer(session, tool.name, who, { ...options, waitMs: tool.stopsWhenAsked ? 'asked' : waitMs })
      const run = (): Promise<Result> => tool.compose(act, args, on, who)
      return await (tool.tells && options.changes !== false ? session.telling(tool.name, who, options.signal, run) : run())
    }
    const { waitMs, changes = true, ...rest } = options
    return await session.call({ tool: tool.name, kind: tool.kind, args: args ?? {}, principal: who, changes, ...rest }, waitMs)
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    if (error.code === 'UNKNOWN_TOOL') await session.reject(session.redactor.text(name).slice(0, 100), who, error)
    return session.redactor.value(refusal(error)) as Result
  }
}
