import { type Frame, within } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { programEnvironment } from '../../packages/deskhand/src/desktop/environment.ts'
import { AGENT } from '../support/desk.ts'
import { describeWayland } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON } from '../support/linux.ts'
import { seenIn, toldRed } from '../support/red-area.ts'

const soon = { timeout: 30_000, interval: 100 }

describeWayland('places under Wayland', { timeout: 120_000 }, () => {
  describe.each([1, 1.5])('at scale %d', (scale) => {
    let desk: RealDesk
    beforeAll(async () => {
      desk = await realDesk({ display: 'wayland', size: { width: 1280, height: 900 } })
      desk.ask('swaymsg', '-s', desk.sandbox.env['DESKHAND_SWAYSOCK'] ?? '', 'output', 'HEADLESS-1', 'scale', String(scale))
      await vi.waitFor(async () => expect((await desk.driver.observe.screens(within(10_000)))[0]?.scale).toBeCloseTo(scale, 1), soon)
    }, 60_000)
    afterAll(() => desk?.close(), 60_000)

    test.each(['gtk3', 'gtk4', 'qt5', 'qt6'])(
      'what %s tells of an element is where its pixels are and where clicks arrive',
      async (toolkit) => {
        const heard = listen({ env: programEnvironment(desk.sandbox.env) }, PYTHON, [fixture('red.py'), toolkit])
        const picture = async (): Promise<Frame> => {
          const { data } = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, principal: AGENT })
          return data as Frame
        }
        let told: Rect = { x: 0, y: 0, w: 0, h: 0 }
        // The window may still grow or move as it opens.
        const apart = async (): Promise<number> => distance((told = await toldRed(desk.call)), seenIn(await picture(), 'red'))
        await expect.poll(apart, soon).toBeLessThanOrEqual(1)
        const [dx, dy] = [150, 30]
        const { error } = await desk.call('gui_click', { x: Math.round(told.x) + dx, y: Math.round(told.y) + dy })
        expect(error).toBeUndefined()
        await expect.poll(heard, soon).toHaveLength(1)
        const [, x, y] = heard()[0]!.split(' ').map(Number)
        expect(
          [Math.abs(x! - dx), Math.abs(y! - dy)].every((off) => off <= 1),
          heard()[0],
        ).toBe(true)
        await expect.poll(async () => distance(told, seenIn(await picture(), 'green')), soon).toBeLessThanOrEqual(1)
        await desk.call('ui.window', { target: 'role=window && name="Red"', op: 'close' })
        await expect.poll(async () => seenIn(await picture(), 'green'), soon).toBeUndefined()
      },
    )
  })
})

/** How far two areas are apart at the edge that differs most. */
function distance(one: Rect, other: Rect | undefined): number {
  if (other === undefined) return Infinity
  const edges = ({ x, y, w, h }: Rect): number[] => [x, y, x + w, y + h]
  return Math.max(...edges(one).map((edge, i) => Math.abs(edge - edges(other)[i]!)))
}
