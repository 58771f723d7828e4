import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../../packages/deskhand/src/tools/list.ts'
import { VERBS } from '../../packages/deskhand/src/cli/verbs.ts'
import { conditionOf } from '../../packages/deskhand/src/tools/condition-words.ts'
import { use, World } from '../support/cli.ts'

describe('short commands', () => {
  const world = new World({ DESKHAND_IDLE_MINUTES: '5' })
  beforeAll(async () => void (await world.up()))
  afterAll(() => world.end())

  test('look, find, act and wait print what a model reads, and nothing else', async () => {
    const looked = await world.run(['snapshot'])
    expect(looked).toMatchObject({ code: 0, err: '' })
    expect(looked.out).toMatch(/^snapshot s\d+\ne\d+ window "Invoices"/)
    const found = await world.run(['find', 'role=textbox && name=Customer'])
    const [, id = ''] = /^(e\d+) textbox "Customer"/m.exec(found.out) ?? []
    expect(await world.run(['type', id, 'Anna Müller'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^confirmed: textbox "Customer"/),
    })
    expect((await world.run(['find', 'value="Anna Müller"'])).out).toContain('1 found')
    const waited = await world.run(['click', 'role=checkbox', '--wait-for', 'role=checkbox && checked=true'])
    expect(waited).toMatchObject({ code: 0, out: expect.stringMatching(/^confirmed: checkbox .*\n(?:now .*\n)?then [^\n]*\n$/) })
    const inVain = ['click', 'role=checkbox', '--wait-for', 'text Nowhere', '--timeout-ms', '0']
    const late = await world.run(inVain)
    expect(late.code).toBe(1)
    expect(late.out).toMatch(/^confirmed: checkbox .*\(.*sent all.*\)\n(?:now .*\n)?then TIMEOUT: .*\nNext: /)
    expect(late.out.match(/sent/g)).toHaveLength(1)
    expect(JSON.parse((await world.run([...inVain, '--json'])).out)).toMatchObject({
      status: 'error',
      sent: 'all',
      error: { code: 'TIMEOUT', retry: 'observe_first' },
    })
    expect(await world.run(['wait', 'window Invoices'])).toMatchObject({ code: 0 })
    expect(await world.run(['key', 'ctrl', 'a', '-d', 'virtual'])).toMatchObject({ code: 0 })
  })

  test('a form is set by targets and values by turns, and a look waits first for what it is to show', async () => {
    const set = await world.run(['set', 'label="Customer"', 'Dora', 'role=checkbox', 'true'])
    expect(set).toMatchObject({ code: 0, out: expect.stringMatching(/"Customer".*"Dora"/s) })
    expect(await world.run(['set', 'label="Customer"', 'Dora', 'role=checkbox'])).toMatchObject({ code: 2 })
    expect((await world.run(['find', 'value="Dora"', '--wait-for', 'role=checkbox && checked=true'])).out).toContain('1 found')
  })

  test('help on a command is enough to use it: what it takes, with examples', async () => {
    for (const { name, examples } of VERBS) {
      const { out } = await world.run([name, '--help'])
      for (const example of examples) expect(out).toContain(`deskhand ${name} ${example}`)
      expect(out.split('\n').filter((line) => /^ {2}--[a-z-]+(?: <\w+>)?\s*$/.test(line))).toEqual([])
    }
  })

  test('an error says the next step and exits with its code; --json is one envelope, whatever happens', async () => {
    const missing = await world.run(['click', 'name="Nowhere"', '--timeout-ms', '0'])
    expect(missing.code).toBe(1)
    expect(missing.out).toMatch(/^NOT_FOUND: nothing matches.*\nNext: /)
    expect(await world.run(['click', '#save'])).toMatchObject({ code: 2, out: expect.stringContaining('Next: Write attr.id="save"') })
    const { code, out } = await world.run(['click', 'name="Archive"', '--json', '--timeout-ms', '0'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ status: 'error', sent: 'none', error: { code: 'NOT_ACTIONABLE' } })
    expect(JSON.parse((await world.run(['click', 'e1', '--timeout-ms', 'soon', '--json'])).out)).toMatchObject({
      error: { code: 'BAD_ARGS' },
    })
    expect(await world.run(['click'])).toMatchObject({ code: 2, out: '' })
  })

  test('why a call is made goes with it by MCP and from a shell, to the record and to no tool', async () => {
    const client = await world.mcp()
    const intents = ['look at "a form"', 'fill it in', 'several at once', 'from a shell']
    const [look, fill, several, shell = ''] = intents
    expect(await use(client, 'ui.snapshot', { intent: look })).toMatchObject({ isError: false })
    expect(await use(client, 'ui.set', { target: 'name="Customer"', value: 'Otto', intent: fill })).toMatchObject({ isError: false })
    const steps = [{ tool: 'ui.query', args: { selector: 'name="Customer"' } }]
    expect(await use(client, 'ui.batch', { steps, intent: several })).toMatchObject({ isError: false })
    expect(await world.run(['find', 'name="Customer"', '--intent', shell])).toMatchObject({ code: 0 })
    const lines = (await world.run(['journal', 'list', '--json', '--type', 'decided'])).out.trim().split('\n')
    const told = lines.flatMap((line) => (JSON.parse(line) as { intent?: string }).intent ?? [])
    expect([...new Set(told)]).toEqual(intents)
    expect(lines.filter((line) => /"args":\{[^}]*"intent"/.test(line))).toEqual([])
  })

  test('what changed is left out where it is not wanted, by MCP and from a shell', async () => {
    const client = await world.mcp()
    const target = 'role=checkbox >> nth=0'
    expect((await use(client, 'ui.click', { target })).text).toMatch(/^now e\d+ checkbox/m)
    // Twice, so that it is as it was told to be.
    for (let i = 0; i < 2; i++) expect((await use(client, 'ui.click', { target, changes: false })).text).not.toMatch(/^now /m)
    expect((await world.run(['click', target])).out).toMatch(/^now e\d+ checkbox/m)
    expect(await world.run(['click', target, '--no-changes'])).toMatchObject({ code: 0, out: expect.not.stringMatching(/^now /m) })
  })

  test('a picture goes to a file', async () => {
    const file = join(world.dir, 'screen.png')
    expect(await world.run(['shot', file])).toMatchObject({ code: 0, out: expect.stringContaining(`${file} `) })
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG')
  })
})

