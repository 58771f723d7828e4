import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rect } from '@deskhand/core/model'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AGENT } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { shown, start } from '../support/linux.ts'
import { LiveViewer, screenshot } from '../support/live-viewer.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })
const SIZE = { width: 1000, height: 700 }
const POLICY = `
[[rule]]
toolName = "*"
decision = "deny"
priority = 900
[rule.when]
window = "Private*"
`

describeDesktop('live frames of a real desktop', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ size: SIZE, policy: POLICY })
  })
  afterAll(() => desk.close())

  const BLACK = 0xff000000
  const inside = (pixels: Uint32Array, { x, y, w, h }: Rect): number[] =>
    Array.from({ length: h }, (_, row) => [...pixels.subarray((y + row) * SIZE.width + x, (y + row) * SIZE.width + x + w)]).flat()

  test('put together they are what another program sees, and nothing of a password shows', async () => {
    const viewer = new LiveViewer(desk, SIZE)
    await desk.show('Secret', 'zenity', ['--password', '--title', 'Secret'])
    desk.ask('xdotool', 'type', 'hunter22')
    await expect.poll(() => viewer.difference(desk), { timeout: 30_000, interval: 500 }).toBe(0)
    const field = await passwordField(desk)
    const truth = await screenshot(desk, SIZE)
    expect(new Set(inside(truth, field)).size).toBeGreaterThan(1)
    expect(new Set(inside(viewer.pixels, field))).toEqual(new Set([BLACK]))
    // The window goes, and with it what was hidden.
    desk.ask('xdotool', 'key', 'Escape')
    await expect.poll(() => viewer.masked.length, { timeout: 30_000 }).toBe(0)
    await expect.poll(() => viewer.difference(desk), { timeout: 30_000, interval: 500 }).toBe(0)
    await viewer.end()
  })

  test('a window with a password is black as a whole while its application does not answer', async () => {
    const child = start(desk.sandbox, 'zenity', ['--password', '--title', 'Hung'])
    await shown(desk.driver, 'Hung')
    const viewer = new LiveViewer(desk, SIZE)
    await expect.poll(() => viewer.difference(desk), { timeout: 30_000, interval: 500 }).toBe(0)
    const [x = 0, y = 0, w = 0, h = 0] = geometry(desk, 'Hung')
    expect(new Set(inside(viewer.pixels, { x, y, w, h })).size).toBeGreaterThan(1)
    const { pid } =
      (await desk.driver.observe.read({}, { signal: new AbortController().signal, deadlineMs: 10_000 })).apps.find(
        (a) => a.name === 'zenity',
      ) ?? {}
    if (pid === undefined) throw new Error('zenity is not there')
    process.kill(pid, 'SIGSTOP')
    try {
      expect(await desk.call('ui.click', { target: 'name="Cancel"', timeoutMs: 500 })).toMatchObject({ status: 'error' })
      await expect.poll(() => new Set(inside(viewer.pixels, { x, y, w, h })), { timeout: 30_000 }).toEqual(new Set([BLACK]))
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await expect.poll(() => new Set(inside(viewer.pixels, { x, y, w, h })).size, { timeout: 30_000 }).toBeGreaterThan(1)
    await viewer.end()
    child.kill()
  })

  test('they follow what is drawn, small parts as small parts', async () => {
    const file = join(desk.sandbox.env['HOME'] ?? '', 'words.txt')
    writeFileSync(file, '')
    await desk.show('words.txt', 'mousepad', [file])
    await sleep(300)
    const viewer = new LiveViewer(desk, SIZE)
    await expect.poll(() => viewer.difference(desk), { timeout: 30_000, interval: 500 }).toBe(0)
    for (const word of ['one', 'two', 'three']) {
      desk.ask('xdotool', 'type', word)
      await expect.poll(() => viewer.difference(desk), { timeout: 30_000, interval: 300 }).toBe(0)
    }
    await viewer.end()
  })

  test('a window that is denied is black, its frame and title too; another one of the same program is shown when it had time to tell what is in it', async () => {
    const viewer = new LiveViewer(desk, SIZE)
    await desk.show('Private', 'xterm', ['-T', 'Private', '-geometry', '40x10+500+300', '-e', 'yes secret; sleep 100'])
    const [x = 0, y = 0, w = 0, h = 0] = geometry(desk, 'Private')
    const window = { x, y, w, h }
    const title = { x: x + 10, y: y - 12, w: w - 20, h: 8 }
    await desk.show('Public', 'xterm', ['-T', 'Public', '-bg', '#00ff00', '-geometry', '20x5+20+450'])
    const [px = 0, py = 0] = geometry(desk, 'Public')
    const open = { x: px + 5, y: py + 40, w: 40, h: 10 }
    await expect.poll(() => new Set(inside(viewer.pixels, open)), { timeout: 30_000 }).toEqual(new Set([0xff00ff00]))
    expect(new Set(inside(viewer.pixels, window))).toEqual(new Set([BLACK]))
    expect(new Set(inside(await screenshot(desk, SIZE), window)).size).toBeGreaterThan(1)
    expect(new Set(inside(viewer.pixels, title))).toEqual(new Set([BLACK]))
    await viewer.end()

    const capture = (args: unknown) => desk.session.call({ tool: 'ui.capture', kind: 'capture', args, principal: AGENT })
    const shot = await capture({ format: 'png' })
    const picture = await sharp(shot.images?.[0]?.data).ensureAlpha().raw().toBuffer()
    const pixels = new Uint32Array(picture.buffer, picture.byteOffset, SIZE.width * SIZE.height)
    expect(new Set([...inside(pixels, window), ...inside(pixels, title)])).toEqual(new Set([BLACK]))
    expect(await capture({ target: 'name="Private"' })).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } })
  })

  test('a slow reader gets what happened meanwhile as one update', async () => {
    const stream = desk.session.frames({ principal: AGENT }, { encoding: 'png', restMs: 0 })
    await stream.next()
    for (let i = 0; i < 30; i++) desk.ask('xdotool', 'mousemove', '300', '300', 'key', 'a')
    const { value: parts } = await stream.next()
    expect(parts?.length).toBeGreaterThan(0)
    expect(parts?.length).toBeLessThanOrEqual(8)
    expect(parts?.every((p) => Buffer.from(p.bytes).subarray(1, 4).toString() === 'PNG')).toBe(true)
    await stream.return()
  })
})

async function passwordField(desk: RealDesk): Promise<Rect> {
  const found = await desk.call('ui.query', { selector: 'password=true' })
  const { matches } = found.data as { matches: { bounds: Rect }[] }
  const [field] = matches
  if (field === undefined) throw new Error('no password field is there')
  return field.bounds
}

/** Where the contents of a window are, as xwininfo tells. */
function geometry(desk: RealDesk, title: string): number[] {
  const told = desk.ask('xwininfo', '-name', title)
  return ['Absolute upper-left X', 'Absolute upper-left Y', 'Width', 'Height'].map((key) =>
    Number(new RegExp(`${key}: +(-?\\d+)`).exec(told)?.[1]),
  )
}
