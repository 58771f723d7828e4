import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Rect, Result } from '@deskhand/core/model'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown, start } from '../support/linux.ts'

interface Area {
  elementId: string
  bounds: Rect
}

/** On a busy machine a spreadsheet takes its time. */
const soon = { timeout: 60_000, interval: 200 }

describeDesktop('what is drawn and in no tree', { timeout: 180_000 }, () => {
  let desk: RealDesk
  const profile = mkdtempSync(join(tmpdir(), 'dh-unread-'))
  beforeAll(async () => {
    desk = await realDesk({ size: { width: 1280, height: 900 } })
  }, 60_000)
  afterAll(async () => {
    await desk.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }, 60_000)

  const page = (name: string): string[] => [
    ...['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', `--user-data-dir=${profile}`],
    pathToFileURL(fixture(`pages/${name}.html`)).href,
  ]
  const outline = async (): Promise<string> => (await desk.call('ui.snapshot', { budget: 20_000 })).text ?? ''
  const areas = async (): Promise<Area[]> => {
    const { data } = await desk.call('ui.query', { selector: 'attr.unread=area', limit: 20 })
    return (data as { matches: Area[] }).matches
  }
  const area = async (): Promise<Area> => {
    await expect.poll(async () => (await areas()).length, soon).toBe(1)
    return (await areas())[0] as Area
  }
  const end = async (): Promise<void> => {
    const { data } = await desk.call('desktop.list')
    for (const { pid } of (data as { applications: { pid: number }[] }).applications) process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect((await desk.call('desktop.list')).data).toMatchObject({ applications: [] }), soon)
  }
  const mustBeUnread = ({ status, risk, resolvedTarget, error }: Result): void => {
    expect({ status, error }).toMatchObject({ status: 'success' })
    expect(risk?.factors.map((f) => f.id)).toContain('source.unread')
    expect(resolvedTarget).toMatchObject({ role: 'canvas' })
  }

  describe('the canvas of a page', () => {
    beforeAll(async () => {
      await desk.show('Chart', 'chromium', page('canvas'))
      // Until its elements are told, all of the page is an unread area.
      await vi.waitFor(async () => expect((await areas()).map(({ bounds }) => bounds.w)).toEqual([400]), soon)
      await vi.waitFor(async () => expect(await outline()).toMatch(/button "Remove"/), soon)
    }, 120_000)
    afterAll(() => end())

    test('is a line of its own, and a snapshot with it does not call itself complete', async () => {
      await expect.poll(async () => (await area()).bounds.h, soon).toBeLessThan(210)
      const { bounds, elementId } = await area()
      const text = await outline()
      expect(text).toMatch(/^snapshot \w+\nincomplete.*drawn.* of 400x20/)
      expect(text).toContain(
        `${elementId} unread area app "Chromium" at ${bounds.x},${bounds.y} ${bounds.w}x${bounds.h}: no tree, so take a picture; keys and click_xy reach it`,
      )
    })

    test('is clicked by pixel and by its id, at the risk of not knowing, and what the page makes of it is seen', async () => {
      const { bounds, elementId } = await area()
      mustBeUnread(await desk.call('ui.click_xy', { x: bounds.x + 60, y: bounds.y + 160 }))
      await expect.poll(outline, soon).toContain('bar 1')
      mustBeUnread(await desk.call('ui.click', { target: { elementId } }))
      await expect.poll(outline, soon).toContain('bar 4')
    })

    test('gets keys, which are judged as going where nobody knows', async () => {
      const { elementId } = await area()
      mustBeUnread(await desk.call('ui.key', { target: { elementId }, keys: 'x' }))
      await expect.poll(outline, soon).toContain('key x')
    })

    test('does not make it unknown which elements there are', async () => {
      await area()
      const absent = await desk.call('ui.assert', { condition: { uiState: { target: 'role=button && name="Nowhere"', present: false } } })
      expect(absent).toMatchObject({ status: 'success' })
      expect((await desk.call('ui.assert', { condition: { text: { contains: 'no such words', present: false } } })).status).not.toBe(
        'success',
      )
    })

    test('is gone when the page removes it, and then the snapshot is complete', async () => {
      await desk.call('ui.click', { target: 'role=button && name="Remove"' })
      await expect.poll(areas, soon).toEqual([])
      await expect.poll(outline, soon).not.toContain('incomplete')
    })
  })

  describe('of other programs', () => {
    afterEach(() => end())

    test.each([
      { toolkit: 'GTK 3', title: 'Map', file: 'drawn_gtk3.py' },
      { toolkit: 'Qt', title: 'Board', file: 'drawn_qt5.py' },
    ])('what a program of $toolkit draws itself is told, and a click on it arrives', async ({ title, file }) => {
      const said = listen(desk.sandbox, PYTHON, [fixture(file)])
      await shown(desk.driver, title)
      const { bounds, elementId } = await area()
      mustBeUnread(await desk.call('ui.click_xy', { x: bounds.x + 40, y: bounds.y + 50 }))
      await expect.poll(said, soon).toContainEqual(expect.stringMatching(/^pressed 4[01] 5[01]$/))
      mustBeUnread(await desk.call('ui.click', { target: { elementId } }))
      await expect.poll(() => said().length, soon).toBe(2)
      if (title === 'Map') {
        await desk.call('ui.click', { target: 'role=button && name="Hide"' })
        await expect.poll(areas, soon).toEqual([])
        await desk.call('ui.click', { target: 'role=button && name="Hide"' })
        await area()
        await desk.call('ui.click', { target: 'role=button && name="Wipe"' })
        await expect.poll(areas, soon).toEqual([])
      }
    })

    test('the calendar of GTK 3, which tells no date, is told as something to look at, and a day in it is clicked', async () => {
      const said = listen(desk.sandbox, PYTHON, [fixture('calendar_gtk3.py')])
      await shown(desk.driver, 'Calendar')
      const { bounds } = await area()
      expect(await outline()).toMatch(/unread area app "calendar_gtk3.py"/)
      mustBeUnread(await desk.call('ui.click_xy', { x: bounds.x + bounds.w / 2, y: bounds.y + bounds.h / 2 }))
      await expect.poll(said, soon).toContainEqual(expect.stringMatching(/^day \d+$/))
    })

    test('the icon view of Thunar, whose icons are in no tree, is told', async () => {
      await desk.show('share', 'thunar', ['/usr/share'])
      await area()
      await expect.poll(outline, soon).toMatch(/panel "Icon view"\n\s+e\d+ unread area app "thunar"/)
    })

    test.each([
      { title: 'Mousepad', command: 'mousepad', args: [fixture('drawn_gtk3.py')] },
      { title: 'gtk3-widget-factory', command: 'gtk3-widget-factory', args: [] },
      { title: 'Calculator', command: 'gnome-calculator', args: [] },
      { title: 'KCalc', command: 'kcalc', args: [] },
      { title: 'Widgets', command: PYTHON, args: [fixture('widgets_qt5.py')] },
      { title: 'Register', command: PYTHON, args: [fixture('register_gtk4.py')] },
      { title: 'Order form', command: 'chromium', args: 'form' },
    ])('nothing is told of $title, whose elements cover what it shows', async ({ title, command, args }) => {
      start(desk.sandbox, command, typeof args === 'string' ? page(args) : args)
      const up = await desk.call('ui.wait', { until: { window: { titleContains: title } }, timeoutMs: 60_000 })
      expect(up).toMatchObject({ status: 'success' })
      // Something else is drawn over it and goes away again, so that all of it is looked at.
      // A pointer that rests on a button would bring up its tooltip, a popup of its own.
      desk.ask('xdotool', 'mousemove', '1270', '790')
      await desk.show('Over', 'xterm', ['-T', 'Over', '-geometry', '60x20+100+100'])
      await desk.call('desktop.close', { app: 'xterm', force: true })
      await expect.poll(outline, soon).not.toContain('incomplete')
      expect(await areas()).toEqual([])
    })
  })
})
