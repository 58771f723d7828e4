import { type Sent, within } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { openLinux } from '@deskhand/driver-linux'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { inCorner } from '../../packages/core/src/session/human/corner.ts'
import { Display } from '@deskhand/driver-linux'
import { Pinger } from '../../packages/driver-linux/src/x11/ping.ts'
import { screensOf } from '../../packages/driver-linux/src/x11/screens.ts'
import type { TopWindow } from '../../packages/driver-linux/src/display-server.ts'
import { XWindows } from '../../packages/driver-linux/src/x11/windows.ts'
import { AGENT } from '../support/desk.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { start } from '../support/linux.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
interface Listed {
  title: string
  elementId: string
  pid: number
  executable: string
  id: string
  bounds?: Rect
  active: boolean
  z: number
  minimized: boolean
  maximized: boolean
}

describeDesktop('windows of a real desktop, checked by xprop, xwininfo and xdotool', () => {
  let desk: RealDesk
  let first: string | undefined
  beforeAll(async () => {
    desk = await realDesk()
    first = (await desk.call('ui.snapshot')).text
    await desk.show('First', 'zenity', ['--entry', '--title', 'First', '--width', '300'])
    await desk.show('Mousepad', 'mousepad')
    await desk.show('Third', 'xterm', ['-T', 'Third'])
  })
  afterAll(() => desk.close())

  const list = async (): Promise<Listed[]> => {
    const { data } = await desk.call('desktop.list')
    const { applications } = data as { applications: (Omit<Listed, 'title'> & { windows: Listed[] })[] }
    return applications.flatMap(({ windows, pid, executable, id }) => windows.map((w) => ({ ...w, pid, executable, id })))
  }
  const named = async (title: string): Promise<Listed | undefined> => (await list()).find((w) => w.title.includes(title))
  const ids = (): string[] => {
    const told = desk.ask('xprop', '-root', '-notype', '_NET_CLIENT_LIST_STACKING')
    return told.match(/0x[0-9a-f]+/g) ?? []
  }
  const idOf = (title: string): string => {
    const found = ids().find((id) => desk.ask('xprop', '-id', id, '-notype', '_NET_WM_NAME', 'WM_NAME').includes(title))
    if (found === undefined) throw new Error(`xprop knows no window ${title}`)
    return found
  }
  const place = (title: string): Rect => {
    const told = desk.ask('xwininfo', '-id', idOf(title))
    const number = (key: string): number => Number(new RegExp(`${key}: +(-?\\d+)`).exec(told)?.[1])
    return { x: number('Absolute upper-left X'), y: number('Absolute upper-left Y'), w: number('Width'), h: number('Height') }
  }
  const states = (title: string): string => desk.ask('xprop', '-id', idOf(title), '-notype', '_NET_WM_STATE')
  const operate = async (title: string, op: string, bounds?: Partial<Rect>): Promise<void> => {
    const result = await desk.call('ui.window', { target: (await named(title))?.elementId, op, bounds })
    expect(result).toMatchObject({ status: 'success', sent: 'all' })
  }
  const soon = { timeout: 15_000 }

  test('each is listed with its process, program, title, place and place in the stack', async () => {
    const all = await list()
    expect(all).toHaveLength(3)
    expect(all.toSorted((a, b) => a.z - b.z).map((w) => w.z)).toEqual([0, 1, 2])
    for (const title of ['First', 'Mousepad', 'Third']) {
      const window = all.find((w) => w.title.includes(title))
      const pid = Number(/= (\d+)/.exec(desk.ask('xprop', '-id', idOf(title), '-notype', '_NET_WM_PID'))?.[1])
      expect(window).toMatchObject({ pid, bounds: place(title), minimized: false, maximized: false, id: expect.any(String) as string })
      expect(window?.executable).toMatch(/\/(zenity|mousepad|xterm)$/)
      expect(ids()[window?.z ?? -1]).toBe(idOf(title))
    }
    expect(all.filter((w) => w.active).map((w) => w.title)).toEqual(['Third'])
  })

  test('before any window is open, a snapshot says so', () => {
    expect(first).toMatch(/^snapshot s1\nno window is open yet; start a program with desktop\.launch/)
  })

  test('the one that is activated is on top and has the keyboard, and snapshots tell its X id', async () => {
    for (const title of ['First', 'Third', 'Mousepad']) {
      await operate(title, 'activate')
      await expect.poll(() => Number(desk.ask('xdotool', 'getactivewindow')), soon).toBe(Number(idOf(title)))
      await expect.poll(async () => (await named(title))?.active, soon).toBe(true)
      expect(ids().at(-1)).toBe(idOf(title))
      expect((await named(title))?.z).toBe(2)
      expect((await desk.call('ui.snapshot')).data).toMatchObject({ activeApp: { windowHandle: idOf(title) } })
    }
  })

  test('it goes where it is told, in the size it is told, and what is listed follows', async () => {
    await operate('Mousepad', 'move', { x: 120, y: 90 })
    await expect.poll(() => place('Mousepad'), soon).toMatchObject({ x: 120, y: 90 })
    await operate('Mousepad', 'resize', { w: 500, h: 333 })
    await expect.poll(() => place('Mousepad'), soon).toEqual({ x: 120, y: 90, w: 500, h: 333 })
    await expect.poll(async () => (await named('Mousepad'))?.bounds, soon).toEqual({ x: 120, y: 90, w: 500, h: 333 })
  })

  test('it hides, comes back, fills the screen and is as before', async () => {
    await operate('Mousepad', 'minimize')
    await expect.poll(() => states('Mousepad'), soon).toContain('_NET_WM_STATE_HIDDEN')
    await expect.poll(async () => (await named('Mousepad'))?.minimized, soon).toBe(true)
    await operate('Mousepad', 'restore')
    await expect.poll(() => states('Mousepad'), soon).not.toContain('_NET_WM_STATE_HIDDEN')
    await operate('Mousepad', 'maximize')
    await expect.poll(() => states('Mousepad'), soon).toMatch(/MAXIMIZED_VERT.*MAXIMIZED_HORZ|MAXIMIZED_HORZ.*MAXIMIZED_VERT/)
    await expect.poll(async () => (await named('Mousepad'))?.maximized, soon).toBe(true)
    await expect.poll(async () => (await named('Mousepad'))?.bounds, soon).toEqual(place('Mousepad'))
    await operate('Mousepad', 'restore')
    await expect.poll(() => place('Mousepad'), soon).toMatchObject({ w: 500, h: 333 })
    await expect.poll(async () => (await named('Mousepad'))?.maximized, soon).toBe(false)
  })

  test('what filled the screen is back at the very place, and moves and changes its size like any other', async () => {
    for (const title of ['Mousepad', 'Third', 'First']) {
      await operate(title, 'move', { x: 217, y: 143 })
      await expect.poll(() => place(title), soon).toMatchObject({ x: 217, y: 143 })
      const before = place(title)
      await operate(title, 'maximize')
      await expect.poll(() => states(title), soon).toContain('MAXIMIZED_VERT')
      await operate(title, 'restore')
      await expect.poll(() => place(title), soon).toEqual(before)
      expect(states(title)).not.toContain('MAXIMIZED')

      await operate(title, 'maximize')
      await expect.poll(() => states(title), soon).toContain('MAXIMIZED_VERT')
      await operate(title, 'move', { x: 60, y: 70 })
      await expect.poll(() => place(title), soon).toMatchObject({ x: 60, y: 70, w: before.w, h: before.h })
      expect(states(title)).not.toContain('MAXIMIZED')
      await expect.poll(async () => (await named(title))?.maximized, soon).toBe(false)
    }
    await operate('Mousepad', 'maximize')
    await expect.poll(() => states('Mousepad'), soon).toContain('MAXIMIZED_VERT')
    await operate('Mousepad', 'resize', { w: 555, h: 333 })
    await expect.poll(() => place('Mousepad'), soon).toEqual({ x: 60, y: 70, w: 555, h: 333 })
  })

  test('what is in a hidden window cannot be seen until it comes back, and it comes back as large as it was', async () => {
    const visible = async (): Promise<boolean[]> => {
      const { data } = await desk.call('ui.query', { selector: 'role=textbox && window~="Mousepad"', limit: 50 })
      const { matches } = data as { matches: { states?: { visible?: boolean } }[] }
      return [...new Set(matches.map((m) => m.states?.visible === true))]
    }
    await operate('Mousepad', 'maximize')
    await expect.poll(() => states('Mousepad'), soon).toContain('MAXIMIZED_VERT')
    await expect.poll(visible, soon).toContain(true)
    await operate('Mousepad', 'minimize')
    await expect.poll(() => states('Mousepad'), soon).toContain('_NET_WM_STATE_HIDDEN')
    await expect.poll(visible, soon).toEqual([false])
    expect(await named('Mousepad')).toMatchObject({ minimized: true, active: false })
    for (const op of ['restore', 'activate']) {
      await operate('Mousepad', 'minimize')
      await expect.poll(() => states('Mousepad'), soon).toContain('_NET_WM_STATE_HIDDEN')
      await operate('Mousepad', op)
      await expect.poll(() => states('Mousepad'), soon).not.toContain('_NET_WM_STATE_HIDDEN')
      expect(states('Mousepad')).toContain('MAXIMIZED_VERT')
      await expect.poll(visible, soon).toContain(true)
    }
    await operate('Mousepad', 'restore')
    await expect.poll(() => place('Mousepad'), soon).toEqual({ x: 60, y: 70, w: 555, h: 333 })
  })

  test('it closes, and is listed no more', async () => {
    await operate('Third', 'close')
    await expect.poll(() => ids().length, soon).toBe(2)
    await expect.poll(async () => (await list()).length, soon).toBe(2)
  })

  test('the screen is told as xrandr tells it', async () => {
    const { data } = await desk.session.call({ tool: 'ui.screens', kind: 'screens', args: {}, principal: { id: 'a', role: 'agent' } })
    const told = desk.ask('xrandr', '--current')
    const [, name, w, h, x, y] = /^(\S+) connected (?:primary )?(\d+)x(\d+)\+(\d+)\+(\d+)/m.exec(told) ?? []
    expect(data).toMatchObject({
      screens: [{ id: name, bounds: { x: Number(x), y: Number(y), w: Number(w), h: Number(h) }, scale: 1, primary: true }],
    })
  })
})

