import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type ClientCapabilities, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Config } from '../../packages/deskhand/src/config.ts'
import { BIN, use, World } from '../support/cli.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'
import { framed, taskSession } from '../support/mcp-tasks.ts'

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Already paid" }\n'
const PAID = { target: 'name="Already paid"' }
const FORMS: ClientCapabilities = { elicitation: { form: {} } }
const mcp = { waitMs: 3_000, toolsets: Config.parse({}).toolsets }

const dir = mkdtempSync(join(tmpdir(), 'dh-relay-'))
const rules = join(dir, 'ask.toml')
const clients: Client[] = []
let trusting: HttpWorld
let wary: HttpWorld
beforeAll(async () => {
  writeFileSync(rules, ASK)
  trusting = await httpWorld([{ policy: { files: [rules], trustedClients: ['agent'] } }], { mcp })
  wary = await httpWorld([{ policy: { files: [rules], trustedClients: ['another'] } }], { mcp })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((c) => c.close().catch(() => {})))
})
afterAll(async () => {
  await trusting?.close()
  await wary?.close()
  rmSync(dir, { recursive: true })
})

/** A client whose person answers every form so; `asked` has what they were shown. */
function client(answer: ElicitResult, capabilities = FORMS, mode: 'auto' | 'legacy' = 'auto'): { client: Client; asked: string[] } {
  const asked: string[] = []
  const made = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
  if (capabilities.elicitation !== undefined)
    made.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return answer
    })
  clients.push(made)
  return { client: made, asked }
}

const http = (world: HttpWorld): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${world.token('agent')}` } },
  })

type Entry = { type: string; allow?: boolean; surface?: string; by?: { id: string }; tool?: string }
const journal = async (world: HttpWorld): Promise<Entry[]> =>
  (await world.ask('GET', '/desktops/virtual/journal?newest=true&limit=50', { as: 'operator' })).json as Entry[]
const waiting = async (world: HttpWorld): Promise<{ id: string }[]> =>
  (await world.ask('GET', '/desktops/virtual/approvals', { as: 'operator' })).json as { id: string }[]

const ALLOW: ElicitResult = { action: 'accept', content: { allow: true } }

test('where the policy trusts a client by name, what its person answers is the answer, and is recorded as theirs', async () => {
  const { client: trusted, asked } = client(ALLOW)
  await trusted.connect(http(trusting))
  expect(await use(trusted, 'ui.click', PAID)).toMatchObject({ isError: false, record: { effect: 'confirmed' } })
  expect(asked).toEqual([expect.stringContaining('Already paid')])
  const answered = (await journal(trusting)).find((e) => e.type === 'answered')
  expect(answered).toMatchObject({ allow: true, surface: 'client', by: { id: 'agent', role: 'agent' } })
})

test.each<ElicitResult>([{ action: 'decline' }, { action: 'accept', content: { allow: false } }])(
  'their no is a no: %j',
  async (answer) => {
    const { client: trusted } = client(answer)
    await trusted.connect(http(trusting))
    expect(await use(trusted, 'ui.click', PAID)).toMatchObject({ isError: true, record: { error: { code: 'APPROVAL_DENIED' } } })
  },
)

test('where it does not, an answer is none: the question goes on waiting, and the try is recorded', async () => {
  const { client: untrusted, asked } = client(ALLOW)
  await untrusted.connect(http(wary))
  const { record } = await use(untrusted, 'ui.click', PAID)
  expect(record).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  expect(asked).toEqual([expect.stringContaining('does not count')])
  const [question] = await waiting(wary)
  expect(question).toBeDefined()
  expect(await journal(wary)).toContainEqual(expect.objectContaining({ type: 'rejected', tool: 'approvals.relay' }))
  await wary.ask('POST', `/desktops/virtual/approvals/${question!.id}/answer`, { as: 'operator', body: { allow: true } })
  expect(await use(untrusted, 'op.wait', { op: record['op'] })).toMatchObject({ record: { effect: 'confirmed' } })
})

test('a form that is closed answers nothing, and an operator elsewhere may answer first', async () => {
  const { client: trusted } = client({ action: 'cancel' })
  await trusted.connect(http(trusting))
  const call = use(trusted, 'ui.click', PAID)
  await expect.poll(async () => (await waiting(trusting)).length).toBe(1)
  const [question] = await waiting(trusting)
  await trusting.ask('POST', `/desktops/virtual/approvals/${question!.id}/answer`, { as: 'operator', body: { allow: true } })
  expect(await call).toMatchObject({ record: { effect: 'confirmed' } })
})

test('a client that declares no forms is asked nothing', async () => {
  const { client: plain } = client(ALLOW, {})
  await plain.connect(http(trusting))
  const { record } = await use(plain, 'ui.click', PAID)
  expect(record).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  expect((await use(plain, 'op.cancel', { op: record['op'] })).isError).toBe(false)
})

test('what a client carries from one request to the next is signed', async () => {
  const { raw, close } = await taskSession(() => http(trusting))
  const forged = { name: 'ui.click', arguments: PAID, inputResponses: { answer: ALLOW }, requestState: 'v1.e30.AAAA' }
  expect(await raw(framed('tools/call', forged, {}))).toMatchObject({ error: { code: -32_602 } })
  expect(await waiting(trusting)).toEqual([])
  await close()
})

test.each(['auto', 'legacy'] as const)('over standard input and output a client of mode %s is asked as well', async (mode) => {
  const world = new World()
  try {
    world.file('deskhand.toml', '[policy]\nfiles = ["ask.toml"]\ntrustedClients = ["agent"]\n')
    world.file('ask.toml', ASK)
    await world.up()
    const { client: trusted, asked } = client(ALLOW, FORMS, mode)
    await trusted.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env: world.env, cwd: world.dir }))
    expect(await use(trusted, 'ui.click', PAID)).toMatchObject({ isError: false, record: { effect: 'confirmed' } })
    expect(asked).toHaveLength(1)
    await trusted.close()
  } finally {
    await world.end()
  }
})
