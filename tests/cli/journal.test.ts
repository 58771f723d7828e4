import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

const FORGED = 'Ok\u001b[2J\u202e\n     9  done'
const set = (label_text: string): Record<string, unknown> => ({
  attributes: { on: { click: [{ do: 'set', element: 'label_state', label_text }] } },
})
const shop = (save = 'Save'): string =>
  JSON.stringify({
    windows: [
      window('Shop', [
        element('text_field', 'Name'),
        element('password_field', 'Password'),
        element('button', save, { ...set('Saved'), element_id: 'save' }),
        element('label', 'State'),
        element('button', FORGED, { element_id: 'forged' }),
      ]),
    ],
  })

let world: World
/** A state folder for each case. */
function eachInItsOwn(): void {
  beforeEach(() => {
    world = new World()
  })
  afterEach(() => world.end())
}

const file = (name: string, text: string): string => world.file(name, text)

interface Answer {
  op: string
  resolvedTarget?: { elementId: string }
}
type Call = { tool: string; args?: unknown; dryRun?: boolean; intent?: string }

/** A broker that has done these calls; its journal, and what each came to. */
async function recorded(...calls: Call[]): Promise<{ journal: string; results: Answer[] }> {
  const { ready } = await world.up('--ui', file('ui.json', shop()))
  const { out } = await world.run(['call', '--stdin'], calls.map((c) => `${JSON.stringify(c)}\n`).join(''))
  return {
    journal: ready.journal,
    results: out
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((l) => JSON.parse(l) as Answer),
  }
}

const SAVE: Call[] = [
  { tool: 'ui.snapshot' },
  { tool: 'ui.type', args: { target: 'name="Name"', text: 'Jürgen' }, intent: 'fill in the form' },
  { tool: 'ui.click', args: { target: 'name="Save"', verify: { text: 'Saved' } } },
]

describe('journal list', () => {
  eachInItsOwn()

  test('filters by type, tool, operation and time, and prints JSON where it is asked to', async () => {
    const { results } = await recorded(...SAVE)
    const types = async (...args: string[]): Promise<string[]> =>
      (await world.run(['journal', 'list', '--json', ...args])).out
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((l) => (JSON.parse(l) as { type: string }).type)
    expect(await types('--type', 'decided')).toEqual(['decided', 'decided', 'decided'])
    expect(await types('--tool', 'ui.type')).toEqual(['decided', 'acting', 'done'])
    expect(await types('--op', results[2]!.op)).toEqual(['decided', 'acting', 'done'])
    expect(await types('--since', '1h', '--type', 'done')).toHaveLength(3)
    expect(await types('--until', '1h')).toEqual([])
    expect((await world.run(['journal', 'list', '--type', 'nonsense'])).code).toBe(2)
    expect((await world.run(['journal', 'list', '--since', 'tomorrowish'])).code).toBe(2)
  })

  test('follows what is written, to the end of a call that began before', async () => {
    await recorded()
    const child = world.start('journal', 'list', '--follow', '--tool', 'ui.click')
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (s: string) => (out += s))
    await sleep(600)
    await world.run(['call', 'ui.click', '{"target":"name=Save"}'])
    for (let i = 0; i < 100 && !out.includes('done'); i++) await sleep(50)
    expect(
      out
        .trim()
        .split('\n')
        .map((l) => l.trim().split(/ +/)[2]),
    ).toEqual(['decided', 'acting', 'done'])
    child.kill('SIGINT')
    expect(await new Promise((r) => child.once('exit', r))).toBe(0)
  })

  test('a name on the screen cannot forge a line', async () => {
    await recorded({ tool: 'ui.click', args: { target: 'virtualId="forged"' } })
    for (const command of [
      ['journal', 'list'],
      ['journal', 'show', '4'],
    ]) {
      const { out, code } = await world.run(command)
      expect(code).toBe(0)
      expect(out).toContain('\\u{202e}')
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(out).not.toMatch(/^ {5}9 {2}done$/m)
    }
  })
})

