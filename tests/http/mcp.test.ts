import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { httpWorld, type HttpWorld } from '../support/http.ts'
import { use } from '../support/cli.ts'
import { handled } from '../support/handled.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Archive" }\n'
const dir = mkdtempSync(join(tmpdir(), 'dh-mcp-'))
let world: HttpWorld
const clients: Client[] = []
beforeAll(async () => {
  writeFileSync(join(dir, 'ask.toml'), ASK)
  world = await httpWorld([{ policy: { files: [join(dir, 'ask.toml')] } }])
})
afterAll(async () => {
  await Promise.all(clients.map((c) => c.close().catch(() => {})))
  await world.close()
  rmSync(dir, { recursive: true })
})

async function connect(mode: 'legacy' | 'auto', token = world.token('agent'), path = '/mcp'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.url}${path}`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  clients.push(client)
  return client
}

test.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('a client of the SDK in mode %s speaks revision %s, lists the tools and acts', async (mode, revision) => {
  const client = await connect(mode)
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  const { tools } = await client.listTools()
  expect(tools.map((t) => t.name)).toEqual(expect.arrayContaining(['ui.snapshot', 'ui.click', 'op.wait']))
  const { text, record } = await use(client, 'ui.click', { target: 'name="Already paid"' })
  expect({ text, record }).toMatchObject({ text: expect.stringContaining('confirmed'), record: { effect: 'confirmed' } })
})

test.each(['auto', 'legacy'] as const)('pictures come once, as image content (%s)', async (mode) => {
  const client = await connect(mode)
  const { content, structuredContent } = await client.callTool({ name: 'gui_screenshot', arguments: {} })
  expect(content).toContainEqual({ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) })
  expect(JSON.stringify(structuredContent)).not.toContain('iVBOR')
})

test('the desktop may be named in the address, and without a token nothing is served', async () => {
  const client = await connect('auto', undefined, '/desktops/virtual/mcp')
  expect((await use(client, 'ui.snapshot')).text).toMatch(/^snapshot/)
  await expect(connect('auto', 'x'.repeat(43))).rejects.toThrow(/401|nauthorized/)
  await expect(connect('legacy', 'x'.repeat(43))).rejects.toThrow(/401|nauthorized/)
})

test('a call that waits for a person holds up no other, and a client that gives up takes it back', async () => {
  const client = await connect('auto')
  const end = new AbortController()
  const asked = handled(
    client.callTool({ name: 'ui.click', arguments: { target: 'role=button && name="Archive"' } }, { signal: end.signal }),
  )
  const waiting = async () => (await world.ask('GET', '/desktops/virtual/approvals', { as: 'operator' })).json.length
  await expect.poll(waiting).toBe(1)
  expect((await use(client, 'ui.query', { selector: 'name="Amount"' })).isError).toBe(false)
  end.abort()
  await expect(asked).rejects.toThrow(/abort/i)
  await expect.poll(waiting).toBe(0)
})
