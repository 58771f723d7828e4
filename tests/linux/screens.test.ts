import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Rect, Result } from '@deskhand/core/model'
import { within } from '@deskhand/core/driver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AGENT } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON, shown, start } from '../support/linux.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const soon = { timeout: 20_000, interval: 200 }

/** Where the X server has the contents of a window, as xwininfo tells. */
function place(desk: RealDesk, title: string): Rect {
  const told = desk.ask('xwininfo', '-name', title)
  const number = (name: RegExp): number => Number(name.exec(told)?.[1])
  const [x, y] = [number(/Absolute upper-left X: +(-?\d+)/), number(/Absolute upper-left Y: +(-?\d+)/)]
  return { x, y, w: number(/Width: (\d+)/), h: number(/Height: (\d+)/) }
}

const windowOf = async (desk: RealDesk, title: string): Promise<{ key: string; bounds: Rect | undefined }> => {
  const { nodes } = await desk.driver.observe.read({}, within(10_000))
  const { key = '', bounds } = nodes.find((n) => n.parent === undefined && n.name === title) ?? {}
  return { key, bounds }
}

const boundsOf = async (desk: RealDesk, selector: string): Promise<Rect | undefined> =>
  ((await desk.call('ui.query', { selector })).data as { matches: { bounds?: Rect }[] }).matches[0]?.bounds

describeDesktop('two monitors side by side', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ size: { width: 1600, height: 700 } })
    desk.ask('xrandr', '--setmonitor', 'left', '800/200x700/150+0+0', 'screen')
    desk.ask('xrandr', '--setmonitor', 'right', '800/200x500/150+800+0', 'none')
    for (const [title, x] of [
      ['Left', 100],
      ['Right', 950],
      ['Between', 700],
    ] as const) {
      await desk.show(title, 'zenity', ['--entry', '--title', title, '--text', `What is ${title}?`])
      desk.ask('xdotool', 'search', '--name', `^${title}$`, 'windowmove', '--sync', String(x), title === 'Between' ? '320' : '80')
    }
  })
  afterAll(() => desk.close())

  test('both are told as xrandr tells them', async () => {
    const screens = await desk.driver.observe.screens(within(5_000))
    expect(screens.map((s) => s.bounds)).toEqual([
      { x: 0, y: 0, w: 800, h: 700 },
      { x: 800, y: 0, w: 800, h: 500 },
    ])
  })

  test.each(['Left', 'Right', 'Between'])('a window is where the X server has it, and so is what it shows: %s', async (title) => {
    await expect.poll(async () => (await windowOf(desk, title)).bounds, soon).toEqual(place(desk, title))
    const { key, bounds } = await windowOf(desk, title)
    const at = { x: (bounds?.x ?? 0) + 6, y: (bounds?.y ?? 0) + 6 }
    expect((await desk.driver.observe.hit(at, within(5_000))).window).toBe(key)
    await desk.call('ui.window', { target: `role=dialog && name="${title}" ?? role=window && name="${title}"`, op: 'activate' })
    const field = `app=zenity && window="${title}" && role=textbox`
    expect(await desk.call('ui.type', { target: field, text: `on ${title}`, mode: 'replace' })).toMatchObject({ effect: 'confirmed' })
    const typed = await boundsOf(desk, field)
    const clicked = await desk.call('ui.click_xy', { x: (typed?.x ?? 0) + 20, y: (typed?.y ?? 0) + 10 })
    expect(clicked, JSON.stringify(clicked.error)).toMatchObject({ status: 'success', resolvedTarget: { role: 'textbox' } })
  })

  const capture = (args: object): Promise<Result> => desk.session.call({ tool: 'ui.capture', kind: 'capture', args, principal: AGENT })

  test('pictures of a part of either, and of both, are those that maim takes', async () => {
    for (const rect of [
      { x: 790, y: 300, w: 40, h: 60 },
      { x: 1000, y: 90, w: 120, h: 80 },
      { x: 0, y: 0, w: 1600, h: 700 },
    ]) {
      const { x, y, w, h } = rect
      const compared = async (): Promise<string> => {
        const { images: [image] = [] } = await capture({ region: rect })
        expect(image).toMatchObject({ width: w, height: h })
        return desk.ask(PYTHON, '-c', COMPARE, `${w}x${h}+${x}+${y}`, Buffer.from(image?.data ?? '').toString('base64')).trim()
      }
      // GTK fades the ring around what has the focus.
      await expect.poll(compared, { timeout: 10_000 }).toBe('same')
    }
  })

  test('a point beside the shorter one is refused', async () => {
    expect((await desk.call('ui.click_xy', { x: 1200, y: 600 })).error?.code).toBe('BAD_ARGS')
  })
})

