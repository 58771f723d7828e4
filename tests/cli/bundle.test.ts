import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Ajv } from 'ajv'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { npmFolder } from '../support/npm-folder.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/make-mcpb.mjs', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'dh-mcpb-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** What of a manifest starts a bundle; the makers' own schema says what the rest has to be. */
const Manifest = z.looseObject({
  server: z.object({ entry_point: z.string(), mcp_config: z.object({ command: z.string(), args: z.array(z.string()) }) }),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
})

function mustBeManifest(manifest: unknown): void {
  const folder = npmFolder('deskhand-mcpb', { '@anthropic-ai/mcpb': '2.1.2' })
  const schema = readFileSync(join(folder, 'node_modules/@anthropic-ai/mcpb/dist/mcpb-manifest-v0.3.schema.json'), 'utf8')
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(JSON.parse(schema) as object)
  expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true)
}

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
    const manifest: unknown = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
    mustBeManifest(manifest)
    const { server, tools } = Manifest.parse(manifest)
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
