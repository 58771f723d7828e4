import { expect, test } from 'vitest'
import type { ElementNode } from '@deskhand/core/model'
import { desk, element, window } from '../support/desk.ts'

const DENIED =
  '[[rule]]\ntoolName = ["ui.describe", "ui.snapshot", "ui.capture"]\ndecision = "deny"\npriority = 900\nwhen = { name = "Salary" }\n'
/** The first that this matches is hidden, and no caller may look at it; the second shows. */
const EITHER = 'role=label && (name="Salary" || name="Greeting")'
const ui = {
  windows: [window('Staff', [{ ...element('label', 'Salary', { value: '9999' }), is_visible: false }, element('label', 'Greeting')])],
}

test('what is looked at is what was judged, and not another thing that the selector matches as well', async () => {
  const d = await desk({ ui, policy: DENIED })
  expect((await d.call('ui.describe', { element: 'name="Salary"' })).error?.code).toBe('DENIED')
  const { data, error } = await d.call('ui.describe', { element: EITHER })
  expect(error).toBeUndefined()
  expect((data as ElementNode).name).toBe('Greeting')
  const shown = await d.call('ui.snapshot', { root: EITHER, all: true })
  expect(shown.text).not.toContain('Salary')
  const place = d.driver.boundsOf('label_greeting')?.element
  expect(await d.call('input.capture', { target: EITHER })).toMatchObject({ data: { origin: { x: place?.x, y: place?.y } } })
  await d.session.close()
})
