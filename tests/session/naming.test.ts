import { expect, test } from 'vitest'
import { desk, element, window } from '../support/desk.ts'

const ui = [window('Form', [element('group', 'Box', { children: [element('button', 'Next')] })])]

async function seen(): Promise<{ d: Awaited<ReturnType<typeof desk>>; elementId: string; snapshotId: string }> {
  const d = await desk({ ui })
  const { data } = await d.call('ui.snapshot')
  const found = await d.call('ui.query', { selector: 'name="Next"' })
  const [first] = (found.data as { matches: { elementId: string }[] }).matches
  return { d, elementId: first?.elementId ?? '', snapshotId: (data as { snapshotId: string }).snapshotId }
}

test('an element is named by an elementRef with the snapshot that showed it', async () => {
  const { d, elementId, snapshotId } = await seen()
  expect(await d.call('ui.click', { target: { elementRef: { snapshotId, elementId } } })).toMatchObject({ status: 'success' })
  expect(await d.call('ui.click', { target: { snapshotId, elementId } })).toMatchObject({ status: 'success' })
  await d.session.close()
})

test('an invented snapshot is refused', async () => {
  const { d, elementId } = await seen()
  const clicked = await d.call('ui.click', { target: { elementRef: { snapshotId: 's999', elementId } } })
  expect(clicked).toMatchObject({ sent: 'none', error: { code: 'STALE_REF' } })
  await d.session.close()
})

test('a tree that is cut at a depth does not call itself complete', async () => {
  const { d } = await seen()
  const cut = await d.call('ui.snapshot', { includeTree: true, maxDepth: 2 })
  expect(cut.data).toMatchObject({ completeness: { complete: false, reasons: [{ kind: 'truncated' }] } })
  expect((await d.call('ui.snapshot', { includeTree: true, maxDepth: 3 })).data).toMatchObject({ completeness: { complete: true } })
  await d.session.close()
})

test.each([{ uiState: {} }, { uiState: { enabled: true } }, { not: { window: { appeared: true } } }])(
  'a condition that can never hold without an action is refused at once: %j',
  async (until) => {
    const { d } = await seen()
    expect((await d.call('ui.wait', { until })).error?.code).toBe('BAD_ARGS')
    expect((await d.call('ui.assert', { condition: until })).error?.code).toBe('BAD_ARGS')
    await d.session.close()
  },
)
