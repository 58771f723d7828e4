import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

const file = (name: string, text: string): string => world.file(name, text)
const rule = (fields: string): string => `[[rule]]\n${fields}\n`
const ASK = rule('name = "clicks ask"\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { name = "Delete*" }')
const UI = JSON.stringify({
  windows: [window('App', [element('button', 'Delete all'), element('button', 'Look'), element('text_field', 'Name')])],
})

describe('policy check', () => {
  test('names file, line and the key that was meant, and ends with 2', async () => {
    const { code, out, err } = await world.run([
      'policy',
      'check',
      file('bad.toml', rule('toolName = "ui.click"\ndecison = "deny"\npriority = 1')),
    ])
    expect(code).toBe(2)
    expect(out).toMatch(/bad\.toml:3: error: there is no key "decison" \(did you mean decision\?\)/)
    expect(err).toContain('BAD_POLICY')
  })

  test('a rule that can never match is doubtful, not wrong', async () => {
    const { code, out } = await world.run([
      'policy',
      'check',
      file('p.toml', rule('toolName = "ui.clik"\ndecision = "deny"\npriority = 1')),
    ])
    expect(code).toBe(0)
    expect(out).toContain('did you mean "ui.click"?')
  })

  test('every action may be named, offered as a tool or not', async () => {
    const rules = ['ui.capture', 'ui.pointer', 'gui_click', 'script.run']
      .map((tool) => rule(`toolName = "${tool}"\ndecision = "deny"\npriority = 1`))
      .join('')
    expect((await world.run(['policy', 'check', file('p.toml', rules)])).out).not.toContain('warning')
  })

  test('an administrator’s file that others can write is refused', async () => {
    mkdirSync(join(world.dir, 'open'), { mode: 0o777 })
    const path = file('open/p.toml', ASK)
    expect((await world.run(['policy', 'check', path])).code).toBe(0)
    const { chmodSync } = await import('node:fs')
    chmodSync(path, 0o666)
    expect(await world.run(['policy', 'check', '--admin', path])).toMatchObject({
      code: 2,
      out: expect.stringContaining('others can write it'),
    })
  })
})

