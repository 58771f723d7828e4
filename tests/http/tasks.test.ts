import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BIN, World } from '../support/cli.ts'
import { framed, taskSession } from '../support/mcp-tasks.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Already paid" }\n'
const PAID = { target: 'name="Already paid"' }
const LONG = { script: 'import pyautogui, time\nfor i in range(1000):\n    pyautogui.moveTo(10 + i % 50, 20)\n    time.sleep(0.05)\n' }

const dir = mkdtempSync(join(tmpdir(), 'dh-tasks-'))
const world = new World()
let url = ''
let token = ''
beforeAll(async () => {
  writeFileSync(join(dir, 'ask.toml'), ASK)
  url = (await world.server('--desktop', 'virtual', '--policy', join(dir, 'ask.toml'))).ready.url
  token = (await world.run(['token', 'add', 'tasker'])).out.trim().split(/\s+/).at(-1) ?? ''
})
afterAll(async () => {
  await world.end()
  rmSync(dir, { recursive: true })
})

const http = (as = token): Transport =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${as}` } } })
const stdio = (): Transport => new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env: world.env, cwd: world.dir })

async function question(): Promise<string> {
  let id = ''
  await expect
    .poll(
      async () => {
        const [first] = JSON.parse((await world.run(['approvals', 'list', '--json'])).out || '[]') as { id: string }[]
        return (id = first?.id ?? '')
      },
      { timeout: 20_000 },
    )
    .not.toBe('')
  return id
}

const questions = async (): Promise<number> =>
  (JSON.parse((await world.run(['approvals', 'list', '--json'])).out || '[]') as unknown[]).length

describe.each([
  ['HTTP', () => http()],
  ['standard input and output', stdio],
] as const)('over %s', (_, open) => {
  test('a call that waits for a person is a task, which ends with the call’s result', async () => {
    const { session, close } = await taskSession(open)
    const execution = await session.callTool('ui.click', PAID)
    expect(execution.kind).toBe('task')
    await world.run(['approvals', 'allow', await question()])
    const { outcome } = await execution.settle()
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ isError: false, structuredContent: { status: 'success' } })
    await close()
  })

  test('a call that ends soon is answered as to every client', async () => {
    const { session, close } = await taskSession(open)
    const execution = await session.callTool('ui.query', { selector: 'name="Amount"' })
    expect(execution.kind).not.toBe('task')
    await close()
  })

  test('a script that lasts is a task, tells how far it is, and ends when it is cancelled', async () => {
    const { raw, close } = await taskSession(open)
    const ask = async (method: string, params: Record<string, unknown>) => (await raw(framed(method, params, { [TASKS]: {} }))).result ?? {}
    const { taskId, resultType, status } = await ask('tools/call', { name: 'script.run', arguments: LONG })
    expect({ resultType, status }).toEqual({ resultType: 'task', status: 'working' })
    expect(await ask('tasks/update', { taskId, inputResponses: {} })).toMatchObject({ resultType: 'complete' })
    expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'working', ttlMs: null, resultType: 'complete' })
    expect(await ask('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' })
    await expect.poll(async () => (await ask('tasks/get', { taskId })).status, { timeout: 20_000 }).toBe('cancelled')
    await close()
  })

  test('a task that waits for a person and is cancelled takes its question back', async () => {
    const { session, close } = await taskSession(open)
    const execution = await session.callTool('ui.click', PAID)
    expect(execution.kind).toBe('task')
    await question()
    if (execution.kind === 'task') await execution.cancel()
    await expect.poll(questions, { timeout: 20_000 }).toBe(0)
    await close()
  })

  test('a client that did not say so gets no task, and may not ask for one', async () => {
    const { raw, close } = await taskSession(open)
    const told = await raw(framed('tools/call', { name: 'ui.query', arguments: { selector: 'name="Amount"' } }, {}))
    expect(told).toMatchObject({ result: { resultType: 'complete' } })
    expect(await raw(framed('tasks/get', { taskId: 'x' }, {}))).toMatchObject({ error: { code: -32_021 } })
    expect(await raw(framed('tasks/get', { taskId: 'x' }, { [TASKS]: {} }))).toMatchObject({ error: { code: -32_602 } })
    await close()
  })
})

test('a task of another principal is not there', async () => {
  const mine = await taskSession(() => http())
  const call = framed('tools/call', { name: 'script.run', arguments: LONG }, { [TASKS]: {} })
  const { taskId } = (await mine.raw(call)).result ?? {}
  const other = (await world.run(['token', 'add', 'other'])).out.trim().split(/\s+/).at(-1) ?? ''
  const theirs = await taskSession(() => http(other))
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await theirs.raw(framed(method, { taskId, inputResponses: {} }, { [TASKS]: {} }))).toMatchObject({ error: { code: -32_602 } })
  expect(await mine.raw(framed('tasks/cancel', { taskId }, { [TASKS]: {} }))).toMatchObject({ result: { resultType: 'complete' } })
  await mine.close()
  await theirs.close()
})

test('a client of the 2025 revision has none of it', async () => {
  const res = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 'x' } }),
  })
  expect(await res.text()).toContain('"code":-32601')
})
