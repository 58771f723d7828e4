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

test('without being asked the list says of each tool whether it only looks, may destroy, and may be called again', async () => {
  const [short, full] = await Promise.all(
    ['/mcp', '/mcp?describe=full'].map(async (path) => (await (await connect('auto', undefined, path)).listTools()).tools),
  )
  // What a client assumes where nothing is said, by the specification; the last two mean nothing of a tool that only looks.
  const assumed = { readOnlyHint: false, destructiveHint: true, idempotentHint: false }
  const meant = ({ annotations }: { annotations?: object | undefined }): unknown => {
    const { readOnlyHint, destructiveHint, idempotentHint } = { ...assumed, ...annotations }
    return readOnlyHint ? { readOnlyHint } : { readOnlyHint, destructiveHint, idempotentHint }
  }
  expect(short?.map(meant)).toEqual(full?.map(meant))
  expect(new Set(short?.map((tool) => JSON.stringify(meant(tool)))).size).toBe(3)
})

test.each(['auto', 'legacy'] as const)('pictures come once, as image content (%s)', async (mode) => {
  const client = await connect(mode)
  const { content, structuredContent } = await client.callTool({ name: 'gui_screenshot', arguments: {} })
  expect(content).toContainEqual({ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) })
  expect(JSON.stringify(structuredContent)).not.toContain('iVBOR')
})

test.each(['auto', 'legacy'] as const)(
  'asked for in full, tools have titles, hints and schemas that their answers keep to (%s)',
  async (mode) => {
    const client = await connect(mode, undefined, '/mcp?describe=full')
    const { tools } = await client.listTools()
    expect(tools.every((t) => t.title !== undefined && t.outputSchema !== undefined)).toBe(true)
    const hints = (name: string) => tools.find((t) => t.name === name)?.annotations
    expect(hints('ui.set')).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
    expect(hints('ui.query')).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
    // The client itself refuses structured content that breaks the schema it was told.
    expect(await use(client, 'ui.click', { target: 'name="Already paid"' })).toMatchObject({
      isError: false,
      record: { effect: 'confirmed' },
    })
    expect(await use(client, 'ui.click', { target: 'name="nothing"' })).toMatchObject({ isError: true, record: { status: 'error' } })
    expect(await use(client, 'gui_screenshot')).toMatchObject({ isError: false })
    const short = await (await connect(mode)).listTools()
    expect(short.tools.some((t) => t.title !== undefined || t.outputSchema !== undefined)).toBe(false)
  },
)

test.each(['auto', 'legacy'] as const)('a client that cancels stops a script between two calls (%s)', async (mode) => {
  const client = await connect(mode)
  const end = new AbortController()
  const told: unknown[] = []
  const code = 'import pyautogui, time\nfor i in range(500):\n    pyautogui.moveTo(10 + i % 50, 20)\n    time.sleep(0.02)\n'
  const run = handled(
    client.callTool(
      { name: 'script.run', arguments: { script: code } },
      { signal: end.signal, onprogress: (note) => void told.push(note) },
    ),
  )
  await expect.poll(() => told.length).toBeGreaterThan(3)
  end.abort()
  await expect(run).rejects.toThrow(/abort/i)
  const running = async () => {
    const { json } = await world.ask('GET', '/desktops/virtual/operations', { as: 'operator' })
    return (json as { state: string }[]).filter((one) => one.state !== 'done').length
  }
  await expect.poll(running).toBe(0)
  const newest = async () => (await world.ask('GET', '/desktops/virtual/journal?newest=true&limit=1', { as: 'operator' })).text
  const last = await newest()
  await new Promise((done) => setTimeout(done, 300))
  expect(await newest()).toBe(last)
  expect(told.length).toBeLessThan(400)
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

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'ui.query',
}

async function said(headers: Record<string, string>, params: object = {}): Promise<{ status: number; body: Record<string, unknown> }> {
  const call = { name: 'ui.query', arguments: { selector: 'name="Amount"' }, _meta: META, ...params }
  const answer = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers, authorization: `Bearer ${world.token('agent')}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('a call in the 2026 revision is answered as JSON, and one whose headers say otherwise than its body is refused', async () => {
  expect(await said({})).toMatchObject({
    status: 200,
    body: { id: 7, result: { resultType: 'complete', structuredContent: { status: 'success' } } },
  })
  const wrong = {
    'mcp-name': { 'mcp-name': 'ui.click' },
    'mcp-method': { 'mcp-method': 'tools/list' },
    version: { 'mcp-protocol-version': '2025-11-25' },
  }
  for (const [what, headers] of Object.entries(wrong))
    expect(await said(headers), what).toMatchObject({ status: 400, body: { id: 7, error: { code: -32_020 } } })
  expect((await said({ 'content-type': 'text/plain' })).status).toBe(415)
  expect(await said({}, { name: 7 }), 'a name that is none').toMatchObject({ body: { error: {} } })
  expect(await said({}, { arguments: 'none' }), 'arguments that are none').toMatchObject({ body: { error: { code: -32_602 } } })
  const unknown = { ...META, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
  expect(await said({ 'mcp-protocol-version': '2027-01-01' }, { _meta: unknown }), 'another revision').toMatchObject({
    body: { error: {} },
  })
})
