import type { ElementNode } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { mustAgree } from '../support/agree.ts'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SCREEN = { x: 0, y: 0, w: 1280, h: 800 }

describeDesktop('pages of Qt', () => {
  let desk: RealDesk
  let said: () => string[]
  beforeAll(async () => {
    desk = await realDesk({ size: { width: SCREEN.w, height: SCREEN.h } })
    said = listen(desk.sandbox, PYTHON, [fixture('pages_qt5.py')])
    await shown(desk.driver, 'Pages')
  })
  afterAll(() => desk.close())

  const tree = async (): Promise<ElementNode> =>
    ((await desk.call('ui.snapshot', { scope: 'desktop', includeTree: true })).data as { tree: ElementNode }).tree
  const agrees = (when: string): Promise<void> => mustAgree({ tree, run: desk.ask, screen: SCREEN }, when)
  const click = async (target: string): Promise<void> => {
    const { status, error } = await desk.call('ui.click', { target })
    expect(status, error?.message).toBe('success')
  }

  test('that are not shown hide what is in them, which lies over nothing', async () => {
    const { data } = await desk.call('ui.query', { selector: '(name="Entry 3" || name="Bare 2") && visible=true' })
    expect(data).toMatchObject({ count: 0 })
    await click('role=columnheader && name="Count"')
    await expect.poll(said).toEqual(['section 1'])
  })

  test('that are tables themselves show what is in them, and hide it, as they come and go', async () => {
    await agrees('with another page shown')
    await click('role=tab && name="Bare"')
    await click('role=cell && name="Bare 2"')
    await agrees('with the table shown')
    await click('role=tab && name="Table"')
    await agrees('with another page shown again')
  })

  test('have everything in its place when it moves along out of view', async () => {
    await click('role=tab && name="Entries"')
    await agrees('with the entries shown')
    await click('role=button && name="Hide"')
    await agrees('with an entry hidden')
    await click('role=tab && name="Buttons"')
    await agrees('with the buttons shown')
    await click('role=button && name="Scroll"')
    await agrees('with the buttons scrolled')
  })
})
