import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { within } from '@deskhand/core/driver'
import { ChildChannel } from '../../packages/deskhand/src/drivers/child-channel.ts'
import { openMcpDriver, type McpDriver } from '../../packages/deskhand/src/drivers/mcp-driver.ts'
import { BIN } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

const ODD = resolve(import.meta.dirname, '../fixtures/odd-driver.mjs')
const LONG_MS = 300_000

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dh-'))
  writeFileSync(join(dir, 'mode'), 'good')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const asks = (): number => (existsSync(join(dir, 'asks')) ? readFileSync(join(dir, 'asks'), 'utf8').trimEnd().split('\n').length : 0)

function odd(env: Record<string, string> = {}): Promise<McpDriver> {
  const files = { ODD_MODE: join(dir, 'mode'), ODD_STARTS: join(dir, 'starts'), ODD_ASKS: join(dir, 'asks') }
  return openMcpDriver(new ChildChannel({ command: [process.execPath, ODD], env: { ...files, ...env } }), 60_000)
}

test.each([
  ['a driver that says by itself that something changed is asked when it does', { ODD_NOTIFIES: '1' }, 2],
  ['a driver that does not say so is asked time and again', {}, undefined],
])(
  '%s',
  async (_, env, most) => {
    const driver = await odd(env)
    try {
      const { cursor } = await driver.observe.read({}, within(20_000))
      const idle = await driver.observe.changes(cursor, 1_000, within(20_000))
      expect(idle).toEqual({ cursor, changes: [] })
      if (most === undefined) expect(asks()).toBeGreaterThan(2)
      else expect(asks()).toBeLessThanOrEqual(most)

      const before = asks()
      const news = driver.observe.changes(cursor, LONG_MS, within(LONG_MS))
      await expect.poll(asks, { timeout: 20_000 }).toBeGreaterThan(before)
      const lease = await driver.act.take(10_000, within(20_000))
      await driver.act.step(lease, { do: 'press', key: 'b' }, {}, within(20_000))
      expect(await news).toMatchObject({ changes: expect.arrayContaining([expect.objectContaining({ type: 'put' })]) as unknown })
      if (most !== undefined) expect(asks()).toBe(before + 2)
    } finally {
      await driver.close()
    }
  },
  60_000,
)

test('a driver that floods its client with such words is ended', async () => {
  const driver = await odd({ ODD_NOTIFIES: '1' })
  writeFileSync(join(dir, 'mode'), 'floods with messages')
  expect(await driver.ended).toMatchObject({ code: 'PROTOCOL' })
  await driver.close()
}, 60_000)

test('a driver of our own tells a client that does not wait for changes, once until it asked for them', async () => {
  const ui = join(dir, 'ui.json')
  writeFileSync(ui, JSON.stringify([window('Form', [element('checkbox', 'Paid')])]))
  const client = new Client({ name: 'test', version: '1' })
  const heard: string[] = []
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method)
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'driver', 'virtual', '--mcp', '--ui', ui] }))
  try {
    expect(client.getServerCapabilities()?.experimental).toEqual({ 'deskhand/changes': {} })
    const ask = async (name: string, args: Record<string, unknown>): Promise<never> =>
      ((await client.callTool({ name: `driver.${name}`, arguments: args })).structuredContent as { result: never }).result
    const { cursor, nodes } = (await ask('read', { scope: {} })) as { cursor: string; nodes: { key: string; role: string }[] }
    const key = nodes.find((node) => node.role === 'checkbox')?.key
    const lease: string = await ask('take', { ttlMs: 30_000 })
    const press = (): Promise<never> => ask('step', { lease, step: { do: 'press', key }, guard: {} })
    await press()
    await expect.poll(() => heard, { timeout: 20_000 }).toEqual(['notifications/deskhand/changed'])
    await press()
    const first = (await ask('changes', { since: cursor, waitMs: 0 })) as { cursor: string; changes: unknown[] }
    expect(first.changes.length).toBeGreaterThan(0)
    expect(heard).toHaveLength(1)
    await press()
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(2)
  } finally {
    await client.close()
  }
}, 60_000)
