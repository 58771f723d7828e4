import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

/** A window with these elements, at a place of the screen. */
const form = (at: readonly number[], children: Record<string, unknown>[]): string =>
  JSON.stringify({ windows: [{ ...(window('Form', children) as object), bounds_relative: at }] })
const HERE = [0.1, 0.1, 0.4, 0.5]
const NAME = element('text_field', 'Name')
const AGREE = element('checkbox', 'Agree', { value: false })
const SAVE = element('button', 'Save')

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

const put = (name: string, text: string): string => world.file(name, text)

/** Where the middle of an element is, asked as an agent would. */
async function middle(agent: Client, name: string): Promise<[number, number]> {
  return (await use(agent, 'gui_find_element', { name })).record['elements'][0].bounds.center
}

type Found = { value?: string; states?: { checked?: boolean } }

/** What the field holds, and whether the box is ticked. */
async function filled(agent: Client): Promise<[string, boolean]> {
  const one = async (selector: string): Promise<Found | undefined> => (await use(agent, 'ui.query', { selector })).record['data'].matches[0]
  return [(await one('role=textbox'))?.value ?? '', (await one('role=checkbox'))?.states?.checked === true]
}

const lines = (out: string): Record<string, unknown>[] =>
  out
    .split('\n')
    .filter(Boolean)
    .map((l) => JSON.parse(l) as Record<string, unknown>)

