import { Server, type CallToolResult } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { DRIVER_ANSWERS, type Driver } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { BoundedLines } from '../mcp/bounded-lines.ts'
import { VERSION } from '../version.ts'
import { ChangeNotices } from './change-notices.ts'
import { CHANGED, CHANGES_CAPABILITY, DEADLINE_META, driverTools, methodOf } from './tools.ts'

/** Calls that say nothing of their own end. */
const DEFAULT_MS = 30_000
const LONGEST_MS = 600_000

/** A driver as an MCP server: each method of the contract is a tool. It decides nothing and must be given to no agent. */
export function driverServer(driver: Driver, { notifies = false } = {}): Server {
  const experimental = notifies ? { [CHANGES_CAPABILITY]: {} } : undefined
  const server = new Server({ name: 'deskhand-driver', version: VERSION }, { capabilities: { tools: {}, experimental } })
  const notices = new ChangeNotices(driver, () => server.notification({ method: CHANGED }))
  server.setRequestHandler('tools/list', () => ({ tools: driverTools() }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }, { mcpReq: { signal, _meta } }) => {
    try {
      const method = methodOf(name)
      if (method === undefined) throw new DeskhandError('UNKNOWN_TOOL', `a driver has no ${name}`)
      if (method === 'changes' || method === 'read') notices.asked()
      const result = await DRIVER_ANSWERS[method](driver, args ?? {}, { signal, deadlineMs: deadlineOf(_meta?.[DEADLINE_META]) })
      const waits = method !== 'read' && !(method === 'changes' && args?.['waitMs'] === 0)
      const { cursor } = Known.safeParse(result).data ?? {}
      if (notifies && !waits && cursor !== undefined) void notices.lookFrom(cursor)
      return { content: [], structuredContent: { result: result instanceof Uint8Array ? base64(result) : (result ?? null) } }
    } catch (thrown) {
      return failure(DeskhandError.from(thrown))
    }
  })
  return server
}

/** Up to where a client knows what was. */
const Known = z.object({ cursor: z.string() })

/** Serves the process that started this one, until its end of the pipe is closed. */
export async function serveDriverStdio(driver: Driver): Promise<void> {
  const lines = process.stdin.pipe(new BoundedLines(process.stdout))
  const handle = serveStdio(() => driverServer(driver, { notifies: true }), { transport: new StdioServerTransport(lines, process.stdout) })
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve).once('error', resolve)
    process.stdout.once('error', resolve)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve)
  })
  void handle.close().catch(() => {})
}

function failure(error: DeskhandError): CallToolResult {
  const { code, message, next, details } = error
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    structuredContent: { error: { code, message, next, ...(details !== undefined && { details }) } },
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

const deadlineOf = (told: unknown): number => (typeof told === 'number' && told > 0 ? Math.min(told, LONGEST_MS) : DEFAULT_MS)
