import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { TaskDesk } from './desk.ts'

/** Sends the scripted solution of a task, as an MCP client of its command; answers with all that was said. */
export async function solve(desk: TaskDesk): Promise<string> {
  const client = new Client({ name: 'solution', version: '1' })
  await client.connect(new StdioClientTransport({ command: desk.command, args: ['mcp'] }))
  let said = ''
  try {
    for (const [name, args] of desk.task.solution) {
      const { content } = await client.callTool(
        { name, arguments: filled(args, desk.home.dir, said) as Record<string, unknown> },
        { timeout: 120_000 },
      )
      said += `${name}\n${content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')}\n`
    }
  } finally {
    await client.close()
  }
  return said
}

function filled(value: unknown, home: string, said: string): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, home, said))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, home, said)]))
  if (typeof value !== 'string') return value
  if (!value.startsWith('@')) return value.replace(/^~\//, `${home}/`)
  return [...said.matchAll(new RegExp(value.slice(1), 'g'))].at(-1)?.[1] ?? value
}
