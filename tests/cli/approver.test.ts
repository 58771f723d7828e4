import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'
import { Pane } from '../support/pane.ts'

const FORGED = 'Ok\u001b[2J\u001b[1;1H risk low \u202eevil\nrule none'
const count = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const UI = {
  windows: [
    window('Shop', [
      element('button', 'Order', count),
      element('label', 'n', { value: 0 }),
      element('button', FORGED, { element_id: 'forged' }),
    ]),
    window('Orders', [element('button', 'Cancel')]),
  ],
}
const POLICY = '[[rule]]\nname = "clicks ask"\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n'

let world: World
let pane: Pane | undefined

beforeEach(() => {
  world = new World()
})
afterEach(async () => {
  pane?.end()
  pane = undefined
  await world.end()
})

const up = (): Promise<{ journal: string }> => world.serve(UI, POLICY)

/** Past this a key counts. */
const look = (): Promise<void> => sleep(700)

const clicks = async (client: Awaited<ReturnType<World['mcp']>>): Promise<string> =>
  (await use(client, 'ui.query', { selector: 'role=label' })).text

test('a person in another terminal sees what an agent asks for, allows it, and leaves the terminal as it was', async () => {
  await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  await pane.until('Nothing waits')
  const asked = use(client, 'ui.click', { target: 'name="Order"' })
  const screen = await pane.until('allow once')
  const parts = [
    '1 waiting',
    'ui.click, asked by agent',
    'button "Order"',
    '"Shop" > "Order"',
    'virtual:shop',
    'action.click',
    'policy.toml:1 (user) "clicks ask"',
    'expires     in ',
  ]
  for (const part of parts) expect(screen).toContain(part)
  expect(await clicks(client)).toContain('"0"')
  await pane.answer('allow once')
  expect((await asked).record).toMatchObject({ status: 'success', sent: 'all' })
  expect(await clicks(client)).toContain('"1"')
  await pane.until('allowed once: click button "Order"')
  pane.keys('q')
  const left = await pane.until('exit 0, left icanon echo .')
  expect(left).not.toContain('Deskhand approvals')
})

test('a denial carries what the person typed to the agent, and nothing is done', async () => {
  await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  const asked = use(client, 'ui.click', { target: 'name="Order"' })
  await pane.answer('deny')
  await pane.until('The agent reads this')
  pane.type('not on Sundayz')
  pane.keys('BSpace')
  pane.type('s – später')
  pane.keys('Enter')
  const denied = await asked
  expect(denied.record).toMatchObject({ sent: 'none', error: { code: 'APPROVAL_DENIED' } })
  expect(denied.text).toContain('not on Sundays – später')
  expect(await clicks(client)).toContain('"0"')
})

test('an answer for the session is asked once, listed, and revoked', async () => {
  writeFileSync(join(world.dir, 'deskhand.toml'), '[approvals]\nwaitSeconds = 0.5\n')
  const { journal } = await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  const first = await use(client, 'ui.click', { target: 'name="Order"' })
  await pane.answer('session')
  await pane.until('allowed for this session')
  expect((await use(client, 'op.wait', { op: first.record['op'] })).record).toMatchObject({ status: 'success' })
  expect((await use(client, 'ui.click', { target: 'name="Cancel"' })).record).toMatchObject({ sent: 'all' })
  const grants = await world.run(['grants', 'list', '--json'])
  const [grant] = JSON.parse(grants.out) as { id: string; tools: string[]; left: number }[]
  expect(grant).toMatchObject({ tools: ['ui.click'], left: 499 })
  expect(await world.run(['grants', 'revoke', grant!.id])).toMatchObject({ code: 0 })
  expect((await world.run(['grants', 'revoke', grant!.id])).code).toBe(2)
  expect((await use(client, 'ui.click', { target: 'name="Cancel"' })).record).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  expect((await world.run(['journal', 'list', '--json', journal])).out).toMatch(/"what":"revoke"/)
})

