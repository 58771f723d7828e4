import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

const ODD = resolve(import.meta.dirname, '../fixtures/odd-driver.mjs')
const MANIFEST = `extension = 1
name = "shop"
version = "1.0.0"
policy = ["policy.toml"]

[selectors]
customer = 'role=window && name="Shop" >> role=textbox && name="Customer"'

send = 'odd:role=button && name="Send"'

[tasks]
order = "tasks/order.toml"
press = "tasks/press.toml"

[[drivers]]
name = "odd"
command = ["node", "driver.mjs"]
risk = "high"
`
const POLICY = `[words]
destructive = ["write off"]

[classes]
finance = ["Shop"]

[[mask]]
app = "Shop"
role = ["textbox", "label"]
name = ["Card*", "IBAN*"]
`
const ORDER = `playbook = 1
name = "order"

[parameters.customer]
pattern = "[A-Z][a-z]+"

[[step]]
tool = "ui.type"
args = { target = "app:shop.customer", text = "{customer}", mode = "replace" }
`
const PRESS = `playbook = 1
name = "press"
[parameters.button]
[[step]]
tool = "ui.click"
args = { target = 'odd:role=button && name="{button}"' }
`
const UI = {
  windows: [
    window('Shop', [
      element('text_field', 'Customer'),
      element('text_field', 'Card number', { value: '4000-1234' }),
      element('label', 'IBAN DE02 1203'),
      element('button', 'Write off'),
      element('button', 'Next'),
    ]),
  ],
}

let world: World
let dir: string
beforeEach(() => {
  world = new World()
  dir = join(world.dir, 'shop')
  mkdirSync(join(dir, 'tasks'), { recursive: true })
  writeFileSync(join(dir, 'extension.toml'), MANIFEST)
  writeFileSync(join(dir, 'policy.toml'), POLICY)
  writeFileSync(join(dir, 'tasks', 'order.toml'), ORDER)
  writeFileSync(join(dir, 'tasks', 'press.toml'), PRESS)
  world.file('mode', 'good')
  const env = { ODD_MODE: join(world.dir, 'mode'), ODD_STARTS: join(world.dir, 'starts'), FOLDER: join(world.dir, 'folder') }
  const code = `import { writeFileSync } from 'node:fs'
Object.assign(process.env, ${JSON.stringify(env)})
writeFileSync(process.env.FOLDER, process.cwd())
await import(${JSON.stringify(ODD)})
`
  writeFileSync(join(dir, 'driver.mjs'), code)
})
afterEach(() => world.end())

const add = async (): Promise<void> => expect(await world.run(['extension', 'add', dir, '--yes'])).toMatchObject({ code: 0 })

test('words, classes, masks, tasks and drivers are shown before they are added, and nothing is run by that', async () => {
  const { out } = await world.run(['extension', 'add', dir], 'n\n')
  expect(out).toContain('words that are destructive: write off')
  expect(out).toContain('programs of the class finance: Shop')
  expect(out).toContain('nobody sees {"app":"Shop","role":["textbox","label"],"name":["Card*","IBAN*"]}')
  expect(out).toMatch(/task shop\.order has 1 steps: ui\.type \(sha256:[0-9a-f]{64}\)/)
  expect(out).toContain('driver odd RUNS ["node","driver.mjs"] as you')
  await add()
  expect((await world.run(['extension', 'list'])).out).toContain('  task shop.order\n  task shop.press\n  driver odd\n')
  expect(existsSync(join(world.dir, 'folder'))).toBe(false)
}, 60_000)

test('its words and classes raise the risk of a press, and its masks hide what stands there from trees, pictures and the record', async () => {
  await add()
  const { journal } = await world.serve(UI, '')
  const agent = await world.mcp()
  const explained = async (target: string): Promise<string> =>
    (await world.run(['policy', 'explain', 'ui.click', JSON.stringify({ target })])).out
  expect(await explained('name="Write off"')).toMatch(/app\.finance[^]*word\.destructive: .*"write off"/)
  expect(await explained('name="Next"')).not.toContain('word.destructive')

  const look = await use(agent, 'ui.snapshot', { includeTree: true, scope: 'desktop' })
  expect(look.text).toContain('Card number')
  expect(JSON.stringify(look)).not.toMatch(/4000-1234|DE02/)
  const found = await use(agent, 'ui.query', { selector: 'value~="4000" || name~="DE02"' })
  expect(found.record['data'].count).toBe(0)
  expect((await world.run(['call', 'input.capture', '{}'])).out).toContain('"redactions":{"password":2}')
  const kept = readdirSync(journal, { withFileTypes: true }).filter((file) => file.isFile())
  expect(kept.map(({ name }) => readFileSync(join(journal, name), 'utf8')).join('')).not.toMatch(/4000-1234|DE02 1203/)
}, 60_000)