/** Compares a picture with what maim sees of the same part of the screen. */
const COMPARE = `
import base64, io, subprocess, sys
from PIL import Image, ImageChops
ours = Image.open(io.BytesIO(base64.b64decode(sys.argv[2]))).convert("RGB")
theirs = Image.open(io.BytesIO(subprocess.check_output(["maim", "-u", "-g", sys.argv[1]]))).convert("RGB")
print("same" if ours.size == theirs.size and ImageChops.difference(ours, theirs).getbbox() is None else "different")
`

describeDesktop('a window that lies partly outside the screen', () => {
  test('is told where it is, what is in view is hit and operated, and what is not is refused', async () => {
    const desk = await realDesk({ size: { width: 1000, height: 600 } })
    try {
      await desk.show('Contract', PYTHON, [fixture('contract_gtk3.py')])
      const title = (await desk.driver.observe.read({}, within(5_000))).nodes.find((n) => n.parent === undefined)?.name ?? ''
      desk.ask('xdotool', 'search', '--name', `^${title}$`, 'windowmove', '--', '-60', '350')
      await expect.poll(async () => (await windowOf(desk, title)).bounds, soon).toEqual(place(desk, title))
      expect((await windowOf(desk, title)).bounds?.x).toBeLessThan(0)
      expect(await desk.driver.observe.hit({ x: -20, y: 400 }, within(5_000))).toEqual({})
      const { bounds } = await windowOf(desk, title)
      const { window } = await desk.driver.observe.hit({ x: 5, y: (bounds?.y ?? 0) + 10 }, within(5_000))
      expect(window).toBe((await windowOf(desk, title)).key)
      const shot = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: { target: 'role=window' }, principal: AGENT })
      expect(shot.images?.[0]?.width).toBeLessThan(bounds?.w ?? 0)
    } finally {
      await desk.close()
    }
  })

  test.each([
    { toolkit: 'GTK 3', file: 'contract_gtk3.py' },
    { toolkit: 'GTK 4', file: 'contract_gtk4.py' },
    { toolkit: 'Qt', file: 'contract_qt5.py' },
  ])(
    'tells what lies beyond the edge as being there, and takes it for operable only when it is on the screen: $toolkit',
    async ({ file }) => {
      const desk = await realDesk({ size: { width: 1000, height: 600 } })
      const outline = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''
      const press = (): Promise<Result> => desk.call('ui.click', { target: 'role=checkbox && name="Accept"', timeoutMs: 2_000 })
      const move = (y: number): void => void desk.ask('xdotool', 'search', '--name', '^Contract$', 'windowmove', '--', '40', String(y))
      try {
        await desk.show('Contract', PYTHON, [fixture(file)])
        move(560)
        await expect.poll(outline, soon).toMatch(/checkbox "Accept" off screen/)
        const { y, h } = place(desk, 'Contract')
        expect(y + h).toBeGreaterThan(600)
        for (const { role, bounds, states, attributes } of (await desk.driver.observe.read({}, within(10_000))).nodes)
          if (role !== 'window' && bounds !== undefined && bounds.y >= 600) {
            expect([role, bounds, attributes?.['offScreen'], states?.visible]).toEqual([role, bounds, true, false])
            expect(await desk.driver.observe.hit({ x: bounds.x + 1, y: bounds.y + 1 }, within(5_000))).toEqual({})
          }
        expect((await press()).error).toMatchObject({ code: 'NOT_ACTIONABLE', next: expect.stringContaining('ui.window') })
        expect(
          (await desk.call('ui.window', { target: 'role=window && name="Contract"', op: 'move', bounds: { x: 40, y: 20 } })).error,
        ).toBe(undefined)
        await expect.poll(outline, soon).not.toContain('off screen')
        expect(await press()).toMatchObject({ status: 'success', effect: 'confirmed' })
        expect(await outline()).toMatch(/checkbox "Accept"[^\n]* checked/)
      } finally {
        await desk.close()
      }
    },
  )
})