describe('deskhand run', () => {
  test('a script runs through the broker, tells its steps as it goes, and prints what it prints', async () => {
    await world.up('--ui', put('form.json', form(HERE, [NAME, AGREE, SAVE])))
    const agent = await world.mcp()
    const [x, y] = await middle(agent, 'Agree')
    const script = put('s.py', `import pyautogui\nprint("hello")\npyautogui.click(${x}, ${y})\n`)
    const { code, out, err } = await world.run(['run', script, '--pause', '0'])
    expect({ code, out }).toEqual({ code: 0, out: 'hello\n' })
    expect(err).toMatch(/ 3 {2}pyautogui\.click\(\d+, \d+\) {2}\[allow, \w+ risk; checkbox "Agree" e\d+; changed\]/)
    expect(await filled(agent)).toEqual(['', true])
  })

  test('a step is told before the script has ended', async () => {
    await world.up('--ui', put('form.json', form(HERE, [NAME])))
    const child = world.start('run', put('s.py', 'pyautogui.press("a")\ntime.sleep(60)\n'))
    const first = await new Promise<string>((told) => child.stderr.setEncoding('utf8').once('data', told))
    expect(first).toContain("1  pyautogui.press('a')")
    child.kill('SIGINT')
    expect(await new Promise((ended) => child.once('exit', ended))).toBe(1)
  })

  test('standard input, JSON lines, and the lines of the journal', async () => {
    const { ready } = await world.up('--ui', put('form.json', form(HERE, [NAME])))
    const { code, out } = await world.run(['run', '-', '--json'], 'pyautogui.write("abc")\n')
    expect(code).toBe(0)
    const told = lines(out)
    expect(told[0]).toMatchObject({ step: { line: 1, call: 'pyautogui.write(<3 characters>)', decision: { verdict: 'allow' } } })
    expect(told.at(-1)).toMatchObject({ result: { status: 'success', data: { status: 'ok' } } })
    const journal = await world.run(['journal', 'list', '--json', ready.journal])
    expect(lines(journal.out).find((e) => e['tool'] === 'pyautogui.write')).toMatchObject({ origin: { line: 1 } })
  })

  test('a rehearsal names element, decision and risk of each step, and moves nothing', async () => {
    const policy = put('p.toml', '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 900\n[rule.when]\nname = "Save"\n')
    await world.up('--ui', put('form.json', form(HERE, [NAME, AGREE, SAVE])), '--policy', policy)
    const agent = await world.mcp()
    const [[nx, ny], [ax, ay], [sx, sy]] = [await middle(agent, 'Name'), await middle(agent, 'Agree'), await middle(agent, 'Save')]
    const script = `pyautogui.click(${nx}, ${ny})\npyautogui.write("Ann")\npyautogui.click(${ax}, ${ay})\npyautogui.click(${sx}, ${sy})\n`
    const { code, out } = await world.run(['run', '-', '--rehearse', '--json'], script)
    expect(code).toBe(0)
    expect(lines(out).flatMap((l) => (l['step'] ? [l['step']] : []))).toMatchObject([
      { line: 1, target: { name: 'Name' }, decision: { verdict: 'allow' }, effect: 'none' },
      { line: 2, target: { name: 'Name' }, decision: { verdict: 'allow' }, effect: 'none' },
      { line: 3, target: { name: 'Agree' }, risk: { level: expect.any(String) }, effect: 'none' },
      { line: 4, target: { name: 'Save' }, decision: { verdict: 'ask_user' }, effect: 'unverified' },
    ])
    expect(await filled(agent)).toEqual(['', false])
  })

  test('a pixel script becomes calls by selectors that still work when the window is elsewhere and laid out anew', async () => {
    await world.up('--ui', put('form.json', form(HERE, [NAME, AGREE, SAVE])))
    const agent = await world.mcp()
    const [[nx, ny], [ax, ay]] = [await middle(agent, 'Name'), await middle(agent, 'Agree')]
    const script = `import pyautogui, pyperclip\npyautogui.click(${nx}, ${ny})\npyautogui.write("Ann")\npyperclip.copy("é")\npyautogui.hotkey("ctrl", "v")\npyautogui.click(${ax}, ${ay})\n`
    const converted = await world.run(['run', '-', '--to-tools', '--pause', '0'], script)
    expect(converted.code).toBe(0)
    expect(await filled(agent)).toEqual(['Anné', true])
    expect(lines(converted.out).map((c) => c['tool'])).toEqual(['ui.click', 'ui.type', 'ui.click'])
    expect(converted.out).not.toContain('"x"')
    await world.run(['down'])

    const moved = [SAVE, { ...AGREE, bounds_relative: [0.5, 0.6, 0.4, 0.1] }, { ...NAME, bounds_relative: [0.05, 0.8, 0.6, 0.1] }]
    await world.up('--ui', put('other.json', form([0.4, 0.02, 0.55, 0.9], moved)))
    const again = await world.mcp()
    expect(await middle(again, 'Agree')).not.toEqual([ax, ay])
    const replayed = await world.run(['call', '--stdin'], converted.out)
    expect({ code: replayed.code, status: lines(replayed.out).map((r) => r['status']) }).toEqual({
      code: 0,
      status: Array(3).fill('success'),
    })
    expect(await filled(again)).toEqual(['Anné', true])
  })

  test('a rehearsal can be converted without anything having moved', async () => {
    await world.up('--ui', put('form.json', form(HERE, [NAME, AGREE])))
    const agent = await world.mcp()
    const [x, y] = await middle(agent, 'Agree')
    const { out } = await world.run(['run', '-', '--rehearse', '--to-tools'], `pyautogui.click(${x}, ${y})\n`)
    expect(lines(out)).toMatchObject([{ tool: 'ui.click', args: { target: { selector: 'virtualId="checkbox_agree"' } } }])
    expect(await filled(agent)).toEqual(['', false])
  })

  test('a rehearsal follows the focus it would have, and text stays in one piece', async () => {
    const CITY = element('text_field', 'City', { is_focused: true })
    await world.up('--ui', put('form.json', form(HERE, [NAME, AGREE, CITY])))
    const agent = await world.mcp()
    const [[nx, ny], [ax, ay]] = [await middle(agent, 'Name'), await middle(agent, 'Agree')]
    const script = `pyautogui.write('Köln')\npyautogui.click(${nx}, ${ny})\npyautogui.typewrite('Jürgen Groß')\npyautogui.press('tab')\npyautogui.write('x')\npyautogui.click(${ax}, ${ay})\npyautogui.write('y')\n`
    const { out } = await world.run(['run', '-', '--rehearse', '--to-tools'], script)
    const [city, name, agree] = ['text_field_city', 'text_field_name', 'checkbox_agree'].map((id) => ({ selector: `virtualId="${id}"` }))
    expect(lines(out)).toEqual([
      { tool: 'ui.type', args: { target: city, text: 'Köln' } },
      { tool: 'ui.click', args: { target: name, button: 'left', clickCount: 1 } },
      { tool: 'ui.type', args: { target: name, text: 'Jürgen Groß' } },
      { tool: 'ui.key', args: { target: name, keys: 'Tab' } },
      { tool: 'ui.type', args: { text: 'x' } },
      { tool: 'ui.click', args: { target: agree, button: 'left', clickCount: 1 } },
      { tool: 'ui.type', args: { text: 'y' } },
    ])
    expect(await filled(agent)).toEqual(['', false])
  })
})

