import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'
import { onlySignedBy } from './only-signed.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

const shop = (order: unknown) => ({
  windows: [
    window('Shop', [
      element('text_field', 'Customer'),
      element('text_field', 'Password', { attributes: { password: true } }),
      element('checkbox', 'Gift'),
      order,
    ]),
  ],
})
const ORDER = element('button', 'Order', {
  attributes: { on: { click: [{ do: 'set', element: 'text_field_customer', value: 'sent' }] } },
})

test('what an agent did becomes a playbook that an operator signs and that runs by its name, and no longer when it is changed', async () => {
  await world.serve(shop(ORDER), '')
  const agent = await world.mcp()
  const seen = (await use(agent, 'ui.snapshot')).text
  const [field, button] = [/(e\d+) textbox "Customer"/.exec(seen)?.[1], /(e\d+) button/.exec(seen)?.[1]]
  await use(agent, 'ui.type', { target: field, text: 'Anna', mode: 'replace' })
  await use(agent, 'ui.type', { target: 'name="Password"', text: 'hunter2 hunter2' })
  const { bounds } = (await use(agent, 'ui.query', { selector: 'name="Gift"' })).record['data'].matches[0]
  const gift = await use(agent, 'ui.click_xy', { x: bounds.x + bounds.w / 2, y: bounds.y + bounds.h / 2 })
  expect(gift.record).toMatchObject({ status: 'success', resolvedTarget: { name: 'Gift' } })
  for (let twice = 0; twice < 2; twice++) await use(agent, 'ui.click', { target: 'name="Gift"' })
  await use(agent, 'ui.click', { target: button })
  await use(agent, 'ui.click', { target: 'name="Nowhere"', timeoutMs: 0 })

  const file = join(world.dir, 'order.toml')
  const exported = await world.run(['journal', 'export', file, '--as', 'playbook', '--parameter', 'customer=Anna'])
  expect(exported).toMatchObject({ code: 0 })
  expect(exported.err).toContain('6 steps')
  const text = readFileSync(file, 'utf8')
  expect(text).not.toMatch(/Anna|hunter2|"?[xy]"? = \d|e\d+ /)
  expect(text).toContain('[parameters.customer]')
  expect(text).not.toContain('click_xy')
  expect(text).toMatch(/target = .*Gift/)
  // What it brought about then is looked for again.
  const verified = [...text.matchAll(/\[step\.args\.verify\.uiState\]\n(.*)/g)].map(([, state]) => state)
  expect(verified).toEqual(['value = "{customer}"', 'checked = false', 'checked = true'])

  // The password was not kept: it has to be given, or be a secret.
  const [, typed = ''] = /parameters\.(text\d+)/.exec(text) ?? []
  const signed = await world.run(['playbook', 'sign', file])
  const key = (await world.run(['playbook', 'key'])).out.trim()
  expect(signed).toMatchObject({ code: 0, out: `signed by ${key}\n` })
  expect((await world.run(['playbook', 'check', file])).out).toContain(`in rules: playbook = "${key}"`)

  await world.stop()
  mkdirSync(join(world.dir, 'state', 'playbooks'))
  writeFileSync(join(world.dir, 'state', 'playbooks', 'order.toml'), readFileSync(file))
  world.file('deskhand.toml', 'toolsets = ["ui", "play"]\n')
  await world.serve(shop(ORDER), onlySignedBy(key))
  const again = await world.mcp()
  expect((await use(again, 'ui.click', { target: 'name="Order"' })).record).toMatchObject({ error: { code: 'DENIED' } })
  const values = { customer: 'Berta', [typed]: 'x' }
  const played = await use(again, 'play.run', { name: 'order', with: values })
  expect(played.record).toMatchObject({ status: 'success' })
  expect((await use(again, 'ui.query', { selector: 'name="Customer"' })).text).toContain('sent')
  expect((await use(again, 'ui.query', { selector: 'name="Gift" && checked=true' })).record['data'].count).toBe(1)
  expect((await use(again, 'play.run', { name: '../order', with: values })).record).toMatchObject({ error: { code: 'BAD_ARGS' } })

  writeFileSync(file, readFileSync(file, 'utf8').replace('replace', 'append '))
  const changed = await world.run(['play', file, '--with', 'customer=Carl', `${typed}=x`])
  expect(changed).toMatchObject({ code: 2 })
  writeFileSync(file, readFileSync(file, 'utf8').replace('append ', 'append'))
  const other = await world.run(['play', file, '--with', 'customer=Carl', `${typed}=x`])
  expect(other).toMatchObject({ code: 4 })
  expect(other.err).toContain('DENIED')
  expect((await world.run(['journal', 'verify'])).code).toBe(0)
}, 60_000)

test('a playbook that does not say what a step meets is not signed, and a rehearsal does nothing', async () => {
  await world.serve(shop(ORDER), '')
  const file = world.file('loose.toml', `playbook = 1\nname = "loose"\n[[step]]\ntool = "ui.click"\nargs = { target = 'name="Order"' }\n`)
  expect(await world.run(['playbook', 'sign', file])).toMatchObject({ code: 2 })
  expect(readFileSync(file, 'utf8')).not.toContain('signed')
  const rehearsed = await world.run(['play', file, '--rehearse'])
  expect(rehearsed).toMatchObject({ code: 0 })
  expect(rehearsed.out).toContain('Nothing was done')
  expect((await world.run(['play', file])).out).toContain('1 ui.click')
  const valueless = await world.run(['play', file, '--with', 'customer'])
  expect(valueless).toMatchObject({ code: 2, err: expect.stringContaining('Write --with customer=…') })
}, 60_000)