describeDesktop('what is remembered of windows', () => {
  test('is what a newcomer is told, whatever became of them meanwhile', async () => {
    const desk = await realDesk()
    const display = await Display.open(desk.sandbox.env)
    const newcomer = async (): Promise<TopWindow[]> => {
      const own = await Display.open(desk.sandbox.env)
      try {
        return await (await XWindows.open(own)).list()
      } finally {
        own.close()
      }
    }
    try {
      const windows = await XWindows.open(display)
      expect(await windows.list()).toEqual([])
      for (const name of ['One', 'Two', 'Three', 'Four']) start(desk.sandbox, 'xterm', ['-T', name])
      await expect.poll(async () => (await windows.list()).length, { timeout: 20_000 }).toBe(4)
      const id = (i: number): string => String(seen[i % seen.length]?.id ?? 0)
      let seen = await windows.list()
      const changes = [
        (i: number) => ['windowmove', id(i), String(30 * i), String(20 * i)],
        (i: number) => ['windowsize', id(i), String(200 + 10 * i), '150'],
        (i: number) => ['set_window', '--name', `Name ${i}`, id(i)],
        (i: number) => ['windowminimize', id(i)],
        (i: number) => ['windowactivate', id(i)],
        (i: number) => ['windowraise', id(i)],
        (i: number) => ['windowactivate', id(i)],
        (i: number) => (i > 24 ? ['windowclose', id(i)] : ['windowactivate', id(i)]),
      ]
      for (let i = 0; i < 32; i++) {
        seen = await windows.list()
        const words = changes[i % changes.length]?.(i + Math.floor(i / changes.length)) ?? []
        try {
          desk.ask('xdotool', ...words)
        } catch {
          // A window that it talks of has just gone.
        }
        // The window manager may be busy between any two looks: compared is what does not change around it.
        for (let same = false; !same;) {
          const before = await newcomer()
          const remembered = await windows.list()
          same = JSON.stringify(before) === JSON.stringify(await newcomer())
          if (same) expect(remembered, words.join(' ')).toEqual(before)
        }
      }
      expect((await windows.list()).length).toBeLessThan(4)
    } finally {
      display.close()
      await desk.close()
    }
  })
})

