import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { use, World, type Up } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

/** Texts that stand on the screen, are typed, or are said by callers; none of them may leave. */
const CANARY = 'canary-7f3a'
const SECRET = 'hush-91c5-secret'
const UI = {
  windows: [
    window(`${CANARY}-title`, [
      element('text_field', `${CANARY}-field`),
      element('button', `${CANARY}-button`),
      element('button', `${CANARY}-forbidden`),
    ]),
  ],
}
const POLICY = `[[rule]]
name = "${CANARY}-rule"
toolName = "ui.click"
decision = "deny"
denyMessage = "${CANARY}-message"
priority = 900
when = { name = "*forbidden*" }
`

let world: World
let up: Up
let tokens: Record<string, string>
let receiver: Server
let received: { path: string; body: string }[]

beforeEach(async () => {
  world = new World()
  received = []
  receiver = createServer((req, res) => {
    void text(req).then((body) => {
      received.push({ path: req.url ?? '', body })
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
})
afterEach(async () => {
  await world.end()
  receiver.close()
})

async function serve(telemetry: boolean): Promise<void> {
  const { port } = receiver.address() as AddressInfo
  mkdirSync(join(world.dir, 'state'), { mode: 0o700 })
  const secret = `[mail]\nvalue = "${SECRET}"\napps = ["virtual:${CANARY}-title"]\n`
  writeFileSync(join(world.dir, 'state', 'secrets.toml'), secret, { mode: 0o600 })
  // Only the configuration turns it on, not what else of the environment speaks of telemetry.
  world.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${port}`
  world.file('deskhand.toml', telemetry ? `[telemetry]\notlp = "http://127.0.0.1:${port}"\nseconds = 1\n` : '')
  up = await world.server('--ui', world.file('ui.json', JSON.stringify(UI)), '--policy', world.file('policy.toml', POLICY))
  const files = new DesktopState(join(world.dir, 'state'), 'virtual').tokens
  tokens = Object.fromEntries((['agent', 'viewer', 'operator'] as const).map((role) => [role, files.issue(role, role)]))
}

const ask = (path: string, as: string | undefined, init: RequestInit = {}): Promise<Response> =>
  fetch(`${up.ready.url}${path}`, {
    ...init,
    headers: { ...(as === undefined ? {} : { authorization: `Bearer ${tokens[as]}` }), ...(init.headers as Record<string, string>) },
  })

const call = async (tool: string, args: unknown, more: object = {}, headers: Record<string, string> = {}): Promise<unknown> =>
  (
    await ask(`/api/v1/desktops/virtual/tools/${tool}`, 'agent', {
      method: 'POST',
      body: JSON.stringify({ args, ...more }),
      headers: { 'content-type': 'application/json', ...headers },
    })
  ).json()

/** Everything that goes well and everything that does not, with the canary wherever a caller can put one. */
async function work(): Promise<void> {
  await call('ui.snapshot', {})
  await call(
    'ui.type',
    { target: `name="${CANARY}-field"`, text: `${CANARY}-text` },
    { intent: `${CANARY}-intent`, callId: `${CANARY}-call` },
  )
  expect(await call('ui.type', { target: `name="${CANARY}-field"`, secret: 'mail' })).toMatchObject({ status: 'success' })
  await call('ui.click', { target: `name="${CANARY}-button"` })
  await call('ui.click', { target: `name="${CANARY}-forbidden"` })
  await call('ui.click', { target: `name="${CANARY}-nowhere"`, timeoutMs: 0 })
  await call('ui.click', { target: `${CANARY} ((` })
  await call(`${CANARY}.tool`, {})
  await call('ui.query', { selector: `name^="${CANARY}"` })
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (let i = 0; i < 600; i++) {
    const found = find()
    if (found !== undefined) return found
    await sleep(50)
  }
  throw new Error('it did not come')
}

test('the server counts what happened, by kinds, codes and steps, for those who may watch', async () => {
  await serve(false)
  await work()
  const answer = await ask('/metrics', 'viewer')
  const told = await answer.text()
  expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
  })
  for (const line of [
    'deskhand_calls_total{desktop="virtual",kind="snapshot",status="success"} 1',
    'deskhand_calls_total{desktop="virtual",kind="click",status="success"} 1',
    'deskhand_calls_total{desktop="virtual",kind="click",status="error"} 3',
    'deskhand_errors_total{desktop="virtual",code="DENIED"} 1',
    'deskhand_errors_total{desktop="virtual",code="NOT_FOUND"} 1',
    'deskhand_errors_total{desktop="virtual",code="BAD_SELECTOR"} 1',
    'deskhand_decisions_total{desktop="virtual",verdict="deny"} 1',
    'deskhand_hung_applications{desktop="virtual"} 0',
    'deskhand_step_seconds_bucket{desktop="virtual",step="verify",le="+Inf"} 3',
    'deskhand_step_seconds_count{desktop="virtual",step="act"} 3',
  ])
    expect(told).toContain(`${line}\n`)
  expect(Number(/deskhand_tree_nodes\{desktop="virtual"\} (\d+)/.exec(told)?.[1])).toBeGreaterThan(3)
  expect(told.split('\n').filter((l) => l !== '' && !/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.e+-]+)$/.test(l))).toEqual([])
  for (const canary of [CANARY, SECRET]) expect(told).not.toContain(canary)
  const statuses = await Promise.all(['operator', 'agent', undefined].map(async (as) => (await ask('/metrics', as)).status))
  expect(statuses).toEqual([200, 403, 401])
  await world.stop()
  expect(received).toEqual([])
})

test('questions to a person are counted by what became of them', async () => {
  await serve(false)
  const rule = `[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "${CANARY}-button" }\n`
  await world.stop()
  up = await world.server('--ui', join(world.dir, 'ui.json'), '--policy', world.file('policy.toml', rule))
  const press = (): Promise<unknown> => call('ui.click', { target: `name="${CANARY}-button"` })
  const answered = async (...answer: string[]): Promise<void> => {
    const asked = press()
    await expect
      .poll(async () => {
        const [first] = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as { id: string }[]
        return first !== undefined && (await world.run(['approvals', answer[0]!, first.id, ...answer.slice(1)])).code === 0
      })
      .toBe(true)
    await asked
  }
  await answered('allow')
  await answered('deny', '--reason', `${CANARY}-reason`)
  await answered('deny')
  const told = await (await ask('/metrics', 'viewer')).text()
  for (const line of [
    'deskhand_approvals_total{desktop="virtual",outcome="asked"} 3',
    'deskhand_approvals_total{desktop="virtual",outcome="allowed"} 1',
    'deskhand_approvals_total{desktop="virtual",outcome="denied"} 2',
    'deskhand_errors_total{desktop="virtual",code="APPROVAL_DENIED"} 2',
    'deskhand_step_seconds_count{desktop="virtual",step="ask"} 3',
  ])
    expect(told).toContain(`${line}\n`)
  expect(told).not.toContain(CANARY)
}, 60_000)

test('OTLP carries counts and traces that join those of the caller, and nothing of what calls are about', async () => {
  await serve(true)
  await work()
  const [http, mcp] = ['a', 'b'].map((c) => c.repeat(32))
  await call('ui.click', { target: `name="${CANARY}-button"` }, {}, { traceparent: `00-${http}-00f067aa0ba902b7-01` })
  const client = await world.mcp()
  await client.callTool({
    name: 'ui.click',
    arguments: { target: `name="${CANARY}-button"` },
    _meta: { traceparent: `00-${mcp}-00f067aa0ba902b7-01`, baggage: CANARY },
  })
  await client.callTool({ name: 'ui.snapshot', arguments: {}, _meta: { traceparent: CANARY } })
  expect((await use(client, 'ui.snapshot')).text).toContain(CANARY)

  const spanOf = (traceId: string | undefined): Span | undefined =>
    spans().find((s) => s.traceId === traceId && s.parentSpanId === '00f067aa0ba902b7')
  const clicked = await until(() => spanOf(mcp))
  expect(clicked).toMatchObject({ name: 'tools/call ui.click', kind: 2 })
  expect(attributes(clicked)).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'ui.click',
    'deskhand.decision': 'allow',
  })
  expect(await until(() => spanOf(http))).toMatchObject({ name: 'execute_tool ui.click', kind: 1 })
  const inside = spans().filter((s) => s.parentSpanId === clicked.spanId)
  expect(inside.map((s) => s.name)).toEqual(['resolve', 'decide', 'act', 'verify'])
  const failed = await until(() => spans().find((s) => attributes(s)['error.type'] === 'DENIED'))
  expect(failed.status).toMatchObject({ code: 2 })

  await until(() => (received.some((r) => r.path === '/v1/metrics' && r.body.includes('mcp.server.operation.duration')) ? true : undefined))
  const sent = received.map((r) => r.body).join('\n')
  for (const name of ['deskhand.calls', 'deskhand.errors', 'deskhand.tree_nodes', 'deskhand.step.duration', 'service.name'])
    expect(sent).toContain(`"${name}"`)
  for (const canary of [CANARY, SECRET]) expect(sent).not.toContain(canary)
})

test('a receiver that is gone holds up neither calls nor the end', async () => {
  await serve(true)
  receiver.close()
  receiver.closeAllConnections()
  expect(await call('ui.click', { target: `name="${CANARY}-button"` })).toMatchObject({ status: 'success' })
  process.kill(up.pid, 'SIGTERM')
  expect(await up.ended).toBe(0)
})

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status?: unknown
  attributes: { key: string; value: { stringValue?: string } }[]
}

const spans = (): Span[] =>
  received
    .filter((r) => r.path === '/v1/traces')
    .flatMap((r) => (JSON.parse(r.body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans)
    .flatMap((r) => r.scopeSpans)
    .flatMap((s) => s.spans)

const attributes = (span: Span): Record<string, string | undefined> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue]))