describe('the exit code of deskhand run', () => {
  const click = async (agent: Client): Promise<string> => `pyautogui.click(${(await middle(agent, 'Agree')).join(', ')})\n`
  const up = async (policy = ''): Promise<Client> => {
    await world.serve(JSON.parse(form(HERE, [NAME, AGREE])), policy)
    return world.mcp()
  }
  const rule = (decision: string): string => `[[rule]]\ntoolName = "ui.click"\ndecision = "${decision}"\npriority = 900\n`

  test('0: it was done', async () => {
    expect(await world.run(['run', '-'], await click(await up()))).toMatchObject({ code: 0 })
  })

  test('1: it failed, and the line is shown with its place', async () => {
    await up()
    const failed = await world.run(['run', '-'], 'x = 1\nprint(x)\ny = x / 0\n')
    expect(failed).toMatchObject({ code: 1, out: '1\n' })
    expect(failed.err).toBe(
      'SCRIPT_FAILED: line 3: ZeroDivisionError: division by zero\n   3 | y = x / 0\n     |     ^\nNext: Take a snapshot to see how far the script came, then correct the named line.\n',
    )
  })

  test('2: it is not acceptable, or not there', async () => {
    const agent = await up()
    expect((await world.run(['run', '-'], 'import os\n')).code).toBe(2)
    const refused = await world.run(['run', '-'], 'x = 1\n  import os\n')
    expect(refused.code).toBe(2)
    expect(refused.err).toMatch(/^BAD_SCRIPT: line 2, column \d+: .+\n {3}2 \| {3}import os\n {5}\| +\^\nNext: Correct the script/)
    expect((await world.run(['run', '-', '--profile', 'strict'], 'import time\n')).code).toBe(2)
    expect((await world.run(['run', join(world.dir, 'none.py')])).code).toBe(2)
    expect((await world.run(['run'])).code).toBe(2)
    const told = await use(agent, 'script.run', { script: 'import os\n' })
    expect(told.isError).toBe(true)
    expect(told.text).toMatch(/^BAD_SCRIPT: line 1, column 1: .+\nNext: Correct the script .+\n(?:.*\n)* {3}1 \| import os\n {5}\| \^$/)
    expect(told.record).toMatchObject({ status: 'error', error: { line: 1, column: 1 } })
  })

  test('3: somebody would have to agree, and nobody can', async () => {
    expect(await world.run(['run', '-'], 'pyautogui.alert("hello")\n')).toMatchObject({ code: 3 })
  })

  test('4: it is denied', async () => {
    expect(await world.run(['run', '-'], await click(await up(rule('deny'))))).toMatchObject({
      code: 4,
      err: expect.stringContaining('DENIED: line 1:'),
    })
  })

  test('5: it was stopped', async () => {
    await up()
    const child = world.start('run', put('s.py', 'while True:\n    pyautogui.press("a")\n'))
    const ended = new Promise((done) => child.once('close', done))
    await new Promise((told) => child.stderr.once('data', told))
    await world.run(['stop'])
    expect(await ended).toBe(5)
    expect(await world.run(['run', '-'], 'pyautogui.press("a")\n')).toMatchObject({ code: 5 })
  })
})