describeDesktop('a window that is asked whether it has taken in what was sent', () => {
  test.each([
    ['is closed', (client: Display['client'], id: number) => client.DestroyWindow(id)],
    ['is hidden', (client: Display['client'], id: number) => client.UnmapWindow(id)],
  ])('is not waited for once it %s', async (_, end) => {
    const sandbox = await testDesktop()
    const [ours, theirs] = [await Display.open(sandbox.env), await Display.open(sandbox.env)]
    try {
      const { client } = theirs
      const silent = client.AllocID()
      const protocols = [await theirs.atom('WM_PROTOCOLS'), await theirs.atom('_NET_WM_PING')] as const
      client.CreateWindow(silent, theirs.root, 10, 10, 200, 100, 0, 0, 0, 0, { overrideRedirect: true })
      client.ChangeProperty(0, silent, protocols[0], ATOM, 32, [protocols[1]])
      client.MapWindow(silent)
      await theirs.sync()
      // As every window that is listed is watched.
      ours.client.ChangeWindowAttributes(silent, { eventMask: STRUCTURE_NOTIFY })
      const heard = new Promise<void>((done) => theirs.onEvent(({ name }) => name === 'ClientMessage' && done()))
      const asked = new Pinger(ours).ping(silent, FOR_EVER)
      await heard
      end(client, silent)
      expect(await asked).toBe('answered')
      expect(await new Pinger(ours).ping(silent, FOR_EVER)).not.toBe('silent')
    } finally {
      ours.close()
      theirs.close()
      await sandbox.down()
    }
  })
})