test('its task is run by name, from the shell and by an agent, as the playbook that it is', async () => {
  await add()
  await world.serve(UI, '')
  expect(await world.run(['play', 'shop.order', '--with', 'customer=Anna'])).toMatchObject({ code: 0 })
  const agent = await world.mcp()
  const wrong = await use(agent, 'play.run', { name: 'shop.order', with: { customer: 'anna' } })
  expect(wrong.record).toMatchObject({ error: { code: 'BAD_ARGS' } })
  expect((await use(agent, 'ui.query', { selector: 'value="Anna"' })).record['data'].count).toBe(1)
  const unknown = await use(agent, 'play.run', { name: 'shop.sell' })
  expect(unknown.text).toContain('shop.order')
}, 60_000)

test('its driver is started with the desktop in the pinned folder, and is an added driver with the risk that was shown', async () => {
  await add()
  await world.serve(UI, '')
  const agent = await world.mcp()
  await expect
    .poll(async () => (await use(agent, 'ui.query', { selector: 'odd:role=button && name=Send' })).record['data'].count, {
      timeout: 30_000,
    })
    .toBe(1)
  const pressed = async (tool: string, args: Record<string, unknown>): Promise<unknown> => (await use(agent, tool, args)).record
  const success = { status: 'success', sent: 'all' }
  expect(await pressed('ui.click', { target: 'app:shop.send' })).toMatchObject(success)
  expect(await pressed('ui.batch', { steps: [{ tool: 'click', args: { target: 'odd:name=Send' } }] })).toMatchObject(success)
  expect(await pressed('play.run', { name: 'shop.press', with: { button: 'Send' } })).toMatchObject(success)
  const count = async (): Promise<string> => (await use(agent, 'ui.query', { selector: 'odd:role=label' })).text
  await expect.poll(count).toContain('Presses: 3')
  const target = JSON.stringify({ target: 'odd:role=button && name=Send' })
  expect((await world.run(['policy', 'explain', 'ui.click', target])).out).toMatch(/driver\.floor: .*its least risk is high/)
  expect(readFileSync(join(world.dir, 'folder'), 'utf8')).toBe(join(world.dir, 'state', 'extensions', 'shop'))
}, 60_000)

test.each([
  ['a task that is no playbook', 'tasks/order.toml', () => ORDER.replace('ui.type', 'script.run'), 'the task order'],
  ['a driver with less than medium risk', 'extension.toml', () => MANIFEST.replace('"high"', '"low"'), 'drivers.0.risk'],
  [
    'a driver at an address',
    'extension.toml',
    () => MANIFEST.replace('command = ["node", "driver.mjs"]', 'url = "https://x"'),
    'drivers.0',
  ],
  ['a driver that would speak for named selectors', 'extension.toml', () => MANIFEST.replace('"odd"', '"app"'), 'is taken'],
  [
    'a selector for a driver that it does not bring',
    'extension.toml',
    () => MANIFEST.replace('odd:role', 'even:role'),
    'the selector send',
  ],
  ['words that make less of a risk', 'policy.toml', () => '[words]\nharmless = ["delete"]\n', 'harmless'],
])('%s is refused', async (_, file, text, why) => {
  writeFileSync(join(dir, file), text())
  const checked = await world.run(['extension', 'check', dir])
  expect(checked).toMatchObject({ code: 2 })
  expect(checked.err).toContain(why)
})

test('two drivers of one name keep the desktop from coming up, and it says what to do', async () => {
  await add()
  world.file('deskhand.toml', '[[drivers]]\nname = "odd"\nmcp = { command = ["node", "other.mjs"] }\n')
  const { code, err } = await world.run(['up', '--no-http'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('two drivers are called odd') as string })
}, 60_000)
