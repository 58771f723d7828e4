import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BrokerClient } from '../../packages/deskhand/src/broker/client.ts'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { use, World } from '../support/cli.ts'

let world: World

beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

/** Deleting asks, archiving is forbidden; the rest is the preset's. */
const POLICY = `
[[rule]]
toolName = "ui.click"
decision = "ask_user"
priority = 500
[rule.when]
name = "Delete"

[[rule]]
toolName = "ui.click"
decision = "deny"
priority = 600
denyMessage = "nobody archives on Sundays"
[rule.when]
name = "Archive"
`

function policyFile(): string {
  const file = join(world.dir, 'policy.toml')
  writeFileSync(file, POLICY)
  return file
}

describe.each(['auto', 'legacy'] as const)('an agent through MCP (%s revision)', (mode) => {
  test('looks, opens a menu, types Unicode and saves, and the record verifies', async () => {
    await world.up('--policy', policyFile())
    const client = await world.mcp(mode)
    const { tools } = await client.listTools()
    expect(tools.map((t) => t.name)).toContain('ui.click')

    const seen = await use(client, 'ui.snapshot')
    expect(seen.text).toMatch(/e\d+ textbox "Customer"/)
    const customer = /(e\d+) textbox "Customer"/.exec(seen.text)?.[1]

    const typed = await use(client, 'ui.type', { target: customer, text: 'Jürgen 漢字 😀' })
    expect(typed.record).toMatchObject({ status: 'success', effect: 'confirmed', sent: 'all' })

    const menu = await use(client, 'ui.click', { target: 'role=menu && name="File"' })
    expect(menu.isError).toBe(false)
    const saved = await use(client, 'ui.click', { target: 'role=menuitem && name="Save"', verify: { text: 'Saved invoices: 1' } })
    expect(saved.record).toMatchObject({ effect: 'confirmed', verification: { passed: true } })

    const found = await use(client, 'ui.query', { selector: 'name="Customer"' })
    expect(found.record['data'].matches[0].value).toBe('Jürgen 漢字 😀')

    const checked = await world.run(['journal', 'verify'])
    expect(checked).toMatchObject({ code: 0 })
  })
})

test('a denied call is refused with the rule’s words and recorded', async () => {
  const { ready } = await world.up('--policy', policyFile())
  const client = await world.mcp()
  const denied = await use(client, 'ui.click', { target: 'name="Archive"' })
  expect(denied.isError).toBe(true)
  expect(denied.text).toContain('nobody archives on Sundays')
  expect(denied.record).toMatchObject({ sent: 'none', effect: 'refused', error: { code: 'DENIED' } })

  const decided = async () => (await journalOf(ready.journal)).filter((e) => e['type'] === 'decided' && e['op'] === denied.record['op'])
  await expect.poll(decided).toMatchObject([{ tool: 'ui.click', decision: { verdict: 'deny' }, targets: [{ name: 'Archive' }] }])
})

test('a call that needs approval waits while others go on, and only the operator can allow it', async () => {
  writeFileSync(join(world.dir, 'deskhand.toml'), '[approvals]\nwaitSeconds = 0.2\n')
  const { ready } = await world.up('--policy', policyFile())
  const client = await world.mcp()
  await use(client, 'ui.click', { target: 'role=menu && name="File"' })
  await use(client, 'ui.click', { target: 'name="Delete invoice"', verify: { window: { dialog: true, appeared: true } } })

  const pending = await use(client, 'ui.click', { target: 'role=button && name="Delete"' })
  expect(pending.record).toMatchObject({ sent: 'none', error: { code: 'APPROVAL_PENDING' } })
  const op = pending.record['op'] as string
  expect((await use(client, 'op.status', { op })).record).toMatchObject({ data: { state: 'waiting' } })

  // Other calls go on meanwhile.
  expect((await use(client, 'ui.snapshot')).isError).toBe(false)

  const listed = await world.run(['approvals', 'list', '--json'])
  const [approval] = JSON.parse(listed.out) as { id: string; summary: string }[]
  expect(approval?.summary).toContain('Delete')

  // With the agent's token the same request is refused.
  const agent = await BrokerClient.connect(new DesktopState(world.env['DESKHAND_STATE']!, ready.name), 'agent')
  await expect(agent.invoke('approvals.answer', { id: approval!.id, allow: true })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(agent.invoke('approvals.list', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await agent.close()
  expect((await use(client, 'op.status', { op })).record).toMatchObject({ data: { state: 'waiting' } })

  expect(await world.run(['approvals', 'allow', approval!.id])).toMatchObject({ code: 0 })
  const done = await use(client, 'op.wait', { op })
  expect(done.record).toMatchObject({ status: 'success', sent: 'all' })
  expect((await use(client, 'ui.assert', { condition: { text: 'Invoice deleted' } })).isError).toBe(false)

  const entries = await journalOf(ready.journal)
  expect(entries.filter((e) => e['op'] === op).map((e) => e['type'])).toEqual(['decided', 'answered', 'acting', 'done'])
  expect(entries).toContainEqual(expect.objectContaining({ type: 'rejected', code: 'UNAUTHORIZED' }))
})

test('a journal with a changed line is found out by the command', async () => {
  const { ready } = await world.up()
  const client = await world.mcp()
  await use(client, 'ui.type', { target: 'name="Amount"', text: '100' })
  await world.run(['down'])
  const [file] = segmentsOf(ready.journal)
  writeFileSync(file!, readFileSync(file!, 'utf8').replace('"100"', '"900"'))
  const checked = await world.run(['journal', 'verify'])
  expect(checked.code).toBe(1)
  expect(checked.out).toMatch(/entry \d+/)
})

test('two agents at once never mix their keystrokes', async () => {
  await world.up()
  const [a, b] = await Promise.all([world.mcp(), world.mcp()])
  const texts = ['a'.repeat(400), 'b'.repeat(400)]
  await Promise.all(
    [a, b].flatMap((client, i) => [
      use(client, 'ui.key', { keys: 'Tab' }),
      use(client, 'ui.type', { target: 'name="Note"', text: texts[i] }),
    ]),
  )
  const note = await use(a, 'ui.query', { selector: 'name="Note"' })
  expect([texts.join(''), texts.toReversed().join('')]).toContain(note.record['data'].matches[0].value)
})

async function journalOf(dir: string): Promise<Record<string, unknown>[]> {
  return segmentsOf(dir).flatMap((f) =>
    readFileSync(f, 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l) as Record<string, unknown>),
  )
}

function segmentsOf(dir: string): string[] {
  return readdirSync(dir)
    .filter((f) => f.endsWith('.jsonl'))
    .sort()
    .map((f) => join(dir, f))
}
