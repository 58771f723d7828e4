// One tool call by MCP for those who have only a shell: mcp-call [tool] [json]. Without a tool: what a client is told at the beginning.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [, dir, name, json = '{}'] = process.argv.slice(2)
const client = new Client({ name: 'mcp-call', version: '1' })
await client.connect(new StdioClientTransport({ command: join(dir, 'deskhand'), args: ['mcp'], env: process.env }))
try {
  if (name === undefined) {
    const { tools } = await client.listTools()
    const shown = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }))
    process.stdout.write(`${client.getInstructions()}\n\n${shown.join('\n')}\n`)
  } else {
    const { content, isError } = await client.callTool({ name, arguments: JSON.parse(json) }, { timeout: 180_000 })
    for (const part of content) process.stdout.write(`${part.type === 'image' ? picture(part) : part.text}\n`)
    process.exitCode = isError ? 1 : 0
  }
} finally {
  await client.close()
}

function picture({ data, mimeType }) {
  const file = join(dir, `picture-${Date.now()}.${mimeType.split('/')[1]}`)
  writeFileSync(file, Buffer.from(data, 'base64'))
  return `picture: ${file}`
}