describe('policy explain', () => {
  test('tells the rule, the risk and on which key each other rule failed, on the desktop that is up, and does nothing', async () => {
    const { ready } = await world.up('--policy', file('p.toml', ASK), '--ui', file('ui.json', UI))
    const before = lines(ready.journal)
    const { code, out } = await world.run(['policy', 'explain', 'ui.click', '{"target":"name=\\"Delete all\\""}'])
    expect(code).toBe(0)
    expect(out).toMatch(/^ui\.click: ask_user\. A person has to agree: "clicks ask" \(.*p\.toml:1\) asks/)
    expect(out).toMatch(/\+\d+ {2}word\.destructive: /)
    expect(out).toMatch(/> ask_user {2}"clicks ask"/)
    expect(out).toMatch(/- deny .*"nothing acts on a person's desktop".*does not match: desktop/)
    expect(lines(ready.journal)).toEqual(before)
    const other = await world.run(['policy', 'explain', 'ui.click', '{"target":"name=Look"}', '--json'])
    expect(JSON.parse(other.out)).toMatchObject({
      decision: { verdict: 'allow' },
      rules: expect.arrayContaining([expect.objectContaining({ matched: false, note: expect.stringContaining('does not match: name') })]),
    })
  })

  test('is not for agents', async () => {
    const { ready } = await world.up()
    const { BrokerClient } = await import('../../packages/deskhand/src/broker/client.ts')
    const { DesktopState } = await import('../../packages/deskhand/src/broker/desktop-state.ts')
    const agent = await BrokerClient.connect(new DesktopState(world.env['DESKHAND_STATE']!, ready.name), 'agent')
    await expect(agent.invoke('policy.explain', { tool: 'ui.click', args: {}, as: 'agent' })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    await expect(
      agent.invoke('replay', { seq: 1, tool: 'ui.snapshot', kind: 'snapshot', as: 'operator', dryRun: false }),
    ).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    await agent.close()
  })

  test('without a broker it is the simulated desktop’s, and what cannot be explained says why', async () => {
    const { code, out, err } = await world.run(['policy', 'explain', 'ui.click', '{"target":"name=\\"Save invoice\\""}'])
    expect([code, out.split('\n')[0], err]).toEqual([0, expect.stringMatching(/^ui\.click: allow/), expect.stringContaining('simulated')])
    expect(await world.run(['policy', 'explain', 'avis.click_element', '{"element_id":"x"}'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name the ui.* actions'),
    })
    for (const [tool, args, factor] of [
      ['gui_click_element', '{"name":"Save invoice"}', 'action.click'],
      ['gui_click', '{"x":5,"y":5}', 'action.coordinates'],
      ['gui_screenshot', '{}', 'action.capture'],
      ['python.run', '{"code":"1"}', 'action.code'],
    ])
      expect(await world.run(['policy', 'explain', tool!, args!])).toMatchObject({ code: 0, out: expect.stringContaining(factor!) })
    expect((await world.run(['policy', 'explain', 'ui.click', '{"target":"name=Nowhere"}'])).code).toBe(1)
    expect((await world.run(['policy', 'explain', 'gui_click_element', '{"name":"Nowhere"}'])).code).toBe(1)
    expect((await world.run(['policy', 'explain', 'ui.click', '{'])).code).toBe(2)
  })
})

describe('policy replay', () => {
  test('is a table of what would have been decided differently', async () => {
    const { ready } = await world.up('--ui', file('ui.json', UI))
    const calls = [
      { tool: 'ui.click', args: { target: 'name="Delete all"' } },
      { tool: 'ui.click', args: { target: 'name="Look"' } },
      { tool: 'ui.type', args: { target: 'name="Name"', text: 'secret', redactInLogs: true } },
      { tool: 'ui.click', args: { target: 'name="Delete all"' }, dryRun: true },
    ]
    await world.run(['call', '--stdin'], calls.map((c) => `${JSON.stringify(c)}\n`).join(''))
    const { code, out } = await world.run(['policy', 'replay', file('p.toml', ASK), ready.journal, '--check'])
    expect(code).toBe(1)
    const rows = out.trim().split('\n')
    expect(rows).toHaveLength(3)
    expect(rows[1]).toMatch(/^ +\d+ {2}ui\.click +allow -> ask_user .*p\.toml:1 {2}button "Delete all"$/)
    expect(rows[2]).toMatch(/^3 calls, 1 decided differently; 1 with typed text that was not kept/)
    const alone = await world.run(['policy', 'replay', file('p.toml', ASK), ready.journal, '--non-interactive'])
    expect(alone).toMatchObject({ code: 0, out: expect.stringContaining('allow -> deny (APPROVAL_NEEDED)') })
    expect(await world.run(['policy', 'replay', file('q.toml', ''), ready.journal, '--check'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^3 calls, 0 decided differently/),
    })
  })

  test('counts rates as the record went', async () => {
    const { ready } = await world.up('--ui', file('ui.json', UI))
    await world.run(['call', '--stdin'], '{"tool":"ui.click","args":{"target":"name=Look"}}\n'.repeat(3))
    const limit = rule('toolName = "ui.click"\ndecision = "allow"\npriority = 500\nrateLimit = { max = 2, seconds = 60 }')
    const { out } = await world.run(['policy', 'replay', file('p.toml', limit), ready.journal])
    expect(out.match(/allow -> deny \(RATE_LIMITED\)/g)).toHaveLength(1)
  })

  test('decides by the applications that the configuration lists, as the record did', async () => {
    file('deskhand.toml', '[desktop]\napps = ["editor"]\n')
    const { ready } = await world.up('--ui', file('ui.json', UI))
    const call = '{"tool":"desktop.launch","args":{"app":"xterm"}}\n'
    expect((await world.run(['call', '--stdin'], call)).out).toContain('"desktop.apps\\" (')
    const same = await world.run(['policy', 'replay', file('none.toml', ''), ready.journal, '--all'])
    expect(same.out).toMatch(/desktop\.launch +deny .*deskhand\.toml:2/)
    expect(same.out).toMatch(/^1 calls, 0 decided differently/m)
    file('deskhand.toml', '[desktop]\napps = ["editor", "xterm"]\n')
    expect((await world.run(['policy', 'replay', file('none.toml', ''), ready.journal])).out).toContain('deny -> allow')
    expect((await world.run(['policy', 'explain', 'desktop.launch', '{"app":"gedit"}'])).out).toMatch(/> deny +"desktop\.apps" \(.*:2\)/)
    expect((await world.run(['policy', 'check', file('none.toml', '')])).out).toMatch(
      /deskhand\.toml:2: warning: desktop\.apps: "xterm" lets in xterm, which starts any other program/,
    )
  })

  test('of a folder without calls it says so', async () => {
    expect((await world.run(['policy', 'replay', file('p.toml', ASK), world.dir])).code).toBe(2)
  })
})

test('policy show prints the presets as they are', async () => {
  const { out } = await world.run(['policy', 'show'])
  expect(
    out
      .trim()
      .split('\n')
      .map((l) => l.split(':')[0]),
  ).toEqual(['observe', 'supervised', 'sandbox', 'unattended'])
  expect((await world.run(['policy', 'show', 'observe'])).out).toBe(
    readFileSync(join(import.meta.dirname, '../../packages/core/presets/observe.toml'), 'utf8'),
  )
  expect((await world.run(['policy', 'show', 'nonsense'])).code).toBe(2)
})

const lines = (dir: string): string[] =>
  readdirSync(dir)
    .filter((f) => f.endsWith('.jsonl'))
    .map((f) => readFileSync(join(dir, f), 'utf8'))
