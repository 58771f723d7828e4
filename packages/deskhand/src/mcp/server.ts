import {
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type CallToolResult,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport, type StdioServerHandle } from '@modelcontextprotocol/server/stdio'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import { refusal, type CallOptions, type Desk } from '../sdk/desk.ts'
import { listedTools, plainName } from '../tools/listing.ts'
import type { Toolset } from '../tools/toolsets.ts'
import { traceparentOf } from '../telemetry/traceparent.ts'
import { VERSION } from '../version.ts'
import { toMcp } from './answer.ts'
import { APP_TOOLS, callApp, showsApps } from './app.ts'
import { BoundedLines } from './bounded-lines.ts'
import { declaredIn } from './declared.ts'
import { described, type Describe } from './describe.ts'
import { instructions } from './instructions.ts'
import { putsForms, relayed, relayState } from './relay.ts'
import { serveResources } from './resources.ts'
import { serveSkills, SKILLS_EXTENSION } from './skills.ts'
import { knowsTasks, serveTasks, Tasks, TASKS_EXTENSION } from './tasks.ts'

/** The revision in which every request stands for itself. */
export const MODERN = '2026-07-28'
/** So much of why a call is made is recorded. */
const LONGEST_INTENT = 2_000
/** Tools that wait as long as their caller says and no longer. */
const ENDS: ReadonlySet<Toolset> = new Set<Toolset>(['op'])

export interface McpOptions {
  /** How long a call may wait for a person before it answers that it is pending. */
  waitMs: number
  toolsets: readonly Toolset[]
  /** How much the list says of each tool; short when left out. */
  describe?: Describe
  /** What a client of the 2025 revision declared at its start, where that was another request. */
  declared?: ClientCapabilities
}

/** Calls that outlast their request, and whose they are here. */
export interface OwnTasks {
  tasks: Tasks
  owner: string
}

/** Speaks MCP on standard input and output, in the 2026 and the 2025 revision: the client's first words decide. */
export function serveMcp(desk: Desk, options: McpOptions): StdioServerHandle {
  const lines = process.stdin.pipe(new BoundedLines(process.stdout))
  const own = { tasks: new Tasks(), owner: '' }
  return serveStdio(() => mcpServer(desk, own, options), { transport: new StdioServerTransport(lines, process.stdout) })
}

/** One server for one client. It holds no state: every call stands for itself, and what outlasts a request is in `tasks`. */
export function mcpServer(desk: Desk, { tasks, owner }: OwnTasks, options: McpOptions): Server {
  const { waitMs, toolsets, describe = 'short' } = options
  const server = new Server(
    { name: 'deskhand', version: VERSION },
    {
      capabilities: { tools: {}, resources: {}, extensions: { [SKILLS_EXTENSION]: {}, [TASKS_EXTENSION]: {} } },
      instructions: instructions(toolsets),
      requestState: { verify: relayState.verify },
      supportedProtocolVersions: [...SUPPORTED_PROTOCOL_VERSIONS, MODERN],
    },
  )
  const declared = (ctx: ServerContext): ClientCapabilities | undefined =>
    declaredIn(ctx) ?? options.declared ?? server.getClientCapabilities()
  const hasApp = (ctx: ServerContext): boolean => showsApps(declared(ctx))
  serveSkills(server)
  serveResources(server, hasApp)
  serveTasks(server, tasks, owner)
  const tools = listedTools().filter((t) => toolsets.includes(t.toolset))
  server.setRequestHandler('tools/list', async (_, ctx) => ({
    tools: [...(await Promise.all(tools.map((t) => described(t, describe)))), ...(hasApp(ctx) ? APP_TOOLS : [])],
  }))
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: { intent: told, changes, ...args } = {} } = request.params
    const intent = typeof told === 'string' ? told.slice(0, LONGEST_INTENT) : undefined
    const tool = listedTools().find((t) => t.name === name || plainName(t.name) === name)
    if (tool !== undefined) {
      const { signal, _meta } = ctx.mcpReq
      const answer = (result: Result): CallToolResult => toMcp(result, tool.composed, describe)
      const options = {
        waitMs,
        intent,
        ...(changes === false && { changes }),
        trace: { face: 'mcp', traceparent: traceparentOf(_meta?.['traceparent']) },
      } as const
      const onProgress = _meta?.progressToken === undefined ? undefined : progressOf(ctx.mcpReq, _meta.progressToken)
      const call = async (more: CallOptions = {}): Promise<CallToolResult> =>
        knowsTasks(ctx) && !ENDS.has(tool.toolset)
          ? tasks.call(desk, owner, { tool: tool.name, args, options: { ...options, ...more }, isComposed: tool.composed, signal, answer })
          : answer(await desk.call(tool.name, args, { ...options, ...more, signal, onProgress }))
      if (!putsForms(declared(ctx)) || ENDS.has(tool.toolset)) return call()
      const soon = (more: CallOptions): Promise<Result> => desk.call(tool.name, args, { ...options, ...more, signal, onProgress })
      return relayed(desk, ctx, { soon, rest: call, answer })
    }
    if (APP_TOOLS.some((t) => t.name === name) && hasApp(ctx)) return callApp(desk, name, args, ctx.mcpReq.signal)
    const close = listedTools().find((t) => t.name.endsWith(`.${name}`) || t.name.endsWith(`_${name}`))
    const next = close === undefined ? `Use one of: ${tools.map((t) => t.name).join(', ')}.` : `Did you mean ${close.name}?`
    return toMcp(refusal(new DeskhandError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name)}`, { next })))
  })
  return server
}

/** Tells a client that asked for it how far a long call is: how many steps, and the last of them in words. */
function progressOf({ notify }: ServerContext['mcpReq'], progressToken: string | number): (note: unknown) => void {
  let progress = 0
  return (note) => {
    const message = typeof note === 'string' ? note : clip(JSON.stringify(note) ?? '', 200)
    void notify({ method: 'notifications/progress', params: { progressToken, progress: ++progress, message } }).catch(() => {})
  }
}
