import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport, type StdioServerHandle } from '@modelcontextprotocol/server/stdio'
import { DeskhandError } from '@deskhand/core/errors'
import { clip } from '@deskhand/core/selector/quote'
import { refusal, type Desk } from '../sdk/desk.ts'
import { listedTools, type ListedTool } from '../tools/listing.ts'
import type { Toolset } from '../tools/toolsets.ts'
import { VERSION } from '../version.ts'
import { toMcp } from './answer.ts'
import { BoundedLines } from './bounded-lines.ts'
import { instructions } from './instructions.ts'
import { serveSkills, SKILLS_EXTENSION } from './skills.ts'

/** So much of why a call is made is recorded. */
const LONGEST_INTENT = 2_000

export interface McpOptions {
  /** How long a call may wait for a person before it answers that it is pending. */
  waitMs: number
  toolsets: readonly Toolset[]
}

/** Speaks MCP on standard input and output, in the 2026 and the 2025 revision: the client's first words decide. */
export function serveMcp(desk: Desk, options: McpOptions): StdioServerHandle {
  const lines = process.stdin.pipe(new BoundedLines(process.stdout))
  return serveStdio(() => mcpServer(desk, options), { transport: new StdioServerTransport(lines, process.stdout) })
}

/** One server for one client. It holds no state: every call stands for itself. */
export function mcpServer(desk: Desk, { waitMs, toolsets }: McpOptions): Server {
  const server = new Server(
    { name: 'deskhand', version: VERSION },
    {
      capabilities: { tools: {}, resources: {}, extensions: { [SKILLS_EXTENSION]: {} } },
      instructions: instructions(toolsets),
    },
  )
  serveSkills(server)
  const tools = listedTools().filter((t) => toolsets.includes(t.toolset))
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(described) }))
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: { intent: told, ...args } = {} } = request.params
    const intent = typeof told === 'string' ? told.slice(0, LONGEST_INTENT) : undefined
    const tool = tools.find((t) => t.name === name)
    if (tool !== undefined) {
      const { signal, _meta } = ctx.mcpReq
      const onProgress = _meta?.progressToken === undefined ? undefined : progressOf(ctx.mcpReq, _meta.progressToken)
      return toMcp(await desk.call(name, args, { waitMs, intent, signal, onProgress }), tool.composed)
    }
    const next = `Use one of: ${tools.map((t) => t.name).join(', ')}.`
    return toMcp(refusal(new DeskhandError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name)} here`, { next })))
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

const described = ({ name, description, inputSchema, readOnly }: ListedTool) => ({
  name,
  description,
  inputSchema: { ...inputSchema, type: 'object' as const },
  // What is left out is what clients assume.
  ...(readOnly && { annotations: { readOnlyHint: true } }),
})
