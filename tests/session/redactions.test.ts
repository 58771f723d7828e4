import { expect, test } from 'vitest'
import { desk, element, window } from '../support/desk.ts'

const ui = [
  window('Login', [
    element('text_field', 'Password', { value: 'hunter2', attributes: { password: true } }),
    element('label', 'ada@example.org'),
  ]),
]
const REDACT = '[[rule]]\ntoolName = "gui_screenshot"\ndecision = "allow"\npriority = 900\nobligations = { redact = true }\n'

test('an answer in words says of how many fields it does not tell what they hold', async () => {
  const d = await desk({ ui })
  for (const [tool, args] of [
    ['ui.snapshot', {}],
    ['ui.query', { selector: 'role=textbox' }],
    ['ui.describe', { element: 'name="Password"' }],
  ] as const)
    expect((await d.call(tool, args)).evidence?.redactions, tool).toEqual({ password: 1 })
  expect((await d.call('ui.query', { selector: 'role=label' })).evidence?.redactions).toBeUndefined()
  await d.session.close()
})

test('a picture says how many areas of it are masked, by the reason', async () => {
  const d = await desk({ ui, policy: REDACT })
  expect((await d.call('gui_screenshot')).evidence?.redactions).toEqual({ password: 1, private: 1 })
  const corner = await d.call('gui_screenshot', { region: { x: 1200, y: 780, width: 10, height: 10 } })
  expect(corner.evidence?.redactions).toBeUndefined()
  await d.session.close()
})

test('the policy says what counts as private, alike in trees, pictures, the record and what is kept', async () => {
  const labels = ['ada@example.org', 'Badge B-1234', 'Card 4111 1111 1111 1111'].map((text, i) =>
    element('label', text, { element_id: `l${i}` }),
  )
  const redact = '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 900\nobligations = { redact = true }\n'
  const seen = async (policy: string): Promise<{ words: string; areas?: number; record: string }> => {
    const d = await desk({
      ui: [window('Staff', [...labels, element('button', 'File for B-1234', { element_id: 'file' })])],
      policy: redact + policy,
    })
    const { text, data } = await d.call('ui.snapshot', { all: true, includeTree: true, includeTextIndex: true })
    await d.call('ui.click', { target: 'role=button' })
    const { evidence } = await d.call('gui_screenshot')
    const record = JSON.stringify(await d.journal())
    await d.session.close()
    return { words: JSON.stringify([text, data]), areas: evidence?.redactions?.['private'], record }
  }
  const usual = await seen('')
  expect(usual.words).toMatch(/\[email\].*B-1234.*\[card\]/)
  expect(usual).toMatchObject({ areas: 2, record: expect.stringContaining('B-1234') })
  const own = await seen('[private]\nkinds = ["card"]\nown = { badge = "B-\\\\d{4}" }\n')
  expect(own.words).toMatch(/ada@example.org.*\[badge\].*\[card\]/)
  expect(own.words + own.record).not.toMatch(/B-1234|4111 1111/)
  expect(own).toMatchObject({ areas: 3, record: expect.stringContaining('[badge]') })
})
