import { chmodSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { BIN, use, World, type Up } from '../support/cli.ts'

/** What a client reads of a server: the names differ from client to client. */
const Entry = z.strictObject({
  type: z.literal('http').optional(),
  url: z.url().optional(),
  httpUrl: z.url().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  bearer_token_env_var: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
})
const Settings = z.union([
  z.strictObject({ mcpServers: z.strictObject({ deskhand: Entry }) }).transform((s) => s.mcpServers.deskhand),
  z.strictObject({ servers: z.strictObject({ deskhand: Entry }) }).transform((s) => s.servers.deskhand),
  z.strictObject({ mcp_servers: z.strictObject({ deskhand: Entry }) }).transform((s) => s.mcp_servers.deskhand),
])

const page = readFileSync(resolve(import.meta.dirname, '../../docs/server.md'), 'utf8')
const SNIPPETS = [...page.matchAll(/^```(json|toml)\n([^]*?)^```$/gm)]
  .map(([, form = '', text = '']) => ({ form, text }))
  .filter(({ text }) => /servers/i.test(text))

const world = new World()
let up: Up
let token = ''
beforeAll(async () => {
  up = await world.server()
  token = /[\w-]{40,}/.exec((await world.run(['token', 'add', 'claude'])).out)?.[0] ?? ''
  chmodSync(world.file('deskhand', `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`), 0o755)
})
afterAll(() => world.end())

/** As a client that was given this entry connects. */
function transportOf({ url, httpUrl, headers = {}, bearer_token_env_var: variable, command, args }: z.output<typeof Entry>): Transport {
  if (command !== undefined) {
    const env = { ...world.env, PATH: [world.dir, process.env['PATH']].join(delimiter) } as Record<string, string>
    return new StdioClientTransport({ command: join(world.dir, command), args, env })
  }
  const at = new URL(url ?? httpUrl ?? '')
  at.port = new URL(up.ready.url).port
  const said = variable === undefined ? headers : { Authorization: `Bearer ${token}` }
  const sent = Object.fromEntries(Object.entries(said).map(([name, value]) => [name, value.replace('<token>', token)]))
  return new StreamableHTTPClientTransport(at, { requestInit: { headers: sent } })
}

test('the page has a snippet for each of the common clients', () => {
  expect(SNIPPETS.map(({ form }) => form).toSorted()).toEqual(['json', 'json', 'json', 'json', 'toml'])
})

test.each(SNIPPETS)('a client that is given these lines of the page connects and acts: $text', async ({ form, text }) => {
  const entry = Settings.parse(form === 'toml' ? parse(text) : JSON.parse(text))
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'snippet', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(transportOf(entry))
    expect(await use(client, 'ui.query', { selector: 'name="Amount"' })).toMatchObject({ record: { status: 'success' } })
    await client.close()
  }
})