test('a first command starts a desktop in the background, which the next ones find and which ends when idle', async () => {
  const world = new World({ DESKHAND_IDLE_MINUTES: '0.05' })
  try {
    const first = await world.run(['windows'])
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('started a desktop') })
    const { out } = await world.run(['status'])
    const pid = Number(/pid (\d+)/.exec(out)?.[1])
    expect(out).toContain('virtual')
    expect(await world.run(['find', 'role=button'])).toMatchObject({ code: 0, err: '' })
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 60_000, interval: 200 }).toBe(false)
    expect((await world.run(['status'])).out).not.toContain('virtual')
  } finally {
    await world.run(['down'])
    await world.end()
  }
})

test('every verb is a tool, and its places are arguments of that tool', () => {
  const planned = new Set(['ui.set', 'ui.menu', 'ui.batch'])
  for (const { tool, places } of VERBS) {
    const found = TOOLS.find((t) => t.name === tool)
    if (found === undefined) expect(planned).toContain(tool)
    else
      for (const place of places)
        expect('shape' in found.input && Object.keys(Object(found.input.shape))).toContain(place.replace(/[?…]$/, ''))
  }
})

test.each([
  ['role=dialog', { uiState: { target: 'role=dialog', present: true } }],
  ['gone role=dialog', { uiState: { target: 'role=dialog', present: false } }],
  ['gone dialog "Save"', { not: { window: { titleContains: 'Save', dialog: true } } }],
  ['!role=dialog', { uiState: { target: 'role=dialog', present: false } }],
  ['e12 is not enabled', { uiState: { target: 'e12', enabled: false } }],
  ['e12 gone', { uiState: { target: 'e12', present: false } }],
  ['window "Save As"', { window: { titleContains: 'Save As' } }],
  ['text Saved', { text: 'Saved' }],
  ['{"text":"x"}', { text: 'x' }],
])('the condition %s is understood', (text, condition) => {
  expect(conditionOf(text)).toEqual(condition)
})