describe('journal show', () => {
  eachInItsOwn()

  test('tells one operation from decision to end, by its id or by any of its entries', async () => {
    const { results } = await recorded(...SAVE)
    const op = results[1]!.op
    const { out } = await world.run(['journal', 'show', op])
    for (const part of [
      `${op}: ui.type on textbox "Name", by agent`,
      'intent      "fill in the form"',
      'path        "Shop" > "Name"',
      'action.type',
      'presets/sandbox.toml',
      'sent all, effect confirmed',
    ])
      expect(out).toContain(part)
    const seq = /^ +(\d+).*acting/m.exec(out)?.[1]
    expect((await world.run(['journal', 'show', seq!])).out).toBe(out)
    expect((await world.run(['journal', 'show', '1'])).out).toContain('checkpoint')
    expect((await world.run(['journal', 'show', 'op0'])).code).toBe(2)
    expect((await world.run(['journal', 'show', '9999'])).code).toBe(2)
  })
})

describe('journal export', () => {
  eachInItsOwn()

  test('is one file that verifies elsewhere, and betrays a changed, cut or re-signed one', async () => {
    const { journal } = await recorded(...SAVE)
    const copy = join(world.dir, 'copy.jsonl')
    const { code, err } = await world.run(['journal', 'export', copy])
    expect(code).toBe(0)
    const args = /journal verify \S+ (--key \S+ --head \S+)/.exec(err)![1]!.split(' ')
    expect((await world.run(['journal', 'export', copy])).code).toBe(2)
    await world.run(['call', 'ui.snapshot'])

    const elsewhere = new World()
    try {
      expect(await elsewhere.run(['journal', 'verify', copy, ...args])).toMatchObject({
        code: 0,
        out: expect.stringContaining('entries, intact to'),
      })
      expect((await elsewhere.run(['journal', 'verify', copy])).code).toBe(2)
      expect((await elsewhere.run(['journal', 'verify', copy, '--key', 'A'.repeat(43)])).code).toBe(1)
      const text = readFileSync(copy, 'utf8')
      writeFileSync(join(elsewhere.dir, 'changed.jsonl'), text.replace('Jürgen', 'Jorgen'))
      expect(await elsewhere.run(['journal', 'verify', join(elsewhere.dir, 'changed.jsonl'), ...args])).toMatchObject({
        code: 1,
        out: expect.stringMatching(/entry \d+: changed/),
      })
      writeFileSync(join(elsewhere.dir, 'cut.jsonl'), text.split('\n').slice(0, -4).join('\n') + '\n')
      expect(await elsewhere.run(['journal', 'verify', join(elsewhere.dir, 'cut.jsonl'), ...args])).toMatchObject({
        code: 1,
        out: expect.stringContaining('cut'),
      })
    } finally {
      await elsewhere.end()
    }
    expect((await world.run(['journal', 'verify', journal])).code).toBe(0)
    expect((await world.run(['journal', 'verify', join(world.dir, 'nowhere')])).code).toBe(2)
  })
})

