import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'
import { Pane } from '../support/pane.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples/extensions')
const MANIFEST = `extension = 1
name = "shop"
version = "1.0.0"
policy = ["policy.toml"]

[selectors]
order = 'role=button && name="Order"'
form = 'role=window && name="Shop"'
`
const POLICY = '[[rule]]\nname = "no deleting"\ntoolName = "ui.click"\ndecision = "deny"\npriority = 500\nwhen = { name = "Delete" }\n'
const UI = {
  windows: [window('Shop', [element('checkbox', 'Order app:shop.order'), element('button', 'Order'), element('button', 'Delete')])],
}

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

/** An extension in a folder, with these files. */
function made(files: Record<string, string> = {}): string {
  const dir = join(world.dir, 'shop')
  mkdirSync(dir, { recursive: true })
  for (const [name, text] of Object.entries({ 'extension.toml': MANIFEST, 'policy.toml': POLICY, ...files }))
    writeFileSync(join(dir, name), text)
  return dir
}

const added = (): string => join(world.dir, 'state', 'extensions', 'shop')

test('an extension says what it changes before it is added, and then its names and rules hold', async () => {
  const dir = made()
  const asked = await world.run(['extension', 'add', dir], 'y\n')
  expect(asked.out).toContain('app:shop.order is role=button && name="Order"')
  expect(asked.out).toContain('"decision":"deny"')
  expect((await world.run(['extension', 'list'])).out).toBe('')
  expect(await world.run(['extension', 'add', dir, '--yes'])).toMatchObject({ code: 0 })
  expect((await world.run(['extension', 'list'])).out).toMatch(
    /^shop 1\.0\.0 {2}sha256:[0-9a-f]{64}\n {2}app:shop\.order\n {2}app:shop\.form\n$/,
  )

  await world.serve(UI, '')
  const agent = await world.mcp()
  for (const target of [
    'app:shop.order',
    'app:shop.form >> role=button && name="Order"',
    'name="none" ?? app:shop.order',
    { selector: 'app:shop.order' },
  ])
    expect((await use(agent, 'ui.click', { target })).record, JSON.stringify(target)).toMatchObject({
      status: 'success',
      resolvedTarget: { name: 'Order' },
    })
  const wait = { until: { uiState: { target: 'app:shop.order', present: true } }, timeoutMs: 0 }
  const steps = [
    { tool: 'click', args: { target: 'app:shop.order' } },
    { tool: 'ui.wait', args: wait },
  ]
  expect((await use(agent, 'ui.batch', { steps })).record).toMatchObject({ status: 'success' })
  // What is quoted stays a text.
  expect((await use(agent, 'ui.query', { selector: 'name~="app:shop.order"' })).text).toContain('checkbox')
  for (const [target, next] of [
    ['app:shop.sell', 'There are app:shop.order, app:shop.form. An application of that name is app="shop.sell".'],
    ['role=window >> app:bank.pay', 'There are app:shop.order, app:shop.form. An application of that name is app="bank.pay".'],
    ['app:shop.form && name="Order"', 'Write app:shop.form >> … for something inside of it.'],
    ['app:shop', 'Write app="shop"'],
  ])
    expect((await use(agent, 'ui.click', { target })).record, target).toMatchObject({ error: { code: 'BAD_SELECTOR', next } })
  const denied = await use(agent, 'ui.click', { target: 'name="Delete"' })
  expect(denied.record).toMatchObject({ error: { code: 'DENIED' }, decision: { rule: { tier: 'user', name: 'no deleting' } } })

  await world.stop()
  expect(await world.run(['extension', 'remove', 'shop', '--yes'])).toMatchObject({ code: 0 })
  expect(existsSync(added())).toBe(false)
  await world.serve(UI, '')
  const without = await use(await world.mcp(), 'ui.click', { target: 'app:shop.order' })
  expect(without.record['error']).toMatchObject({ code: 'BAD_SELECTOR', next: expect.stringContaining('This desktop has no such names.') })
  expect((await world.run(['journal', 'list', '--json'])).out).toContain('"code":"BAD_SELECTOR"')
}, 60_000)

test('a key that its policy cannot have is refused with those that it can', async () => {
  const { code, err } = await world.run(['extension', 'check', made({ 'policy.toml': '[[zzz]]\n' })])
  expect(code).toBe(2)
  expect(err).toContain('there is no key "zzz" (there are: rule, words, classes, mask, private)')
})

