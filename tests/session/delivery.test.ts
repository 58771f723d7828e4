import { within } from '@deskhand/core/driver'
import { expect, test } from 'vitest'
import { desk, element, window, type TestDesk } from '../support/desk.ts'

const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const ui = {
  windows: [
    window('Form', [
      element('button', 'Next', counting),
      element('label', 'n', { value: 0 }),
      element('text_field', 'Name'),
      element('panel', 'Side'),
    ]),
    window('Editor', [element('text_field', 'Text')]),
  ],
}
const SEMANTIC_ONLY = `
[[rule]]
name = "only beside a person"
toolName = ["ui.*"]
decision = "deny"
priority = 500
when = { delivery = "input" }
`
const open = (options: Partial<Parameters<typeof desk>[0]> = {}): Promise<TestDesk> => desk({ ui, policy: SEMANTIC_ONLY, ...options })
const part = (d: TestDesk, n: number) => d.driver.describe().find((e) => e.element_id === 'form')?.children?.[n]
const NEXT = 'name="Next"'

test('a rule lets through what takes neither pointer, keys nor focus, and acting keeps to that', async () => {
  const d = await open()
  const hands = async () => [
    await d.driver.observe.pointer(within(1000)),
    (await d.driver.observe.read({}, within(1000))).nodes.find((n) => n.states?.focused === true || n.states?.active === true)?.key,
  ]
  const before = await hands()
  expect((await d.call('ui.click', { target: NEXT })).error).toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining('only beside a person') as string,
  })
  expect(await d.call('ui.click', { target: NEXT, delivery: 'semantic' })).toMatchObject({ status: 'success', via: 'action:press' })
  expect(part(d, 1)?.label_text).toBe('1')
  expect(await d.call('ui.type', { target: 'name="Name"', text: 'Anna', delivery: 'semantic' })).toMatchObject({
    status: 'success',
    via: 'action:setText',
  })
  expect(part(d, 2)).toMatchObject({ value: 'Anna' })
  expect(await hands()).toEqual(before)
})

test('what has no way of its own is not done by another one', async () => {
  const d = await open()
  const refused = await d.call('ui.type', { target: 'name="Name"', text: 'Anna\n', delivery: 'semantic' })
  expect(refused).toMatchObject({ sent: 'none', error: { code: 'NOT_CAPABLE', next: expect.stringContaining('delivery') as string } })
  expect(part(d, 2)).not.toMatchObject({ value: 'Anna' })
})

test.each([
  ['ui.click', { target: NEXT, delivery: 'semantic', clickCount: 2 }],
  ['ui.click', { target: NEXT, delivery: 'semantic', button: 'right' }],
  ['ui.click', { target: NEXT, delivery: 'semantic', modifiers: ['Control'] }],
  ['ui.type', { text: 'x', delivery: 'semantic' }],
  ['ui.key', { keys: 'Enter', delivery: 'semantic' }],
])('%s with %j says that there is no such thing', async (tool, args) => {
  expect((await (await open()).call(tool, args)).error?.code).toBe('BAD_ARGS')
})

test('a person at the controls of another window is not waited for, one in the same window is', async () => {
  const d = await open({ ports: { human: { mode: 'enforce', idleMs: 3_600_000, waitMs: 200, corner: true } } })
  d.driver.human({ do: 'text', text: 'I am writing' })
  await expect.poll(() => d.session.state.human.paused).toBe(true)
  const { activeApp } = (await d.call('ui.snapshot')).data as { activeApp?: { title?: string } }
  const [busy, free] = activeApp?.title === 'Form' ? ['Name', 'Text'] : ['Text', 'Name']
  const type = (field: string) => d.call('ui.type', { target: `name="${field}"`, text: 'hello', delivery: 'semantic', timeoutMs: 100 })
  expect(await type(free)).toMatchObject({ status: 'success' })
  expect(await type(busy)).toMatchObject({ sent: 'none', error: { code: 'HUMAN_AT_CONTROLS' } })
})