test('a rehearsal ends with the code that playing it would, and what stops a playbook is told apart from what is left', async () => {
  await world.serve(shop(ORDER), '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\nwhen = { name = "Order" }\n')
  const step = (name: string): string => `[[step]]\ntool = "ui.click"\nargs = { target = 'name="${name}"' }\n`
  const file = world.file('denied.toml', `playbook = 1\nname = "denied"\n${step('Order')}${step('Gift')}`)
  const rehearsed = await world.run(['play', file, '--rehearse'])
  expect(rehearsed).toMatchObject({ code: 4, out: expect.stringContaining('Nothing was done') })
  expect(rehearsed.out).toContain('denied. ')
  const played = await world.run(['play', file])
  expect(played).toMatchObject({ code: 4, out: expect.stringContaining('1 step behind it was not sent') })
}, 60_000)

test('a secret that an agent typed by its name stays a name in the playbook, and its value is in no file of either', async () => {
  const canary = 'correct-horse-battery'
  const state = join(world.dir, 'state')
  mkdirSync(state, { mode: 0o700 })
  writeFileSync(join(state, 'secrets.toml'), `[shop]\nvalue = "${canary}"\napps = ["virtual:shop"]\n`, { mode: 0o600 })
  await world.serve(shop(ORDER), '')
  const agent = await world.mcp()
  expect((await use(agent, 'ui.type', { target: 'name="Password"', secret: 'shop' })).record).toMatchObject({ status: 'success' })
  const file = join(world.dir, 'secret.toml')
  expect(await world.run(['journal', 'export', file, '--as', 'playbook'])).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toContain('secret = "shop"')
  expect(await world.run(['playbook', 'sign', file])).toMatchObject({ code: 0 })
  const played = await world.run(['play', file])
  expect(played).toMatchObject({ code: 0 })
  expect(played.out).not.toContain(canary)
  expect(spawnSync('grep', ['-rlF', canary, world.dir], { encoding: 'utf8' }).stdout).toBe(`${join(state, 'secrets.toml')}\n`)
}, 60_000)

test('a box that was brought to a state is brought to it again, whatever it is in by then', async () => {
  await world.serve(shop(ORDER), '')
  const agent = await world.mcp()
  await use(agent, 'ui.set', { target: 'name="Gift"', value: true })
  await use(agent, 'ui.set', { target: 'name="Customer"', value: 'Anna' })
  // Already so: nothing is pressed, and it is part of what was done all the same.
  await use(agent, 'ui.set', { target: 'name="Gift"', value: true })
  await use(agent, 'ui.set', { target: 'name="Customer"', value: 'Anna' })
  const file = join(world.dir, 'set.toml')
  const exported = await world.run(['journal', 'export', file, '--as', 'playbook', '--parameter', 'customer=Anna'])
  expect(exported).toMatchObject({ code: 0, err: expect.stringMatching(/ui\.set: left out, textbox "Customer" held it already/) })
  expect(exported.err).toContain('--with customer=')
  expect(readFileSync(file, 'utf8')).not.toContain('ui.click')
  expect(await world.run(['playbook', 'sign', file])).toMatchObject({ code: 0 })
  const isGift = async (): Promise<boolean> =>
    (await use(agent, 'ui.query', { selector: 'name="Gift" && checked=true' })).record['data'].count === 1
  expect(await world.run(['play', file, '--with', 'customer=Berta'])).toMatchObject({ code: 0 })
  expect(await isGift()).toBe(true)
  await use(agent, 'ui.click', { target: 'name="Gift"' })
  expect(await isGift()).toBe(false)
  expect(await world.run(['play', file, '--with', 'customer=Berta'])).toMatchObject({ code: 0 })
  expect(await isGift()).toBe(true)
}, 60_000)

test('what failed is left out and said, and an export that cannot mean anything is refused', async () => {
  await world.serve(shop(ORDER), '')
  const agent = await world.mcp()
  await use(agent, 'ui.type', { target: 'name="Customer"', text: 'Anna', mode: 'replace' })
  const wrong = await use(agent, 'ui.type', { target: 'name="Customer"', text: 'Berta', verify: { uiState: { value: 'Carl' } } })
  expect(wrong.record).toMatchObject({ sent: 'all', error: { code: 'VERIFY_FAILED' } })
  const file = join(world.dir, 'some.toml')
  const exportWith = (...options: string[]): ReturnType<World['run']> => world.run(['journal', 'export', file, ...options])
  for (const [options, why] of [
    [['--as', 'playbook', '--from', 'yesterday'], '"yesterday" is no number of an entry'],
    [['--as', 'playbook', '--to', '3x'], '"3x" is no number of an entry'],
    [['--as', 'playbook', '--parameter', 'who=Dora'], '"Dora" stands in no step'],
    [['--from', '3'], '--as playbook'],
  ] as const)
    expect(await exportWith(...options)).toMatchObject({ code: 2, err: expect.stringContaining(why) })
  expect(existsSync(file)).toBe(false)
  const done = await exportWith('--as', 'playbook', '--parameter', 'customer=Anna', 'tom=tom', '--title', 'some')
  expect(done).toMatchObject({ code: 0, err: expect.stringContaining('left out, it failed then: VERIFY_FAILED') })
  // A parameter whose text is part of another one's name leaves that name alone.
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('text = "{customer}"')
  expect(text).toContain('Cus{tom}er')
  expect(text).not.toContain('Berta')
}, 60_000)
