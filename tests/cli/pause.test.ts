import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { connect } from 'deskhand'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

const UI = {
  windows: [window('Form', [element('text_field', 'Name', { is_focused: true }), element('checkbox', 'Agree', { value: false })])],
}

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

const typed = async (agent: Client): Promise<string> =>
  (await use(agent, 'ui.query', { selector: 'role=textbox' })).record['data'].matches[0].value ?? ''

/** What is typed, once it stays so. */
async function settled(agent: Client): Promise<string> {
  for (let before = '', now = await typed(agent); ; before = now, now = await typed(agent)) if (before === now) return now
}

/** A script that has begun. */
async function running(text: string): Promise<{ exit: Promise<unknown>; err: () => string }> {
  const child = world.start('run', world.file('s.py', text), '--pause', '0.02')
  let err = ''
  const exit = new Promise((ended) => child.once('close', ended))
  await new Promise<void>((told) => {
    child.stderr.setEncoding('utf8').on('data', (s: string) => {
      err += s
      told()
    })
  })
  return { exit, err: () => err }
}

const entries = async (journal: string, type: string): Promise<Record<string, unknown>[]> =>
  (await world.run(['journal', 'list', '--json', '--type', type, '--', journal])).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('an operator pauses everything that acts: a script and a click wait, looking goes on, and both end as if nothing had been', async () => {
  const { journal } = await world.serve(UI, '')
  const agent = await world.mcp()
  // The click takes the focus away, maybe from a key that was judged for the field: that one is refused.
  const press = "    try:\n        pyautogui.press('a')\n    except pyautogui.PyAutoGUIException:\n        pass\n"
  const script = await running(`start = pyautogui.position()\nwhile pyautogui.position() == start:\n${press}`)
  expect(await world.run(['pause'])).toMatchObject({ code: 0, out: expect.stringContaining('deskhand resume') })
  const before = await settled(agent)
  expect((await world.run(['status'])).out).toContain('paused')
  const clicked = use(agent, 'ui.click', { target: 'name="Agree"' })
  expect((await use(agent, 'ui.query', { selector: 'name="Agree"' })).text).toContain('unchecked')
  expect(await typed(agent)).toBe(before)
  expect(await world.run(['resume'])).toMatchObject({ code: 0, out: 'resumed\n' })
  expect(await script.exit).toBe(0)
  expect((await clicked).record).toMatchObject({ status: 'success', effect: 'confirmed' })
  expect((await world.run(['status'])).out).not.toContain('paused')
  expect((await entries(journal, 'operator')).map((e) => e['what'])).toEqual(['up', 'pause', 'resume'])
})

test('a script that held a key is let go of, and ends when it is resumed', async () => {
  await world.serve(UI, '')
  const script = await running("pyautogui.keyDown('shift')\nwhile True:\n    pyautogui.press('a')\n")
  await world.run(['pause'])
  await world.run(['resume'])
  expect(await script.exit).toBe(1)
  expect(script.err()).toContain('Shift was let go while the operator had paused the script')
})

test('a script that begins during a pause waits, and stop ends it', async () => {
  await world.serve(UI, '')
  const agent = await world.mcp()
  await world.run(['pause'])
  const asked = world.run(['run', '-'], "pyautogui.press('a')")
  await use(agent, 'ui.snapshot')
  await world.run(['stop'])
  expect(await asked).toMatchObject({ code: 5 })
  await world.run(['resume'])
  expect(await typed(agent)).toBe('')
  expect(await world.run(['run', '-'], "pyautogui.press('a')")).toMatchObject({ code: 0 })
})

test('an agent neither pauses nor resumes, and each attempt is written down', async () => {
  const { journal } = await world.serve(UI, '')
  const state = world.env['DESKHAND_STATE']!
  const [agent, operator] = [await connect({ state }), await connect({ state, as: 'operator' })]
  try {
    await expect(agent.invoke('pause', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(await operator.invoke('info', {})).toMatchObject({ paused: false })
    await operator.invoke('pause', {})
    await expect(agent.invoke('resume', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(await operator.invoke('info', {})).toMatchObject({ paused: true })
  } finally {
    await Promise.all([agent.close(), operator.close()])
  }
  expect((await entries(journal, 'rejected')).map((e) => e['tool'])).toEqual(['pause', 'resume'])
})
