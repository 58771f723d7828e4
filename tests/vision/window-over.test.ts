import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

describeDesktop('a window over an area of the same program that is read from pixels', () => {
  const vision = new Vision({ images: [] })
  let d: RealDesk

  beforeAll(async () => {
    d = await realDesk({ size: { width: 1000, height: 700 }, vision })
    await d.show('Over', PYTHON, [fixture('over_gtk3.py')])
  })
  afterAll(async () => {
    await d.close()
    await vision.close()
  })

  test('is told once, by its elements', async () => {
    await d.call('ui.wait', { until: { text: 'Drawn heading' }, timeoutMs: 60_000 })
    const { text = '' } = await d.call('ui.snapshot', { scope: 'desktop' })
    expect(text.match(/seen .*/g)).toEqual(['seen label "Drawn heading"'])
    expect(text.match(/"Order now"/g)).toHaveLength(1)
    expect(await d.call('ui.click', { target: 'name="Order now"' })).toMatchObject({ status: 'success' })
  })

  test('hides what was read before, which is not gone by that', async () => {
    const target = 'role=window && has(name="Order now")'
    const at = (await d.call('ui.query', { selector: 'text="Drawn heading"' })).data as { matches: { bounds: Rect }[] }
    const { x, y } = at.matches[0]!.bounds
    const moved = await d.call('ui.window', { op: 'move', target, bounds: { x: x - 20, y: y - 40 } })
    expect(moved, moved.error?.message).toMatchObject({ status: 'success' })
    const { text = '' } = await d.call('ui.snapshot', { scope: 'desktop' })
    expect(text.match(/seen .*/g)).toEqual(['seen label "Drawn heading"'])
  })
})