test('of several questions the chosen one is answered', async () => {
  await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  const order = use(client, 'ui.click', { target: 'name="Order"' })
  await pane.until('1 waiting')
  const cancel = use(client, 'ui.click', { target: 'name="Cancel"' })
  await pane.until('2 waiting')
  await look()
  pane.keys('Down')
  await pane.until(/^> +2 .*"Cancel"/m)
  await pane.answer('allow once')
  expect((await cancel).record).toMatchObject({ status: 'success' })
  await pane.until(/^> +1 .*"Order"/m)
  await pane.answer('deny')
  await pane.until('The agent reads this')
  pane.keys('Enter')
  expect((await order).record).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
})

test('characters that were meant for another window answer nothing, however many arrive', async () => {
  const { journal } = await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  await pane.until('Nothing waits')
  pane.type('aaaa')
  const asked = use(client, 'ui.click', { target: 'name="Order"' })
  const screen = await pane.until('allow once')
  const code = /([a-z]{2}) allow once/.exec(screen)?.[1] ?? ''
  for (const stray of ['aaaaaaaaaaaaaaaa', `the ${code} of everything`, `${code}x`, 'yes please', `x${code}`]) {
    await look()
    pane.type(stray)
  }
  await look()
  // The person turns to this terminal: what was typed elsewhere a moment ago arrives with the focus.
  pane.bytes(`\u001b[I${code}`)
  await pane.until('do not count yet')
  await look()
  expect(pane.screen()).toContain('1 waiting')
  expect(await clicks(client)).toContain('"0"')
  await pane.answer('allow once')
  expect((await asked).record).toMatchObject({ status: 'success' })
  const [answer] = (await world.run(['journal', 'list', journal, '--json', '--type', 'answered'])).out.trim().split('\n')
  expect(JSON.parse(answer ?? '')).toMatchObject({ allow: true, channel: 'socket', surface: 'terminal', shownAt: expect.any(String) })
})

test('the arrow keys and Enter answer too', async () => {
  await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  const asked = use(client, 'ui.click', { target: 'name="Order"' })
  await pane.until('allow once')
  await look()
  pane.keys('Right')
  await look()
  pane.keys('Enter')
  expect((await asked).record).toMatchObject({ status: 'success' })
})

test('names on the screen cannot draw on the terminal', async () => {
  await up()
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'])
  void use(client, 'ui.click', { target: 'virtualId="forged"' })
  const screen = await pane.until('allow once')
  expect(screen).toContain('\\u{1b}[2J')
  expect(screen).toContain('\\u{202e}evil')
  expect(screen.split('\n').filter((l) => l.startsWith('rule  '))).toEqual([expect.stringContaining('policy.toml:1')])
  const listed = await world.run(['approvals', 'list'])
  expect(listed.out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('a broker that goes away ends the watch with a word and a code', async () => {
  await up()
  pane = new Pane(world, ['approvals', '--watch'])
  await pane.until('Nothing waits')
  await world.run(['down'])
  expect(await pane.until('exit 1, left icanon echo .')).toContain('the broker went away')
})

test.each([
  ['a signal', {}, (p: Pane) => void process.kill(p.pid(), 'SIGTERM'), 'exit 143'],
  ['a crash', { NODE_OPTIONS: '--import=data:text/javascript,setTimeout(()=>{throw(new(Error)(`boom`))},4000)' }, () => {}, 'exit 1'],
])('the terminal is given back after %s', async (_, env, end, code) => {
  await up()
  pane = new Pane(world, ['approvals', '--watch'], env)
  await pane.until('Nothing waits')
  end(pane)
  expect(await pane.until(`${code}, left icanon echo .`)).not.toContain('Nothing waits')
})

test('without a terminal it is refused with the way around', async () => {
  await up()
  expect(await world.run(['approvals', '--watch'])).toMatchObject({ code: 2, err: expect.stringContaining('deskhand approvals list') })
})
