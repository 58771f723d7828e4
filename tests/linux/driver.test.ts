import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HostedDriver, type Step, within } from '@deskhand/core/driver'
import type { FlatNode, WindowOp } from '@deskhand/core/model'
import { center } from '@deskhand/core/model'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { PYTHON, fixture, linuxHost, shown, start, told } from '../support/linux.ts'

const ctx = within(20_000)
const URN = 'urn:deskhand:sandbox:named-by-its-owner'

describeDesktop('the Linux driver', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  beforeAll(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost({ env: { ...sandbox.env, DESKHAND_URN: URN } })
  })
  afterAll(async () => {
    await driver.close()
    await sandbox.down()
  })
  const launched: number[] = []
  afterEach(async () => {
    for (const pid of launched.splice(0)) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await nodes()).length, { timeout: 10_000 }).toBe(0)
  })

  const step = async (what: Step): Promise<Awaited<ReturnType<HostedDriver['act']['step']>>> => {
    const lease = await driver.act.take(30_000, ctx)
    try {
      return await driver.act.step(lease, what, {}, ctx)
    } finally {
      await driver.act.drop(lease)
    }
  }
  const nodes = async (): Promise<FlatNode[]> => (await driver.observe.read({}, ctx)).nodes
  const find = async (role: string, name: string): Promise<FlatNode> => {
    const found = (await nodes()).find((n) => n.role === role && n.name === name)
    if (found === undefined) throw new Error(`there is no ${role} "${name}"`)
    return found
  }
  const launch = async (app: string, args: string[], title: string): Promise<{ pid: number; window: string }> => {
    const sent = await step({ do: 'launch', app, args })
    const pid = Number(sent.detail?.pid)
    launched.push(pid)
    // A window that has its tree is another one than it was before.
    await shown(driver, title)
    if (app !== 'xterm') await told(driver)
    return { pid, window: await shown(driver, title) }
  }
  test('it calls the desktop what its owner calls it, and claims the prefix of its accessibility tree', () => {
    expect(driver.info).toMatchObject({ desktop: URN, kind: 'linux', prefixes: ['atspi'] })
  })

  /** A window as the X server describes it to xwininfo. */
  const outside = (title: string): { x: number; y: number; w: number; h: number } => {
    const text = execFileSync('xwininfo', ['-name', title], { env: sandbox.env, encoding: 'utf8' })
    const number = (label: string): number => Number(new RegExp(`${label}:\\s+(-?\\d+)`).exec(text)?.[1])
    return { x: number('Absolute upper-left X'), y: number('Absolute upper-left Y'), w: number('Width'), h: number('Height') }
  }

  test('a stopped application is named within its deadline, the others are served, and it is back when it goes on', async () => {
    const stopped = await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const other = await launch('mousepad', [], 'Mousepad')
    const button = await find('button', 'Press me')
    process.kill(stopped.pid, 'SIGSTOP')
    try {
      const started = performance.now()
      await expect(step({ do: 'press', key: button.key })).rejects.toMatchObject({ code: 'APP_HUNG' })
      expect(performance.now() - started).toBeLessThan(5000)
      const part = await driver.observe.read({}, ctx)
      const app = part.apps.find((a) => a.pid === stopped.pid)
      expect(part.completeness).toMatchObject({ complete: false, reasons: [{ kind: 'hung', app: app?.id }] })
      expect(await driver.observe.check([other.window], ctx)).toMatchObject([{ role: 'window' }])
    } finally {
      process.kill(stopped.pid, 'SIGCONT')
    }
    await expect.poll(async () => (await driver.observe.read({}, ctx)).completeness.complete, { timeout: 5000 }).toBe(true)
    // The refused press was never sent, so only this one counts.
    await step({ do: 'press', key: button.key })
    await expect.poll(async () => (await nodes()).find((n) => n.name?.startsWith('Count:'))?.name).toBe('Count: 1')
  })

  test('the window manager swallows no part of a double click', async () => {
    const app = spawn(PYTHON, [fixture('widgets_qt5.py')], { env: sandbox.env, stdio: ['ignore', 'pipe', 'ignore'] })
    launched.push(app.pid ?? 0)
    let out = ''
    app.stdout.on('data', (chunk) => (out += chunk))
    await shown(driver, 'Widgets')
    await told(driver)
    const { bounds } = await find('cell', 'Bread')
    const [down, up] = (['down', 'up'] as const).map((type) => ({ type, button: 'left' as const }))
    const doubles = Array.from({ length: 60 }, (_, i) => [
      { type: 'move' as const, x: bounds!.x + 10 + 40 * (i % 2), y: center(bounds!).y },
      ...[down!, up!, down!, up!],
      { type: 'pause' as const, ms: 50 },
    ])
    await step({ do: 'pointer', events: doubles.flat() })
    await expect.poll(() => out.match(/double Bread/g)?.length, { timeout: 10_000 }).toBe(60)
  })

  test('an application that is killed is gone, and so are its elements', async () => {
    const { pid } = await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const button = await find('button', 'Press me')
    process.kill(pid, 'SIGKILL')
    await expect(step({ do: 'press', key: button.key })).rejects.toMatchObject({ code: 'STALE_REF' })
    expect(await driver.observe.check([button.key], ctx)).toEqual([null])
    await expect.poll(async () => (await nodes()).length).toBe(0)
  })

  test('a window moves, grows, hides, comes back, fills the screen and closes', async () => {
    const { pid, window } = await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const operate = (op: WindowOp, rect = {}) => step({ do: 'window', key: window, op, rect })
    await operate('move', { x: 100, y: 120 })
    await expect.poll(() => outside('Contract')).toMatchObject({ x: 100, y: 120 })
    await operate('resize', { w: 640, h: 560 })
    await expect.poll(() => outside('Contract')).toMatchObject({ w: 640, h: 560 })
    await expect.poll(async () => (await driver.observe.check([window], ctx))[0]?.bounds).toEqual({ x: 100, y: 120, w: 640, h: 560 })
    await operate('minimize')
    await expect.poll(async () => (await driver.observe.check([window], ctx))[0]?.states?.active).toBe(false)
    await operate('restore')
    await expect.poll(async () => (await driver.observe.check([window], ctx))[0]?.states?.active).toBe(true)
    await operate('maximize')
    await expect.poll(() => outside('Contract').w).toBeGreaterThan(1200)
    await operate('close')
    await expect.poll(async () => (await driver.observe.check([window], ctx))[0]).toBeNull()
    expect(pid).toBeGreaterThan(0)
  })

  test('what is in a minimised window is told as not visible, and is back with it', async () => {
    const { window } = await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const button = await find('button', 'Press me')
    let { cursor } = await driver.observe.read({}, ctx)
    await step({ do: 'window', key: window, op: 'minimize' })
    const told = async (isVisible: boolean): Promise<boolean> => {
      const next = await driver.observe.changes(cursor, 200, ctx)
      if ('reset' in next) throw new Error('told to start over')
      cursor = next.cursor
      return next.changes.some((c) => c.type === 'put' && c.node.key === button.key && c.node.states?.visible === isVisible)
    }
    await expect.poll(() => told(false), { timeout: 5000 }).toBe(true)
    for (const away of [await find('button', 'Press me'), ...(await driver.observe.check([button.key], ctx))])
      expect([away?.bounds, away?.states?.visible]).toEqual([undefined, false])
    await step({ do: 'window', key: window, op: 'restore' })
    await expect.poll(() => told(true), { timeout: 5000 }).toBe(true)
    expect((await find('button', 'Press me')).bounds).toEqual(button.bounds)
  })

  test('an element beyond the edge of the screen is refused, and nothing is clicked at the edge', async () => {
    const { window } = await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const edge = (await driver.observe.screens(ctx))[0]?.bounds.w ?? 0
    const { key } = await find('button', 'Press me')
    const place = async (): Promise<{ x: number; y: number }> =>
      center((await driver.observe.check([key], ctx))[0]?.bounds ?? { x: 0, y: 0, w: 0, h: 0 })
    await step({ do: 'window', key: window, op: 'move', rect: { x: edge - 20, y: 100 } })
    await expect.poll(async () => (await place()).x).toBeGreaterThan(edge)
    const at = await place()
    expect(await driver.observe.hit(at, ctx)).toEqual({})
    const lease = await driver.act.take(30_000, ctx)
    try {
      const click: Step = {
        do: 'pointer',
        events: [
          { type: 'move', ...at },
          { type: 'down', button: 'left' },
          { type: 'up', button: 'left' },
        ],
      }
      expect(await driver.act.step(lease, click, { hit: { at, key } }, ctx)).toMatchObject({ sent: 'none', broken: 'hit' })
    } finally {
      await driver.act.drop(lease)
    }
    await expect(step({ do: 'reveal', key })).rejects.toMatchObject({
      code: 'NOT_ACTIONABLE',
      message: expect.stringMatching(/edge/) as string,
    })
    expect((await nodes()).find((n) => n.name?.startsWith('Count:'))?.name).toBe('Count: 0')
  })

  test('a picture of a window shows nothing of another one that lies over it', async () => {
    const below = await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const above = await launch('xterm', ['-T', 'Secret', '-bg', 'red', '-geometry', '30x8+500+300'], 'Secret')
    await step({ do: 'window', key: below.window, op: 'move', rect: { x: 450, y: 200 } })
    await step({ do: 'window', key: above.window, op: 'activate' })
    await expect.poll(async () => (await driver.observe.hit({ x: 560, y: 380 }, ctx)).window).toBe(above.window)
    const red = (data: Uint8Array): number => {
      let count = 0
      for (let i = 0; i < data.length; i += 4) if (data[i] === 255 && data[i + 1] === 0 && data[i + 2] === 0) count++
      return count
    }
    const seen = async (area: { window?: string }): Promise<number> => {
      const { id } = await driver.observe.capture(area, ctx)
      return red(await driver.observe.render(id, { hide: [], as: 'rgba' }, ctx))
    }
    await expect.poll(() => seen({})).toBeGreaterThan(10_000)
    expect(await seen({ window: above.window })).toBeGreaterThan(10_000)
    expect(await seen({ window: below.window })).toBe(0)
  })

  test('texts of any size go to other applications through the clipboard and come from them', async () => {
    for (const text of ['é 漢 😀\nsecond line', 'grüße '.repeat(60_000)]) {
      await step({ do: 'clipboard', text })
      const got = await run(PYTHON, [fixture('clipboard_gtk3.py'), 'get'])
      expect(got === text).toBe(true)
      const file = join(sandbox.env.HOME ?? '', 'clip.txt')
      writeFileSync(file, `back: ${text}`)
      const owner = start(sandbox, PYTHON, [fixture('clipboard_gtk3.py'), 'put', file])
      await expect.poll(async () => (await driver.observe.readClipboard(ctx)) === `back: ${text}`, { timeout: 5000 }).toBe(true)
      owner.kill('SIGKILL')
    }
  })

  test('input that another program sends is told, and ours is not', async () => {
    const { window } = await launch('xterm', ['-T', 'Typed'], 'Typed')
    const before = await driver.observe.watch('input', undefined, 0, ctx)
    const human = async (): Promise<string[]> => {
      const { human: now } = await driver.observe.watch('input', before.cursor, 0, ctx)
      return (['keys', 'buttons'] as const).filter((device) => now[device] > before.human[device])
    }
    await step({ do: 'text', text: 'Nobody but us types THIS, not even 漢.' })
    await step({
      do: 'pointer',
      events: [
        { type: 'move', x: 300, y: 300 },
        { type: 'down', button: 'left' },
        { type: 'move', x: 320, y: 310 },
        { type: 'up', button: 'left' },
        { type: 'wheel', dx: 0, dy: 3 },
      ],
    })
    await step({ do: 'window', key: window, op: 'activate' })
    expect(await human()).toEqual([])
    execFileSync('xdotool', ['key', 'a'], { env: sandbox.env })
    await expect.poll(human).toEqual(['keys'])
    execFileSync('xdotool', ['click', '1'], { env: sandbox.env })
    await expect.poll(human).toEqual(['keys', 'buttons'])
  })

  test('a program that does not exist, or ends at once, is told as such', async () => {
    await expect(step({ do: 'launch', app: 'no-such-program', args: [] })).rejects.toMatchObject({ code: 'UNKNOWN_APP' })
    await expect(step({ do: 'launch', app: '../bin/ls', args: [] })).rejects.toMatchObject({ code: 'UNKNOWN_APP' })
    await expect(step({ do: 'launch', app: 'false', args: [] })).rejects.toMatchObject({ code: 'DRIVER_FAILED' })
    expect(await step({ do: 'launch', app: 'true', args: [] })).toMatchObject({ sent: 'all', detail: { exitCode: 0 } })
  })

  test('an application without a tree is a window with its title, and the tree is told as degraded', async () => {
    const { pid, window } = await launch('xterm', ['-T', 'Plain'], 'Plain')
    const { nodes: all, apps, completeness } = await driver.observe.read({}, ctx)
    const node = all.find((n) => n.key === window)
    expect(node).toMatchObject({ role: 'window', name: 'Plain', states: { active: true } })
    expect(apps.find((a) => a.id === node?.app)).toMatchObject({ pid, executable: '/usr/bin/xterm' })
    expect(completeness).toMatchObject({ complete: false, reasons: [{ kind: 'degraded' }] })
    expect(await driver.observe.hit(center(node?.bounds ?? { x: 0, y: 0, w: 0, h: 0 }), ctx)).toEqual({ window, node: window })
    await expect(step({ do: 'press', key: window })).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
  })

  test('ten thousand rows and an endless stream of changes delay no other call', async () => {
    await launch(PYTHON, [fixture('flood_gtk3.py')], 'Flood')
    await launch(PYTHON, [fixture('contract_gtk3.py')], 'Contract')
    const button = await find('button', 'Press me')
    for (let i = 1; i <= 5; i++) {
      const started = performance.now()
      await step({ do: 'press', key: button.key })
      await expect.poll(async () => (await nodes()).find((n) => n.name?.startsWith('Count:'))?.name).toBe(`Count: ${i}`)
      expect(performance.now() - started).toBeLessThan(5000)
    }
    const rows = (await nodes()).filter((n) => n.name?.startsWith('Row '))
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.some((n) => n.bounds !== undefined && n.states?.visible === true)).toBe(true)
  })

  function run(command: string, args: string[]): Promise<string> {
    return new Promise((done, fail) => {
      execFile(command, args, { env: sandbox.env, encoding: 'utf8', maxBuffer: 1 << 26 }, (error, out) => (error ? fail(error) : done(out)))
    })
  }
})

describeDesktop('when the X server dies', () => {
  test('every call ends with a coded error', async () => {
    const sandbox = await testDesktop({ width: 400, height: 300 })
    const driver = await linuxHost(sandbox)
    try {
      const server = sandbox.record.parts.find((p) => p.name === 'xvfb')
      const lease = await driver.act.take(30_000, ctx)
      process.kill(server?.pid ?? 0, 'SIGKILL')
      const text: Step = { do: 'text', text: 'x'.repeat(500) }
      await expect(driver.act.step(lease, text, {}, ctx)).rejects.toMatchObject({
        code: expect.stringMatching(/NO_DESKTOP|DRIVER_DEAD/) as string,
      })
      await expect(driver.observe.capture({}, ctx)).rejects.toMatchObject({
        code: expect.stringMatching(/NO_DESKTOP|DRIVER_DEAD/) as string,
      })
      await driver.act.drop(lease).catch(() => {})
    } finally {
      await driver.close()
      await sandbox.down()
    }
  })
})
