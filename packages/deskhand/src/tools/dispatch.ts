import { DeskhandError } from '@deskhand/core/errors'
import { ending, type Principal, type Result } from '@deskhand/core/model'
import { refusal } from '../sdk/desk.ts'
import { spelledOut } from './condition-words.ts'
import { withExample } from './examples.ts'
import { toolNamed } from './list.ts'
import { performer, type DispatchOptions, type Perform, type ToolContext } from './tool.ts'

/** Carries one call of any face to the session. */
export async function dispatch(
  on: ToolContext,
  who: Principal,
  name: string,
  given: unknown,
  options: DispatchOptions = {},
): Promise<Result> {
  const { session } = on
  try {
    const tool = toolNamed(name)
    const args = spelledOut(tool.name, given)
    if ('control' in tool) return await tool.control(session, args, who)
    if ('compose' in tool) {
      // What a composed tool would do is only known by taking it apart.
      if (options.dryRun && tool.name === 'play.run')
        return await dispatch(on, who, name, { ...Object(args), rehearse: true }, { ...options, dryRun: undefined })
      if (options.dryRun && tool.name !== 'plan.rehearse')
        return await dispatch(on, who, 'plan.rehearse', { actions: [{ tool: tool.name, args }] }, { ...options, dryRun: undefined })
      const { waitMs } = options
      const act = performer(session, tool.name, who, { ...options, waitMs: tool.stopsWhenAsked ? 'asked' : waitMs })
      const run = (): Promise<Result> => withAllSent(act, (counted) => tool.compose(counted, args, on, who))
      const done =
        tool.tells !== undefined && options.changes !== false
          ? session.telling({ tool: tool.name, args, principal: who }, options.signal, run)
          : run()
      return withExample(tool.name, await done)
    }
    const { waitMs, changes = true, ...rest } = options
    const call = { tool: tool.name, kind: tool.kind, args: args ?? {}, principal: who, changes, ...rest }
    return withExample(tool.name, await session.call(call, waitMs))
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    if (error.code === 'UNKNOWN_TOOL') await session.reject(session.redactor.text(name).slice(0, 100), who, error)
    return withExample(name, session.redactor.value(refusal(error)) as Result)
  }
}

/** What a tool of several actions sent is what all of them sent: the last one may have sent nothing. */
async function withAllSent(act: Perform, work: (act: Perform) => Promise<Result>): Promise<Result> {
  let isSent = false
  const done = await work(async (...call) => {
    const part = await act(...call)
    isSent ||= part.sent !== 'none'
    return part
  })
  return isSent && done.sent === 'none' ? ending({ ...done, sent: done.error === undefined ? 'all' : 'partial' }) : done
}