describe('journal replay', () => {
  eachInItsOwn()

  test('makes the calls again, elements found anew by what they were, and comes to the same', async () => {
    const { journal, results } = await recorded(...SAVE)
    const elementId = results[1]?.resolvedTarget?.elementId
    await world.run(
      ['call', '--stdin'],
      [
        { tool: 'ui.type', args: { target: elementId, text: ' Müller', mode: 'append' } },
        { tool: 'ui.wait', args: { until: { uiState: { target: elementId, valueContains: 'Müller' } } } },
        { tool: 'ui.click', args: { target: 'name="Nowhere"', timeoutMs: 0 } },
      ]
        .map((c) => `${JSON.stringify(c)}\n`)
        .join(''),
    )
    cpSync(journal, join(world.dir, 'old'), { recursive: true })
    await world.run(['down'])
    await world.up('--ui', file('ui.json', shop()))
    const { code, out } = await world.run(['journal', 'replay', join(world.dir, 'old')])
    expect(out).toContain('4 made, all as recorded')
    expect(code).toBe(0)
    expect(JSON.parse((await world.run(['call', 'ui.query', '{"selector":"name=Name"}'])).out)).toMatchObject({
      data: { matches: [{ value: 'Jürgen Müller' }] },
    })
    const entries = (await world.run(['journal', 'list', '--json', '--type', 'operator', 'decided'])).out
    expect(entries).toContain('"what":"replay"')
    expect(entries).toContain('"intent":"replay of entry')
  })

  test('steps one by one, from where it is told, leaving out what it is told', async () => {
    const { journal } = await recorded(...SAVE, ...SAVE.slice(1))
    const first = /(\d+) .*decided .*ui\.click/.exec((await world.run(['journal', 'list'])).out)![1]!
    cpSync(journal, join(world.dir, 'old'), { recursive: true })
    await world.run(['down'])
    const { out, code } = await world.run(
      ['journal', 'replay', join(world.dir, 'old'), '--from', first, '--step', '--patience', '0'],
      's\nq\n',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/ended before entry \d+; 0 made/)
    expect(Number(/before entry (\d+)/.exec(out)![1])).toBeGreaterThan(Number(first))
  })

  test('text that was not kept is typed as a secret by name, and never asked for itself', async () => {
    const { journal } = await recorded({ tool: 'ui.type', args: { target: 'name="Password"', text: 'hunter2hunter2' } })
    cpSync(journal, join(world.dir, 'old'), { recursive: true })
    await world.run(['down'])
    const store = file('state/secrets.toml', '[shop]\nvalue = "correct horse"\napps = ["virtual:shop"]\n')
    chmodSync(store, 0o600)
    file('deskhand.toml', '[desktop]\nui = "ui.json"\n')
    const seq = /(\d+) .*decided/.exec((await world.run(['journal', 'list', join(world.dir, 'old')])).out)![1]!
    expect(await world.run(['journal', 'replay', join(world.dir, 'old')], '')).toMatchObject({
      code: 2,
      err: expect.stringContaining(`--secret ${seq}=<name>`),
    })
    const asked = await world.run(['journal', 'replay', join(world.dir, 'old')], 'shop\n')
    expect(asked).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 made'),
      err: expect.stringContaining('typed 14 characters that were not kept'),
    })
    const named = await world.run(['journal', 'replay', join(world.dir, 'old'), '--secret', `${seq}=shop`])
    expect([named.code, `${named.out}${named.err}${asked.out}${asked.err}`]).toEqual([
      0,
      expect.not.stringMatching(/correct horse|hunter2/),
    ])
  })
})

describe('journal replay, on a desktop that is not what it was,', () => {
  beforeAll(async () => {
    world = new World()
    const { journal } = await recorded(...SAVE)
    cpSync(journal, join(world.dir, 'old'), { recursive: true })
    await world.stop()
  })
  afterEach(() => world.stop())
  afterAll(() => world.end())

  test('stops at the first element that is not what it was, before touching it', async () => {
    await world.up('--ui', file('ui.json', shop('Save and publish')))
    const { code, out } = await world.run(['journal', 'replay', join(world.dir, 'old'), '--patience', '0.1'])
    expect(code).toBe(1)
    expect(out).toMatch(/ui\.click button "Save": differs\n +expected {2}button "Save" in "Shop" of "shop"\n +found .*"Save and publish"/)
    expect(out).toMatch(/stopped at entry \d+; 1 made before it/)
    expect((await world.run(['call', 'ui.assert', '{"condition":{"text":{"contains":"Saved","present":false}}}'])).code).toBe(0)
  })

  test('what the policy forbids now is not done, and the exit code says so', async () => {
    await world.up(
      '--ui',
      file('ui.json', shop()),
      '--policy',
      file('p.toml', '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\n'),
    )
    const { code, out } = await world.run(['journal', 'replay', join(world.dir, 'old')])
    expect([code, out]).toEqual([4, expect.stringMatching(/found {5}deny: .*p\.toml:1/)])
  })

  test('a rehearsal does nothing and knows what it cannot know', async () => {
    const empty = JSON.stringify({ windows: [window('Shop', [element('text_field', 'Name')])] })
    await world.up('--ui', file('ui.json', empty))
    const { code, out } = await world.run(['journal', 'replay', join(world.dir, 'old'), '--dry-run', '--patience', '0'])
    expect(code).toBe(0)
    expect(out).toContain('unknown until the calls before it are made')
    expect(JSON.parse((await world.run(['call', 'ui.query', '{"selector":"name=Name"}'])).out)['data'].matches[0].value ?? '').toBe('')
  })
})