/** The type of a property that holds atoms. */
const ATOM = 4
const STRUCTURE_NOTIFY = 0x20000
const FOR_EVER = 2 ** 30

describeDesktop('several monitors', () => {
  test('each is a screen of its own, where xrandr put it', async () => {
    const desk = await realDesk({ size: { width: 1600, height: 600 } })
    try {
      desk.ask('xrandr', '--setmonitor', 'left', '1000/200x600/150+0+0', 'screen')
      desk.ask('xrandr', '--setmonitor', 'right', '600/150x400/100+1000+0', 'none')
      const told = desk.ask('xrandr', '--listmonitors')
      expect(told).toContain('Monitors: 2')
      const display = await Display.open(desk.sandbox.env)
      const screens = await screensOf(display)
      display.close()
      expect(screens.map(({ id, bounds }) => ({ id, bounds }))).toEqual([
        { id: 'left', bounds: { x: 0, y: 0, w: 1000, h: 600 } },
        { id: 'right', bounds: { x: 1000, y: 0, w: 600, h: 400 } },
      ])
      expect(screens.filter((s) => s.primary)).toHaveLength(1)
      const corners = [
        [0, 0, true],
        [0, 599, true],
        [999, 599, true],
        [1599, 0, true],
        [1599, 399, true],
        [999, 0, false],
        [1000, 0, false],
        [1000, 399, false],
        [5, 0, false],
      ] as const
      for (const [x, y, is] of corners) expect(inCorner(screens, { x, y }), `${x},${y}`).toBe(is)
    } finally {
      await desk.close()
    }
  })
})

