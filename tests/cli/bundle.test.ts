import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'

const SCRIPT = fileURLToPath(new URL('../../scripts/make-mcpb.mjs', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'dh-mcpb-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** What a client must find in a manifest of version 0.3. */
const Manifest = z.looseObject({
  manifest_version: z.literal('0.3'),
  name: z.string().regex(/^[a-z0-9-]+$/),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  description: z.string().min(1),
  author: z.object({ name: z.string().min(1) }),
  server: z.object({
    type: z.literal('node'),
    entry_point: z.string(),
    mcp_config: z.object({ command: z.string(), args: z.array(z.string()) }),
  }),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
})

test(
  'the bundle for MCP clients is unpacked, started as its manifest says, and lists and calls the tools',
  { timeout: 180_000 },
  async () => {
    const file = join(dir, 'deskhand.mcpb')
    const unpacked = join(dir, 'unpacked')
    mkdirSync(unpacked)
    execFileSync(process.execPath, [SCRIPT, file])
    // A reader of archives that shares nothing with the writer; it checks every sum.
    execFileSync('python3', ['-m', 'zipfile', '-e', file, unpacked])
    const { server, tools } = Manifest.parse(JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')))
    expect(existsSync(join(unpacked, server.entry_point))).toBe(true)
    const args = server.mcp_config.args.map((arg) => arg.replaceAll('${__dirname}', unpacked))
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir, DESKHAND_STATE: join(dir, 'state') }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StdioClientTransport({ command: server.mcp_config.command, args, env, cwd: dir, stderr: 'ignore' }))
    try {
      const listed = await client.listTools()
      expect(listed.tools.map((t) => t.name)).toEqual(tools.map((t) => t.name))
      const look = await client.callTool({ name: 'ui.snapshot', arguments: {} })
      expect(look).toMatchObject({ content: [{ text: expect.stringContaining('window "Invoices"') as string }] })
    } finally {
      await client.close()
    }
  },
)