describeDesktop('at 192 dpi', () => {
  let desk: RealDesk
  const profile = mkdtempSync(join(tmpdir(), 'dh-dpi-'))
  beforeAll(async () => {
    desk = await realDesk({ size: { width: 1600, height: 1000 } })
  })
  afterAll(async () => {
    await desk.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })

  const page = pathToFileURL(fixture('pages/canvas.html')).href
  const flags = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', `--user-data-dir=${profile}`]
  const zoomed = [...flags, '--force-device-scale-factor=2', page]
  // A button in a page and one beside it, which Chromium counts in different pixels.
  test.each([
    {
      toolkit: 'GTK 3',
      command: PYTHON,
      args: [fixture('drawn_gtk3.py')],
      env: { GDK_SCALE: '2' },
      title: 'Map',
      button: 'Hide',
      after: /^(?![^]*unread area)/,
    },
    {
      toolkit: 'GTK 4',
      command: PYTHON,
      args: [fixture('states_gtk4.py')],
      env: { GDK_SCALE: '2', GSK_RENDERER: 'cairo' },
      title: 'States',
      button: 'Italic',
      after: /"Italic".* pressed/,
    },
    {
      toolkit: 'Qt',
      command: PYTHON,
      args: [fixture('drawn_qt5.py')],
      env: { QT_SCALE_FACTOR: '2' },
      title: 'Board',
      button: 'New game',
      after: /window "Board again"/,
    },
    {
      toolkit: 'Qt at 144 dpi',
      command: PYTHON,
      args: [fixture('drawn_qt5.py')],
      env: { QT_SCALE_FACTOR: '1.5' },
      title: 'Board',
      button: 'New game',
      after: /window "Board again"/,
    },
    {
      toolkit: 'Chromium, in its page',
      command: 'chromium',
      args: zoomed,
      env: {},
      title: 'Chart',
      button: 'Remove',
      after: /^(?![^]*unread area)/,
    },
    {
      toolkit: 'Chromium, beside its page',
      command: 'chromium',
      args: zoomed,
      env: {},
      title: 'Chart',
      button: 'New Tab',
      after: /window "New Tab/,
    },
  ])('a click at the place that is told reaches the element: $toolkit', async ({ command, args, env, title, button, after }) => {
    const child = start(desk.sandbox, command, args, env as Record<string, string>)
    try {
      await shown(desk.driver, title)
      const outline = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''
      await expect.poll(outline, soon).toContain(`"${button}"`)
      await expect.poll(outline, soon).not.toMatch(after)
      const at = async (): Promise<Rect | undefined> => boundsOf(desk, `role=button && name="${button}"`)
      // A window that comes up is moved and drawn for a while.
      await expect.poll(async () => JSON.stringify(await at()) === (await settled(at)), soon).toBe(true)
      const { x, y, w, h } = (await at()) ?? { x: 0, y: 0, w: 0, h: 0 }
      const middle = [x + w / 2, y + h / 2].map((at) => String(Math.round(at)))
      // A window that has only just come up may not heed a click.
      const pressed = async (): Promise<string> => {
        const told = await outline()
        if (!after.test(told)) desk.ask('xdotool', 'mousemove', ...middle, 'click', '1')
        return `${told}\n${desk.ask('xdotool', 'getactivewindow', 'getwindowname')}`
      }
      await expect.poll(pressed, { timeout: 30_000, interval: 2_000 }).toMatch(after)
    } finally {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await expect.poll(async () => (await desk.driver.observe.read({}, within(5_000))).nodes.length, soon).toBe(0)
    }
  })
})

async function settled(at: () => Promise<Rect | undefined>): Promise<string> {
  await new Promise((done) => setTimeout(done, 400))
  return JSON.stringify(await at())
}