test('only a person at a terminal agrees: without one nothing is added, and the command says so by its code', async () => {
  const dir = made()
  expect(await world.run(['extension', 'add', dir])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
  const answering = async (answer: string): Promise<void> => {
    const pane = new Pane(world, ['extension', 'add', dir])
    onTestFinished(() => pane.end())
    await pane.until('add shop? [y/N]')
    pane.type(answer)
    pane.keys('Enter')
    await pane.until(answer === 'y' ? 'shop is added' : 'nothing was added')
    pane.end()
  }
  await answering('n')
  expect((await world.run(['extension', 'list'])).out).toBe('')
  await answering('y')
  expect((await world.run(['extension', 'list'])).out).toContain('shop 1.0.0')
}, 60_000)

test('its rules are never above those of the user: what an administrator denies stays denied', async () => {
  const allow = '[[rule]]\nname = "let it"\ntoolName = "*"\ndecision = "allow"\npriority = 999\n'
  expect(await world.run(['extension', 'add', made({ 'policy.toml': allow }), '--yes'])).toMatchObject({ code: 0 })
  const admin = world.file('admin.toml', POLICY.replace('no deleting', 'admin').replace('500', '1'))
  chmodSync(admin, 0o600)
  world.file('deskhand.toml', `[policy]\nadmin = ["${admin}"]\n`)
  await world.serve(UI, '')
  const agent = await world.mcp()
  const pressed = async (name: string): Promise<unknown> =>
    (await use(agent, 'ui.click', { target: `role=button && name="${name}"` })).record
  expect(await pressed('Delete')).toMatchObject({ error: { code: 'DENIED' }, decision: { rule: { tier: 'admin' } } })
  expect(await pressed('Order')).toMatchObject({ status: 'success' })
  const entries = (await world.run(['journal', 'list', '--json'])).out.split('\n').filter((line) => line.includes('"decided"'))
  expect(JSON.parse(entries.at(-1) ?? '')).toMatchObject({ decision: { verdict: 'allow', rule: { tier: 'user', name: 'let it' } } })
}, 60_000)

test('it is pinned: a byte that changes after it was added keeps the desktop from coming up', async () => {
  expect(await world.run(['extension', 'add', made(), '--yes'])).toMatchObject({ code: 0 })
  appendFileSync(join(added(), 'policy.toml'), '\n')
  expect((await world.run(['extension', 'list'])).out).toContain('shop: the extension shop is not what was added')
  expect(await world.run(['up', '--no-http'])).toMatchObject({ code: 2, err: expect.stringContaining('is not what was added') as string })
  writeFileSync(join(added(), 'more.txt'), '')
  expect(await world.run(['extension', 'remove', 'shop'])).toMatchObject({ code: 0 })
  expect((await world.run(['extension', 'list'])).out).toBe('')
}, 60_000)

test('where a key is configured, only what it signed is added, and only as it was signed', async () => {
  const dir = made()
  const key = (await world.run(['playbook', 'key'])).out.trim()
  world.file('deskhand.toml', `[extensions]\nkeys = ["${key}"]\n`)
  expect((await world.run(['extension', 'add', dir, '--yes'])).err).toContain('it is not signed')
  expect(await world.run(['extension', 'sign', dir])).toMatchObject({ code: 0, out: `signed by ${key}\n` })
  expect(await world.run(['extension', 'add', dir, '--yes'])).toMatchObject({ code: 0 })
  appendFileSync(join(dir, 'extension.toml'), ' ')
  expect((await world.run(['extension', 'check', dir])).err).toContain('it is not signed')
  world.file('deskhand.toml', `[extensions]\nkeys = ["ed25519:${'A'.repeat(43)}"]\n`)
  expect((await world.run(['extension', 'list'])).out).toContain('extensions.keys does not name')
}, 60_000)

test.each([
  ['names a place outside of itself', { 'extension.toml': MANIFEST.replace('"policy.toml"', '"../policy.toml"') }, 'must be a path inside'],
  ['has a selector that is none', { 'extension.toml': MANIFEST.replace('role=button', 'rolle=button') }, 'the selector order'],
  ['has a selector for an element of some session', { 'extension.toml': `${MANIFEST}other = "e12"\n` }, 'names an element of one session'],
  ['has a policy that is none', { 'policy.toml': '[[rule]]\ndecision = "perhaps"\npriority = 1\n' }, 'policy.toml:'],
  ['asks for more than there is', { 'extension.toml': MANIFEST.replace('[selectors]', 'run = "x.js"\n[selectors]') }, 'run'],
  ['answers for the operator', { 'policy.toml': `nonInteractive = "allow"\n${POLICY}` }, "nonInteractive is the operator's own to say"],
  ['turns automation on', { 'policy.toml': `${POLICY}[automation]\nenabled = true\n` }, "automation is the operator's own to say"],
])('an extension is refused that %s', async (_, files, why) => {
  const checked = await world.run(['extension', 'check', made(files)])
  expect(checked).toMatchObject({ code: 2 })
  expect(checked.err).toContain(why)
})

test('a package is added as data: its scripts are not run and its links are refused', async () => {
  const folder = join(world.dir, 'node_modules', 'deskhand-shop')
  const canary = join(world.dir, 'ran')
  const code = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '')`
  cpSync(
    made({
      'index.js': code,
      'package.json': JSON.stringify({ name: 'deskhand-shop', main: 'index.js', scripts: { install: 'node index.js' } }),
    }),
    folder,
    {
      recursive: true,
    },
  )
  expect(await world.run(['extension', 'add', 'deskhand-shop', '--yes'])).toMatchObject({ code: 0 })
  await world.serve(UI, '')
  expect(existsSync(canary)).toBe(false)
  symlinkSync('/etc/passwd', join(folder, 'link'))
  expect((await world.run(['extension', 'check', 'deskhand-shop'])).err).toContain('link is no plain file')
}, 60_000)

test.each(['calc', 'chromium'])('the example %s can be added', async (name) => {
  expect(await world.run(['extension', 'check', join(EXAMPLES, name)])).toMatchObject({ code: 0 })
})
