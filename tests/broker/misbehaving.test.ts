import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BrokerClient } from '../../packages/deskhand/src/broker/client.ts'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { handled } from '../support/handled.ts'
import { World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

/** What a terminal obeys or a reader is misled by: CSI, an escape, turned reading order, nothing at all, a line break. */
const FORGED = 'Invoice \u009b2J\u001b[31m \u202egnp.exe \u200b\u2066x\u2069 \u2028y'
const UI = { windows: [window('Shop', [element('button', 'Order'), element('button', 'Secret'), element('label', FORGED)])] }
const RULES = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\nwhen = { name = "Secret" }\n'

let world: World
let journal: string
let place: DesktopState
beforeEach(async () => {
  world = new World()
  journal = (await world.serve(UI, RULES)).journal
  place = new DesktopState(world.env['DESKHAND_STATE']!, 'virtual')
})
afterEach(() => world.end())

const journalBytes = (): number =>
  readdirSync(journal, { recursive: true }).reduce((sum, f) => sum + statSync(join(journal, String(f))).size, 0)

test('a message that is too large, or no JSON, is answered, and the ones behind it are served', async () => {
  const mcp = world.start('mcp')
  const lines: Record<string, unknown>[] = []
  createInterface({ input: mcp.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Record<string, unknown>))
  const send = (message: unknown): void => void mcp.stdin.write(`${JSON.stringify(message)}\n`)
  const call = (id: number, args: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ui.query', arguments: args } })
  send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  })
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(1)
  send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  send(call(2, { selector: `name="${'x'.repeat(20_000_000)}"` }))
  send({ params: { name: 'ui.query', arguments: { selector: 'y'.repeat(20_000_000) } }, method: 'tools/call', jsonrpc: '2.0', id: 'last' })
  mcp.stdin.write('{"jsonrpc":"2.0", this is none\n')
  send(call(3, { selector: `name="${'z'.repeat(6_000_000)}"` }))
  send(call(4, { selector: 'name="Order"' }))
  const answered = (id: unknown): Record<string, unknown> | undefined => lines.find((line) => line['id'] === id)
  await expect.poll(() => answered(4), { timeout: 20_000 }).toBeDefined()
  await expect.poll(() => answered(3), { timeout: 20_000 }).toBeDefined()
  for (const id of [2, 'last'])
    expect(answered(id)).toMatchObject({ error: { code: -32_600, message: expect.stringContaining('over the limit') } })
  expect(answered(null)).toMatchObject({ error: { code: -32_700 } })
  expect(answered(3)).toMatchObject({ result: { isError: true } })
  expect(JSON.stringify(answered(4))).toContain('Order')
})

test('refusals and rehearsals without end cost little on the disk, slow only who makes them, and stop works meanwhile', async () => {
  const agent = await BrokerClient.connect(place, 'agent')
  const operator = await BrokerClient.connect(place, 'operator')
  const before = journalBytes()
  const started = performance.now()
  const text = 'x'.repeat(15_000)
  const flood = Array.from({ length: 40 }, async () => {
    for (let i = 0; i < 200; i++) {
      const done =
        i % 2 === 0
          ? await agent.call('ui.click', { target: 'name="Secret"' }, { intent: text.slice(0, 1500) })
          : await agent.call('ui.type', { target: 'name="Order"', text }, { dryRun: true })
      if (done.error?.code === 'NO_BROKER') return
    }
  })
  const spent = (): number => journalBytes() - before
  await expect.poll(spent, { timeout: 60_000, interval: 200 }).toBeGreaterThan(4_000_000)
  expect(await operator.call('ui.query', { selector: 'name="Order"' })).toMatchObject({ status: 'success' })
  await operator.invoke('stop', {})
  expect(await operator.invoke('info', {})).toMatchObject({ stopped: true })
  // Without a bound 40 callers at once write megabytes a second.
  const seconds = (performance.now() - started) / 1000
  expect(spent()).toBeLessThan(6_000_000 + 64 * 1024 * seconds)
  await agent.close()
  await Promise.all(flood.map((one) => handled(one).catch(() => {})))
  await operator.close()
})

test('what commands print as JSON says the same to every reader: nothing in it moves a cursor, turns the text or hides', async () => {
  const printed = [
    await world.run(['call', 'ui.query', JSON.stringify({ selector: 'role=label' })]),
    await world.run(['call', '--stdin'], `${JSON.stringify({ tool: 'ui.snapshot', args: { mode: 'all' } })}\n`),
    await world.run(['journal', 'list', '--json']),
    await world.run(['policy', 'explain', 'ui.click', '{"target":"role=label"}', '--json']),
  ]
  for (const { out } of printed) {
    expect(out).not.toMatch(/[\u0080-\u009f\u001b\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029]/)
    for (const line of out.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow()
  }
  const told = JSON.parse(printed[0]!.out) as { data: { matches: { name: string }[] } }
  expect(told.data.matches[0]?.name).toContain('\u202e')
})
