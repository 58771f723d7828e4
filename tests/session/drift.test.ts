import { expect, test } from 'vitest'
import { desk, element, window, type TestDesk } from '../support/desk.ts'

const ASKS = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { risk = ["medium", "high"] }\n'

const ui = [window('Form', [element('button', 'Next', { bounds_relative: [0, 0, 0.1, 0.1] })])]

/** A desktop on which the agent has seen the button, and then its window has moved. */
async function moved(by: number): Promise<{ d: TestDesk; id: string }> {
  const d = await desk({ ui, policy: ASKS, ports: { approver: undefined } })
  await d.session.call({ tool: 'ui.window', kind: 'window', args: { op: 'move', bounds: { x: 0, y: 100 } }, principal: PERSON })
  const { data } = await d.call('ui.query', { selector: 'name="Next"' })
  const id = (data as { matches: { elementId: string }[] }).matches[0]?.elementId ?? ''
  await d.session.call({ tool: 'ui.window', kind: 'window', args: { op: 'move', bounds: { x: by, y: 100 } }, principal: PERSON })
  return { d, id }
}
const PERSON = { id: 'person', role: 'operator' } as const

test('what stands where the agent saw it is certain', async () => {
  const { d, id } = await moved(0)
  const clicked = await d.call('ui.click', { target: id })
  expect(clicked).toMatchObject({ status: 'success', resolvedTarget: { confidence: 1 }, risk: { level: 'low' } })
  await d.session.close()
})

test('what has moved since the agent saw it is less certain and riskier, until an answer shows it anew', async () => {
  const { d, id } = await moved(60)
  const clicked = await d.call('ui.click', { target: id })
  expect(clicked).toMatchObject({ status: 'success', resolvedTarget: { confidence: 0.7 } })
  expect(clicked.risk?.factors.map((f) => f.id)).toEqual(expect.arrayContaining(['drift', 'confidence.low']))
  expect(await d.call('ui.click', { target: id })).toMatchObject({ resolvedTarget: { confidence: 1 } })
  await d.session.close()
})

test('what is far from where the agent saw it asks where medium risk asks; a refusal does not count as a look', async () => {
  const { d, id } = await moved(300)
  for (let tries = 0; tries < 2; tries++) expect((await d.call('ui.click', { target: id })).error?.code).toBe('APPROVAL_NEEDED')
  await d.call('ui.snapshot')
  expect(await d.call('ui.click', { target: id })).toMatchObject({ status: 'success', resolvedTarget: { confidence: 1 } })
  await d.session.close()
})

test('a point is meant where it is, whatever lies under it now', async () => {
  const { d } = await moved(300)
  const at = d.driver.boundsOf('button_next')?.element
  const clicked = await d.call('ui.click_xy', { x: (at?.x ?? 0) + 5, y: (at?.y ?? 0) + 5 })
  expect(clicked.risk?.factors.map((f) => f.id)).not.toContain('drift.far')
  await d.session.close()
})
