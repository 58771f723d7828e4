import { afterEach, describe, expect, test } from 'vitest'
import type { Principal, Result } from '@deskhand/core/model'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { AGENT, desk, element, window, type TestDesk } from '../support/desk.ts'

const DENIED = '[[rule]]\ntoolName = "ui.type"\ndecision = "deny"\npriority = 500\nwhen = { text = "*drop table*" }\n'
const field = (label: string, value = ''): Record<string, unknown> => element('text_field', label, { value })
const ui = { windows: [window('Notes', [field('Said', 'please DROP TABLE users'), field('Query'), element('button', 'Paste')])] }

let d: TestDesk
const open = async (policy: string, without?: 'clipboard'): Promise<void> => {
  d = await desk({ ui, policy })
  if (without !== undefined) d.driver.observe.readClipboard = () => Promise.reject(new Error('no clipboard'))
}
afterEach(() => d.session.close())

const query = (): unknown => d.driver.describe()[0]?.children?.[1]?.value ?? ''
const write = (text: string, who: Principal = AGENT): Promise<Result> =>
  d.session.call({ tool: 'pyperclip.copy', kind: 'clipboard_write', args: { text }, principal: who })
const paste = (what: string, keys: string[]): Promise<Result> => write(what).then(() => d.call('ui.key', { target: 'name="Query"', keys }))
const copied = async (): Promise<void> => void (await d.call('ui.key', { target: 'name="Said"', keys: ['ctrl+a', 'ctrl+c'] }))

/** Ways to enter a text that the call does not say. */
const WAYS: [string, () => Promise<unknown>][] = [
  [
    'put on the clipboard and pasted',
    () => write('Drop  Table x').then(() => d.call('ui.key', { target: 'name="Query"', keys: 'ctrl+v' })),
  ],
  ['copied elsewhere and pasted', () => copied().then(() => d.call('ui.key', { target: 'name="Query"', keys: 'ctrl+v' }))],
  [
    'pasted by raw keys',
    async () => {
      await copied()
      await d.call('ui.focus', { target: 'name="Query"' })
      const events = ['down', 'up'].flatMap((type) => (type === 'down' ? ['Control', 'v'] : ['v', 'Control']).map((key) => ({ type, key })))
      await dispatch({ session: d.session }, AGENT, 'input.keys', { events })
    },
  ],
  [
    'put together by keys that edit',
    () =>
      d.call('ui.key', {
        target: 'name="Query"',
        keys: [...'DROPx', 'Backspace', 'Space', ...'TABLE'].map((k) => (k === 'Space' ? 'space' : k)),
      }),
  ],
  ['typed from behind', () => d.call('ui.key', { target: 'name="Query"', keys: [...'TABLE'].concat('Home', [...'DROP'], 'space') })],
  ['pasted before the rest of it', () => paste('drop', ['ctrl+v', 'space', ...'table'])],
  ['pasted in two halves', () => paste('table drop ', ['ctrl+v', 'ctrl+v'])],
  [
    'copied and pasted in one call',
    async () => {
      await d.call('ui.focus', { target: 'name="Said"' })
      await d.call('ui.key', { keys: ['ctrl+a', 'ctrl+c', 'Tab', 'ctrl+v'] })
    },
  ],
]

describe('a text that a rule denies', () => {
  test.each(WAYS)('is not entered where it is %s', async (_, go) => {
    await open(DENIED)
    await go()
    expect(query()).toBe('')
    expect((await d.journal()).some((e) => e.type === 'decided' && e.decision.verdict === 'deny')).toBe(true)
  })

  test.each(WAYS)('would be entered where it is %s', async (_, go) => {
    await open('')
    await go()
    expect(query()).toMatch(/drop\s+table/i)
  })

  test('is not entered where the clipboard cannot be read, and nothing else is then', async () => {
    await open(DENIED, 'clipboard')
    await write('a harmless text')
    expect(await d.call('ui.key', { target: 'name="Query"', keys: 'ctrl+v' })).toMatchObject({
      error: { code: 'DENIED', message: expect.stringContaining('text') },
    })
    expect(query()).toBe('')
  })

  test('is not entered where it came onto the clipboard after the paste was judged', async () => {
    await open(DENIED)
    await write('a harmless text')
    const { readClipboard } = d.driver.observe
    let looks = 0
    d.driver.observe.readClipboard = async (ctx) => (looks++ === 0 ? readClipboard.call(d.driver.observe, ctx) : 'drop table users')
    expect((await d.call('ui.key', { target: 'name="Query"', keys: 'ctrl+v' })).error?.code).toBe('DENIED')
    expect(query()).toBe('')
  })

  test.each([
    ['dropped', () => d.call('ui.drag', { from: 'name="Said"', to: 'name="Query"' })],
    ['pasted with the middle button', () => d.call('ui.click', { target: 'name="Query"', button: 'middle' })],
  ])('is not entered where nothing tells what is %s', async (_, go) => {
    await open(DENIED)
    expect((await go()).error?.code).toBe('DENIED')
  })

  test('is not taken for what is on the clipboard where a terminal pastes what is selected', async () => {
    d = await desk({ ui: { windows: [window('Box', [element('terminal', 'Shell')])] }, policy: DENIED })
    await write('a harmless text')
    expect((await d.call('ui.key', { target: 'name="Shell"', keys: 'shift+Insert' })).error?.code).toBe('DENIED')
  })

  test('is not entered where it is typed over another', async () => {
    await open('[[rule]]\ntoolName = "ui.type"\ndecision = "deny"\npriority = 500\nwhen = { text = "rm x" }\n')
    const keys = ['z', 'ctrl+a', 'r', 'm', 'space', 'x']
    expect((await d.call('ui.key', { target: 'name="Query"', keys })).error?.code).toBe('DENIED')
    expect(query()).toBe('')
  })

  test.each([['ctrl+v'], ['ctrl+a', 'ctrl+v', 'Tab'], ['ctrl+v', 'ctrl+s', 'Enter']])(
    'keeps no other text from being pasted by %s',
    async (...keys) => {
      await open(DENIED)
      expect((await paste('a harmless text', keys)).error).toBeUndefined()
      expect(query()).toBe('a harmless text')
    },
  )

  test('keeps no fields from being filled in by keys', async () => {
    await open(DENIED)
    await d.call('ui.focus', { target: 'name="Said"' })
    expect((await d.call('ui.key', { keys: ['ctrl+a', ...'Ada', 'Tab', ...'Paris'] })).error).toBeUndefined()
    expect(query()).toBe('Paris')
  })
})

test('a text that alone is allowed is allowed as a paste, too, and no other', async () => {
  await open(
    `[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 500\nwhen = { name = "Query" }\n
[[rule]]\ntoolName = ["ui.key", "ui.type"]\ndecision = "allow"\npriority = 600\nwhen = { name = "Query", text = "select *" }\n`,
  )
  await d.call('ui.focus', { target: 'name="Said"' })
  await write('delete all')
  expect((await d.call('ui.key', { target: 'name="Query"', keys: 'ctrl+v' })).error?.code).toBe('DENIED')
  await write('select all')
  expect((await d.call('ui.key', { target: 'name="Query"', keys: 'ctrl+v' })).error).toBeUndefined()
  expect(query()).toBe('select all')
})