describeDesktop('a screen that changes its size', () => {
  test('is told, pictures have the new size, nothing lands beside it, and the pointer it carries along is nobody', async () => {
    const desk = await realDesk({ size: { width: 1000, height: 700 } })
    const end = new AbortController()
    const { observe, act } = desk.driver
    const ctx = within(20_000)
    const sizes: Rect[] = []
    const watching = (async (): Promise<void> => {
      for await (const parts of desk.session.frames({ principal: AGENT }, { encoding: 'raw', signal: end.signal }))
        for (const { rect } of parts) sizes.push(rect)
    })().catch((error: unknown) => error)
    const click = async (x: number, y: number): Promise<Sent> => {
      const lease = await act.take(5_000, ctx)
      try {
        return await act.step(lease, { do: 'pointer', events: [{ type: 'move', x, y }, ...press] }, {}, ctx)
      } finally {
        await act.drop(lease)
      }
    }
    const pointer = (): string => desk.ask('xdotool', 'getmouselocation')
    try {
      await desk.show('Target', 'xterm', ['-T', 'Target', '-geometry', '40x10+300+200'])
      desk.ask('xrandr', ...'--newmode small 25 640 650 660 670 480 490 495 500'.split(' '))
      desk.ask('xrandr', '--addmode', 'screen', 'small')
      expect(await click(900, 650)).toMatchObject({ sent: 'all' })
      expect(pointer()).toContain('x:900 y:650')
      const { human } = await observe.watch('input', undefined, 0, ctx)
      const { cursor } = await observe.read({}, ctx)

      desk.ask('xrandr', '--output', 'screen', '--mode', 'small')
      const told: string[] = []
      for (let at = cursor; !told.includes('screens');) {
        const next = await observe.changes(at, 5_000, ctx)
        if ('reset' in next) throw new Error('the cursor of a moment ago was too old')
        told.push(...next.changes.map((c) => c.type))
        at = next.cursor
      }
      expect((await observe.screens(ctx)).map((s) => s.bounds)).toEqual([{ x: 0, y: 0, w: 640, h: 480 }])
      const shot = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: {}, principal: AGENT })
      expect(shot.images?.[0]).toMatchObject({ width: 640, height: 480 })
      await expect.poll(() => sizes, { timeout: 20_000 }).toContainEqual({ x: 0, y: 0, w: 640, h: 480 })
      expect(pointer()).toContain('x:639 y:479')
      const { cursor: since } = await observe.watch('input', undefined, 0, ctx)
      expect((await observe.watch('input', since, 300, ctx)).human).toEqual(human)

      await expect(click(700, 100)).rejects.toMatchObject({
        code: 'NOT_ACTIONABLE',
        message: expect.stringContaining('700, 100') as string,
      })
      expect(pointer()).toContain('x:639 y:479')
      expect(await click(350, 250)).toMatchObject({ sent: 'all' })
      expect(pointer()).toContain('x:350 y:250')

      sizes.length = 0
      desk.ask('xrandr', '--output', 'screen', '--mode', '1000x700')
      await expect.poll(() => sizes, { timeout: 20_000 }).toContainEqual({ x: 0, y: 0, w: 1000, h: 700 })
      expect(await click(900, 650)).toMatchObject({ sent: 'all' })
      expect(pointer()).toContain('x:900 y:650')
    } finally {
      end.abort()
      expect(await watching).toBe(undefined)
      await desk.close()
    }
  })
})

const press = [
  { type: 'down', button: 'left' },
  { type: 'up', button: 'left' },
] as const

describeDesktop('a Wayland session', () => {
  test('can be read, and says of input and pictures that the person has not consented, and what to do', async () => {
    const desk = await realDesk()
    const driver = await openLinux({ ...desk.sandbox.env, WAYLAND_DISPLAY: 'wayland-0', XDG_SESSION_TYPE: 'wayland' })
    const ctx = within(10_000)
    try {
      start(desk.sandbox, 'zenity', ['--entry', '--title', 'Seen'])
      await expect
        .poll(async () => (await driver.observe.read({}, ctx)).nodes.map((n) => n.name), { timeout: 20_000 })
        .toEqual(expect.arrayContaining(['Seen', 'OK']))
      const { can } = await driver.observe.info(ctx)
      for (const gap of ['capture', 'hit', 'clipboard', 'humanInput', 'step:pointer', 'step:keys', 'step:text', 'step:window'] as const)
        expect(can[gap], gap).toMatchObject({
          ok: false,
          reason: expect.stringContaining('not consented') as string,
          fix: expect.stringContaining('deskhand consent give') as string,
        })
      for (const there of ['tree', 'push', 'step:press', 'step:setText'] as const) expect(can[there], there).toEqual({ ok: true })
      await expect(driver.observe.capture({}, ctx)).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
      await expect(driver.observe.watch('input', undefined, 0, ctx)).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
      const lease = await driver.act.take(10_000, ctx)
      await expect(driver.act.step(lease, { do: 'text', text: 'a' }, {}, ctx)).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
      const { nodes } = await driver.observe.read({}, ctx)
      const cancel = nodes.find((n) => n.role === 'button' && n.name === 'Cancel')
      expect(await driver.act.step(lease, { do: 'press', key: cancel?.key ?? '' }, {}, ctx)).toMatchObject({ sent: 'all' })
      await expect.poll(async () => (await driver.observe.read({}, ctx)).nodes.length, { timeout: 20_000 }).toBe(0)
    } finally {
      await driver.close()
      await desk.close()
    }
  })
})
