import { expect, test } from 'vitest'
import { DeskhandError } from '@deskhand/core/errors'
import { openVirtual } from '@deskhand/driver-virtual'
import { desk, element, govern, window } from '../support/desk.ts'

const ui = [
  window('Form', [
    element('text_field', 'Name', { value: 'Ada', attributes: { on: { submit: [{ do: 'set', element: 'status', value: 'sent' }] } } }),
    element('text_area', 'Notes', { value: '' }),
    { element_id: 'status', element_type: 'label', value: 'idle' },
  ]),
]
const FIELD = 'role=textbox && name="Name"'
const NOTES = 'role=textbox && name="Notes"'

async function form(): Promise<Awaited<ReturnType<typeof desk>> & { value(selector: string): Promise<unknown> }> {
  const d = await desk({ ui })
  return {
    ...d,
    value: async (selector) => ((await d.call('ui.query', { selector })).data as { matches: { value?: string }[] }).matches[0]?.value,
  }
}

test('a list of a modifier and a key is a chord, and types nothing', async () => {
  const d = await form()
  await d.call('ui.key', { target: FIELD, keys: ['ctrl', 'a'] })
  await d.call('ui.key', { target: FIELD, keys: ['Backspace'] })
  expect(await d.value(FIELD)).toBe('')
  await d.session.close()
})

test('a line break at the end of a text presses Enter in a field of one line, and is never stored there', async () => {
  const d = await form()
  const typed = await d.call('ui.type', { target: FIELD, text: 'Grace\n', mode: 'replace' })
  expect(typed).toMatchObject({ status: 'success', effect: 'changed' })
  expect(await d.value(FIELD)).toBe('Grace')
  expect(d.driver.describe()[0]?.children?.[2]?.value).toBe('sent')
  await d.session.close()
})

test('a line break alone replaces what stands in a field of one line: it is cleared, then Enter is pressed', async () => {
  const d = await form()
  await d.call('ui.type', { target: FIELD, text: '\n', mode: 'replace' })
  expect(await d.value(FIELD)).toBe('')
  expect(d.driver.describe()[0]?.children?.[2]?.value).toBe('sent')
  await d.session.close()
})

test('a field of several lines takes line breaks as text', async () => {
  const d = await form()
  expect(await d.call('ui.type', { target: NOTES, text: 'a\nb\n' })).toMatchObject({ effect: 'confirmed' })
  expect(await d.value(NOTES)).toBe('a\nb\n')
  await d.session.close()
})

test('a verify that names several elements is refused before anything is sent', async () => {
  const d = await form()
  const typed = await d.call('ui.type', { target: FIELD, text: 'x', verify: { uiState: { target: 'role=textbox', value: 'x' } } })
  expect(typed).toMatchObject({ sent: 'none', error: { code: 'AMBIGUOUS_TARGET' } })
  expect(await d.value(FIELD)).toBe('Ada')
  const none = await d.call('ui.type', { target: FIELD, text: 'x', verify: { uiState: { target: 'role=textbox', present: false } } })
  expect(none).toMatchObject({ sent: 'all', error: { code: 'VERIFY_FAILED' } })
  await d.session.close()
})

test('a call that runs out of time says what was sent', async () => {
  const { observe, act, close } = openVirtual({ ui })
  let late = ['changes', 'step']
  const driver = {
    observe: { ...observe, changes: slow('changes', observe.changes) },
    act: {
      take: act.take.bind(act),
      step: slow('step', act.step.bind(act)),
      reply: act.reply.bind(act),
      drop: act.drop.bind(act),
      stop: act.stop.bind(act),
    },
    close,
  }
  function slow<A extends unknown[], R>(method: string, ask: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return (...args) =>
      late.includes(method) ? Promise.reject(new DeskhandError('TIMEOUT', `${method} did not answer within 10000 ms.`)) : ask(...args)
  }
  const d = await govern(driver, '', { desktop: 'virtual', mode: 'simulation_only' })
  const type = async (): Promise<unknown> => (await d.call('ui.type', { target: FIELD, text: 'x' })).error
  await d.call('ui.snapshot')
  expect(await type()).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('(nothing was sent)') })
  late = ['step']
  expect(await type()).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('(it is not known what was sent)') })
  await d.session.close()
})

test('a text is not typed at a button that is named or has the focus: the fields in view are named', async () => {
  const ui = [
    window('Form', [
      element('text_field', 'Name', { value: 'Ada' }),
      element('text_field', 'Nowhere', { value: '', is_visible: false }),
      element('button', 'Send', { attributes: { on: { click: [{ do: 'set', element: 'status', value: 'sent' }] } } }),
      { element_id: 'status', element_type: 'label', value: 'idle' },
    ]),
  ]
  const d = await desk({ ui })
  await d.call('ui.focus', { target: 'role=button && name="Send"' })
  const typed = await d.call('ui.type', { text: 'Grace Hopper' })
  expect(typed).toMatchObject({ sent: 'none', error: { code: 'NOT_FOUND' } })
  expect(typed.error?.message).toMatch(/^e\d+ button "Send" has the focus, and it takes no text$/)
  expect(typed.error?.next).toMatch(/^Name the field as the target: e\d+ textbox "Name"\. ui\.key sends keys/)
  const named = await d.call('ui.type', { target: 'name="Send"', text: 'Grace Hopper' })
  expect(named).toMatchObject({
    sent: 'none',
    error: { code: 'NOT_ACTIONABLE', message: expect.stringMatching(/"Send" takes no text$/) as string },
  })
  expect(named.error?.next).toMatch(/^Name the field as the target: e\d+ textbox "Name"\./)
  expect(d.driver.describe()[0]?.children?.at(-1)?.value).toBe('idle')
  expect(await d.call('ui.type', { text: '\n' })).toMatchObject({ status: 'success' })
  expect(d.driver.describe()[0]?.children?.at(-1)?.value).toBe('sent')
  await d.session.close()
})

test('what must not be known is not named to a caller whose text would go to a button in it', async () => {
  const vault = window('Vault', [element('button', 'Unlock'), element('text_field', 'Codes', { value: '' })])
  const policy = '[[rule]]\ntoolName = "ui.snapshot"\ndecision = "deny"\npriority = 900\n[rule.when]\nwindow = "Vault"\n'
  const d = await desk({ ui: [window('Form', [element('text_field', 'Name', { value: '' })]), vault], policy })
  const typed = await d.call('ui.type', { text: 'x' })
  expect(typed.error).toMatchObject({ code: 'DENIED' })
  expect(await d.journal()).toContainEqual(
    expect.objectContaining({ type: 'decided', targets: [expect.objectContaining({ name: 'Unlock' })] }),
  )
  expect(JSON.stringify([typed.error, typed.text, typed.resolvedTarget])).not.toMatch(/Codes|Unlock|Vault/)
  await d.session.close()
})
