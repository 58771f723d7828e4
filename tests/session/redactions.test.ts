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
