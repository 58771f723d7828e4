import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const ASKS = '[[rule]]\ntoolName = "ui.key"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n'
const ui = { windows: [window('Terminal', [element('text_field', 'Command')])] }

async function question({ session }: TestDesk): Promise<Approval> {
  for (;;) {
    const [first] = session.approvals.list()
    if (first !== undefined) return first
    await sleep(5)
  }
}
const copy = ({ session }: TestDesk, text: string): Promise<unknown> =>
  session.call({ tool: 'pyperclip.copy', kind: 'clipboard_write', args: { text }, principal: { id: 'agent', role: 'agent' } })
const held = ({ driver }: TestDesk): unknown => driver.describe()[0]?.children?.[0]?.value

test('a person who allows a paste is shown what would be pasted, and nothing else is', async () => {
  const d = await desk({ ui, policy: ASKS })
  await d.call('ui.focus', { target: 'name="Command"' })
  for (const [swapped, outcome, value] of [
    [true, { sent: 'none', error: { code: 'TARGET_CHANGED' } }, ''],
    [false, { status: 'success' }, 'ls'],
  ] as const) {
    await copy(d, 'ls')
    const coming = d.call('ui.key', { keys: 'ctrl+v' })
    const asked = await question(d)
    expect(asked.around).toEqual(expect.arrayContaining([{ label: 'on the clipboard', value: 'ls' }]))
    if (swapped) await copy(d, 'rm -rf ~')
    await d.session.invoke('approvals.answer', { id: asked.id, allow: true }, OPERATOR)
    expect(await coming).toMatchObject(outcome)
    expect(held(d) ?? '').toBe(value)
  }
  await d.session.close()
})

test('a person is not told that the clipboard is pasted where it is what is selected somewhere', async () => {
  const d = await desk({ ui: { windows: [window('Box', [element('terminal', 'Shell', { is_focused: true })])] }, policy: ASKS })
  await copy(d, 'ls')
  const coming = d.call('ui.key', { target: 'name="Shell"', keys: 'shift+Insert' })
  const asked = await question(d)
  const labels = asked.around?.map(({ label }) => label)
  expect(labels).toContain('pastes what is selected')
  expect(labels).not.toContain('on the clipboard')
  await d.session.invoke('approvals.answer', { id: asked.id, allow: true }, OPERATOR)
  expect((await coming).error).toBeUndefined()
  await d.session.close()
})

test.each([
  ['where nothing tells that it is a terminal', 'list', 'shift+Insert'],
  ['by another chord of a terminal', 'terminal', ['shift+Insert', 'ctrl+shift+v']],
])(
  'a person is shown what is on the clipboard, and nothing else is pasted, where what is selected may be, too: %s',
  async (_, type, keys) => {
    const d = await desk({ ui: { windows: [window('Box', [element(type, 'Shell', { is_focused: true })])] }, policy: ASKS })
    await copy(d, 'ls')
    const coming = d.call('ui.key', { target: 'name="Shell"', keys })
    const asked = await question(d)
    const around = [
      { label: 'on the clipboard', value: 'ls' },
      { label: 'or pastes what is selected', value: 'nothing tells what that is' },
    ]
    expect(asked.around).toEqual(expect.arrayContaining(around))
    await copy(d, 'rm -rf ~')
    await d.session.invoke('approvals.answer', { id: asked.id, allow: true }, OPERATOR)
    expect(await coming).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
    await d.session.close()
  },
)
