import { Server, type CallToolResult } from '@modelcontextprotocol/server'
import { serveStdio, type StdioServerHandle } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { clip, json, visible } from '@deskhand/core/selector'
import { refusal, type Desk } from '../desk.ts'
import { inputSchema, TOOLS } from '../tools/list.ts'
import type { Toolset } from '../tools/tool.ts'
import { VERSION } from '../version.ts'
import { instructions } from './instructions.ts'

export interface McpOptions {
  /** How long a call may wait for a person before it answers that it is pending. */
  waitMs: number
  toolsets: readonly Toolset[]
}

/** Speaks MCP on standard input and output, in the 2026 and the 2025 revision: the client's first words decide. */
export function serveMcp(desk: Desk, options: McpOptions): StdioServerHandle {
  return serveStdio(() => mcpServer(desk, options))
}

/** One server for one client. It holds no state: every call stands for itself. */
export function mcpServer(desk: Desk, { waitMs, toolsets }: McpOptions): Server {
  const server = new Server({ name: 'deskhand', version: VERSION }, { capabilities: { tools: {} }, instructions: instructions(toolsets) })
  const tools = TOOLS.filter((t) => toolsets.includes(t.toolset)).map(listed)
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: args = {} } = request.params
    if (!tools.some((t) => t.name === name))
      return toMcp(
        name,
        refusal(
          new DeskhandError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name)} here`, {
            next: `Use one of: ${tools.map((t) => t.name).join(', ')}.`,
          }),
        ),
      )
    return toMcp(name, await desk.call(name, args, { waitMs, signal: ctx.mcpReq.signal }))
  })
  return server
}

const listed = (tool: (typeof TOOLS)[number]) => ({
  name: tool.name,
  description: tool.description,
  inputSchema: { ...inputSchema(tool), type: 'object' as const },
  annotations: { readOnlyHint: tool.readOnly, openWorldHint: true },
})

/** The text is what the model reads; the record is beside it as structured content. */
export function toMcp(tool: string, result: Result): CallToolResult {
  const { text: _, images = [], ...record } = result
  const pictures = images.map((image) => ({
    type: 'image' as const,
    data: Buffer.from(image.data).toString('base64'),
    mimeType: image.mimeType,
  }))
  const isError = result.status === 'error'
  // What has words for the model is told in words.
  const own = result.text === undefined ? ownShape(tool, record.data) : undefined
  if (own === undefined) return { content: [{ type: 'text', text: words(result) }, ...pictures], structuredContent: { ...record }, isError }
  const { data: _data, ...beside } = record
  return {
    content: [
      { type: 'text', text: placed(result, own) + json(Array.isArray(own) ? own : { ...own, screenshot: undefined }) },
      ...pictures,
    ],
    structuredContent: { ...(Array.isArray(own) ? { items: own } : own), record: beside },
    isError,
  }
}

const Placed = z.object({ error: z.object({ where: z.string() }) })

/** Where in a script something failed, as a person would be shown it, before the record. */
function placed({ error }: Result, own: object): string {
  const read = Placed.safeParse(own)
  if (error === undefined || !read.success) return ''
  const lines = [`${error.code}: ${error.message}`, ...read.data.error.where.split('\n'), `Next: ${error.next}`]
  return `${lines.map(visible).join('\n')}\n\n`
}

/** Composed tools answer in the shape that their own users know. */
function ownShape(name: string, data: unknown): object | undefined {
  const composed = TOOLS.some((t) => t.name === name && 'compose' in t)
  return composed && typeof data === 'object' && data !== null ? data : undefined
}

function words(result: Result): string {
  const { error, text, effect, resolvedTarget: t, via } = result
  const lines: string[] = []
  if (error !== undefined) lines.push(visible(`${error.code}: ${error.message}`), `Next: ${error.next}`)
  else if (effect !== 'none')
    lines.push(
      `${effect}${t === undefined ? '' : `: ${t.role}${t.name === undefined ? '' : ` ${clip(t.name)}`}${t.elementId === undefined ? '' : ` ${t.elementId}`}`}${via === undefined ? '' : ` (${via})`}`,
    )
  if (error?.details !== undefined) lines.push(json(error.details))
  if (text !== undefined) lines.push(text)
  return lines.join('\n') || 'done'
}
