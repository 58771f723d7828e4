import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { connect, rehearse } from 'deskhand'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'
import { handled } from '../support/handled.ts'
import { Pane } from '../support/pane.ts'

const count = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const UI = {
  windows: [
    window('Shop', [
      element('label', 'n', { value: 0 }),
      element('checkbox', 'Gift'),
      element('button', 'Order', count),
      element('button', 'Again', count),
    ]),
  ],
}
const POLICY =
  '[[rule]]\nname = "clicks ask"\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n'
const click = (name: string) => ({ tool: 'ui.click', args: { target: `name="${name}"` } })
const PLAN = [click('Gift'), click('Order'), click('Again')]

let world: World
let pane: Pane | undefined
beforeEach(() => {
  world = new World()
  writeFileSync(join(world.dir, 'deskhand.toml'), '[approvals]\nwaitSeconds = 0.5\n')
})
afterEach(async () => {
  pane?.end()
  pane = undefined
  await world.end()
})

const up = (): Promise<{ journal: string }> => world.serve(UI, POLICY)

const clicks = async (client: Awaited<ReturnType<World['mcp']>>): Promise<string> =>
  (await use(client, 'ui.query', { selector: 'role=label' })).text

test('an agent asks once for a plan, a person reads its steps and agrees, and the calls pass as they were rehearsed', async () => {
  const { journal } = await up()
  const client = await world.mcp()
  const asked = await use(client, 'plan.rehearse', { actions: PLAN, ask: true })
  expect(asked.record).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  const listed = await world.run(['approvals', 'list'])
  for (const part of [
    'a plan of 3 steps: 2 to agree to, 1 unknown',
    'AGREED TO with this answer',
    'click button "Order"',
    'unknown because step 2',
  ])
    expect(listed.out).toContain(part)
  const [{ id }] = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as [Approval]
  expect(await world.run(['approvals', 'allow', id, '--scope', 'app'])).toMatchObject({ code: 0, out: 'allowed app\n' })
  const agreed = await use(client, 'op.wait', { op: asked.record['op'] })
  expect(agreed.text).toContain(`Agreed as ${id}`)
  expect(await clicks(client)).toContain('"0"')
  for (const { tool, args } of PLAN) expect((await use(client, tool, args)).record).toMatchObject({ sent: 'all' })
  expect(await clicks(client)).toContain('"2"')
  expect((await use(client, 'ui.click', click('Order').args)).record).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  await world.run(['down'])
  expect(await world.run(['journal', 'verify', journal])).toMatchObject({ code: 0 })
  const entries = (await world.run(['journal', 'list', '--json', '--type', 'answered', '--', journal])).out.trim().split('\n')
  expect(entries.map((line) => (JSON.parse(line) as { scope: string }).scope)).toEqual(['app', 'plan', 'plan'])
})

test('the agent’s token answers no plan, whatever it tries on the socket, and every attempt is written down', async () => {
  const { journal } = await up()
  const state = world.env['DESKHAND_STATE']!
  const agent = await connect({ state })
  const operator = await connect({ state, as: 'operator' })
  try {
    const plan = handled(rehearse(agent, PLAN, { ask: true }))
    let found: Approval | undefined
    for (let i = 0; i < 200 && found === undefined; i++, await sleep(10)) [found] = await operator.invoke('approvals.list', {})
    expect(found?.steps).toHaveLength(3)
    await expect(agent.invoke('approvals.answer', { id: found!.id, allow: true, scope: 'session' })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    await expect(agent.invoke('approvals.list', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(agent.invoke('approvals.picture', { id: found!.id })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(await agent.call('ui.click', PLAN[0]!.args, { waitMs: 50 })).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
    await operator.invoke('approvals.answer', { id: found!.id, allow: false, reason: 'no' })
    await expect(plan).rejects.toMatchObject({ code: 'APPROVAL_DENIED' })
  } finally {
    await Promise.all([agent.close(), operator.close()])
  }
  const rejected = (await world.run(['journal', 'list', '--json', '--type', 'rejected', '--', journal])).out
  expect(
    rejected
      .trim()
      .split('\n')
      .map((l) => (JSON.parse(l) as { tool: string }).tool),
  ).toEqual(['approvals.answer', 'approvals.list', 'approvals.picture'])
})

test('a person agrees to a plan in their terminal, after reading each step', async () => {
  await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  await pane.until('Nothing waits')
  const asked = await use(client, 'plan.rehearse', { actions: PLAN.slice(0, 2), ask: true })
  const screen = await pane.until('allow these steps')
  for (const part of ['step 1', 'AGREED TO', 'click checkbox "Gift"']) expect(screen).toContain(part)
  await pane.answer('allow these steps')
  await pane.until('allowed once')
  expect((await use(client, 'op.wait', { op: asked.record['op'] })).record).toMatchObject({ status: 'success' })
  for (const { tool, args } of PLAN.slice(0, 2)) expect((await use(client, tool, args)).record).toMatchObject({ sent: 'all' })
})

test('deskhand rehearse tells a plan in words or as JSON, and does none of it', async () => {
  await up()
  const client = await world.mcp()
  const file = join(world.dir, 'plan.json')
  writeFileSync(file, JSON.stringify(PLAN))
  const told = await world.run(['rehearse', file])
  expect(told).toMatchObject({ code: 0 })
  expect(told.out).toMatch(/^3 steps, 2 known, 1 unknown\. Nothing was done\.\n1\. click checkbox "Gift" in "Shop": a person has to agree/)
  const json = await world.run(['rehearse', '-', '--json'], JSON.stringify({ actions: PLAN }))
  expect(JSON.parse(json.out)).toMatchObject({ status: 'success', data: { known: 2, steps: [{}, {}, { state: 'unknown' }] } })
  expect(await world.run(['rehearse', file, '--ask', '--wait', '0.1'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('APPROVAL_PENDING'),
  })
  expect(await clicks(client)).toContain('"0"')
  writeFileSync(file, '{"no": "plan"}')
  expect(await world.run(['rehearse', file])).toMatchObject({ code: 2, err: expect.stringContaining('no list of calls') })
  expect((await world.run(['rehearse', join(world.dir, 'none.json')])).code).toBe(2)
})
