import type { Rect } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })
const soon = { timeout: 20_000, interval: 100 }

interface Row {
  elementId: string
  role: string
  name: string
  bounds: Rect
  states?: { visible?: boolean }
}

describeDesktop('rows of a list that shows a part of them', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ size: { width: 1200, height: 900 } })
  })
  afterAll(() => desk.close())

  const rows = async (): Promise<Row[]> => {
    const { data } = await desk.call('ui.query', { selector: 'name^="Row "', limit: 500 })
    const all = (data as { matches: Partial<Row>[] }).matches
    return all.filter((m): m is Row => m.bounds !== undefined && m.states?.visible !== false && /cell|item/.test(m.role ?? ''))
  }
  const lowest = async (): Promise<Row | undefined> => (await rows()).toSorted((a, b) => b.bounds.y - a.bounds.y)[0]
  /** The lowest row once nothing moves any more. */
  const settled = async (): Promise<Row> => {
    await expect
      .poll(async () => {
        const before = JSON.stringify(await lowest())
        await new Promise((done) => setTimeout(done, 300))
        return before !== undefined && before === JSON.stringify(await lowest())
      }, soon)
      .toBe(true)
    return (await lowest()) as Row
  }

  test.each([
    { toolkit: 'GTK 3', file: 'rows_gtk3.py' },
    { toolkit: 'GTK 4', file: 'rows_gtk4.py' },
    { toolkit: 'Qt, as a list', file: 'rows_qt5.py', kind: 'list' },
    { toolkit: 'Qt, as a table with headers', file: 'rows_qt5.py', kind: 'table' },
  ])('a click on the one at the lower edge chooses it, however little of it shows: $toolkit', async ({ file, kind }) => {
    const said = listen(desk.sandbox, PYTHON, [fixture(file), ...(kind === undefined ? [] : [kind])])
    await shown(desk.driver, 'Rows')
    for (const h of [264, 280, 284, 288]) {
      await desk.call('ui.window', { op: 'resize', bounds: { w: 400, h } })
      const name = await clickLowest(h)
      await expect.poll(() => said().at(-1), { ...soon, message: `at ${h}` }).toBe(name)
    }
    if (kind === 'table') {
      // Rows that are scrolled beneath the header claim its place.
      const { data } = await desk.call('ui.query', { selector: 'role=columnheader' })
      const [header] = (data as { matches: { bounds: Rect }[] }).matches
      const { x = 0, y = 0, w = 0, h = 0 } = header?.bounds ?? {}
      const clicked = await desk.call('ui.click_xy', { x: x + w / 2, y: y + h / 2 })
      expect(clicked.resolvedTarget).toMatchObject({ role: 'columnheader' })
    }
    await end()
  })

  test('what is not loaded of a long one is told: in the outline, and where a row was not found', async () => {
    listen(desk.sandbox, PYTHON, [fixture('rows_qt5.py'), 'table', '3000'])
    await shown(desk.driver, 'Rows')
    await expect
      .poll(async () => (await desk.call('ui.snapshot')).text, soon)
      .toMatch(/… 29\d\d more rows are not loaded; query one by its name, or scroll/)
    const { error } = await desk.call('ui.click', { target: 'name="Row 9999"', timeoutMs: 0 })
    expect(error).toMatchObject({ code: 'NOT_FOUND' })
    expect(error?.message).toMatch(/29\d\d more rows of table are not loaded: name one by what it says, or scroll it and look again/)
    await end()
  })

  test('the icons of PCManFM-Qt are told where they are, and a click on one chooses it', async () => {
    await desk.show('share', 'pcmanfm-qt', ['/usr/share'])
    const icons = async (): Promise<Row[]> => {
      const { data } = await desk.call('ui.query', { selector: 'role=listitem && visible=true', limit: 500 })
      return (data as { matches: Row[] }).matches.filter((m) => m.bounds !== undefined && m.bounds.h > 50)
    }
    await expect.poll(async () => (await icons()).length, soon).toBeGreaterThan(10)
    const [icon] = await icons()
    const clicked = await desk.call('ui.click', { target: { elementId: icon?.elementId } })
    expect(clicked, JSON.stringify(clicked.error)).toMatchObject({ status: 'success' })
    await expect
      .poll(async () => (await desk.call('ui.query', { selector: 'role=listitem && selected=true' })).text, soon)
      .toContain(icon?.name)
    await end()
  })

  /** The name of the row that was clicked. A list may follow its window late: a row that left the view meanwhile is refused, and the next one looked for. */
  async function clickLowest(h: number): Promise<string> {
    for (let tries = 3; ; tries--) {
      const { elementId, name } = await settled()
      const clicked = await desk.call('ui.click', { target: { elementId } })
      if (tries > 1 && clicked.error?.code === 'NOT_ACTIONABLE' && clicked.sent === 'none') continue
      expect(clicked, `${name} at ${h}: ${JSON.stringify(clicked.error)}`).toMatchObject({ status: 'success' })
      return name
    }
  }

  async function end(): Promise<void> {
    const pids = ((await desk.call('desktop.list')).data as { applications: { pid: number }[] }).applications.map((a) => a.pid)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect((await desk.call('desktop.list')).data).toMatchObject({ applications: [] }), soon)
  }
})
