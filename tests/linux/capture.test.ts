import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScreenGrabber } from '@deskhand/driver-linux'
import { within } from '@deskhand/core/driver'
import { toRgba, type Words } from '../../packages/core/src/driver/pixels/pixels.ts'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AGENT } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { start } from '../support/linux.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const SIZE = { width: 1001, height: 703 }
const DENIED = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\nprocess = "/usr/bin/mousepad"\n'

describeDesktop('pictures of a real desktop', () => {
  let desk: RealDesk
  const scratch = mkdtempSync(join(tmpdir(), 'dh-shots-'))
  beforeAll(async () => {
    desk = await realDesk({ size: SIZE })
    await desk.show('Still', 'zenity', ['--info', '--title', 'Still', '--text', 'nothing blinks here'])
    desk.ask('xsetroot', '-mod', '5', '7', '-fg', '#336699', '-bg', '#ffcc00')
  })
  afterAll(async () => {
    await desk.close()
    rmSync(scratch, { recursive: true, force: true })
  })

  const pixelsOf = async (input: string | Uint8Array): Promise<{ data: Buffer; width: number; height: number }> => {
    const { data, info } = await sharp(input).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height }
  }
  const rgb = (frame: Words): Promise<Buffer> =>
    sharp(toRgba(frame), { raw: { width: frame.width, height: frame.height, channels: 4 } })
      .removeAlpha()
      .raw()
      .toBuffer()
  const maim = async (...args: string[]): Promise<{ data: Buffer; width: number; height: number }> => {
    const file = join(scratch, `${Math.random()}.png`)
    desk.ask('maim', '-u', ...args, file)
    return pixelsOf(file)
  }

  test('the framebuffer file, shared memory and plain requests give what maim gives, the pointer never among it', async () => {
    desk.ask('xdotool', 'mousemove', '200', '150')
    const truth = await maim()
    for (const via of ['framebuffer', 'MIT-SHM', 'GetImage'] as const) {
      const grabber = await ScreenGrabber.open(desk.sandbox.env, via)
      expect(grabber.via).toBe(via)
      const all = await grabber.grab()
      expect(all).toMatchObject({ ...SIZE, origin: { x: 0, y: 0 }, scale: 1 })
      expect(truth.data.equals(await rgb(all)), `${via}, all of it`).toBe(true)
      for (const rect of [
        { x: 190, y: 140, w: 31, h: 29 },
        { x: 0, y: 0, w: 1, h: 703 },
        { x: 37, y: 11, w: 900, h: 3 },
      ]) {
        const part = await grabber.grab(rect)
        const expected = await maim('-g', `${rect.w}x${rect.h}+${rect.x}+${rect.y}`)
        expect(expected.data.equals(await rgb(part)), `${via}, ${JSON.stringify(rect)}`).toBe(true)
      }
      const many = Array.from({ length: 24 }, (_, i) => ({ x: i * 37, y: i * 23, w: 100 + i, h: 60 }))
      const parts = await Promise.all(many.map((rect) => grabber.grab(rect)))
      for (const [i, rect] of many.entries())
        expect(Buffer.from(toRgba(parts[i] ?? all)).equals(cut(all, rect)), `${via}, part ${i} of many`).toBe(true)
      expect(await grabber.grab({ x: -5, y: 700, w: 10, h: 10 })).toMatchObject({ width: 5, height: 3, origin: { x: 0, y: 700 } })
      await expect(grabber.grab({ x: 5000, y: 0, w: 5, h: 5 })).rejects.toMatchObject({ code: 'BAD_ARGS' })
      grabber.close()
    }
  })

  test('a picture tells of the windows in it, and of none beyond the edge', async () => {
    const { windows = [] } = await desk.driver.observe.capture({}, within(5000))
    expect(windows.map((w) => w.app.name)).toEqual(['zenity'])
  })

  test('a picture is PNG, JPEG or WebP; the lossless one has every pixel, the others come close', async () => {
    desk.ask('xsetroot', '-solid', '#336699')
    const truth = await maim()
    for (const [format, most] of [
      ['png', 0],
      ['jpeg', 6],
      ['webp', 6],
    ] as const) {
      const shot = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: { format }, principal: AGENT })
      const [image] = shot.images ?? []
      expect(image?.mimeType).toBe(`image/${format}`)
      expect((await sharp(image?.data).metadata()).format).toBe(format)
      const { data } = await pixelsOf(image?.data ?? new Uint8Array())
      let off = 0
      for (let i = 0; i < data.length; i++) off += Math.abs((data[i] ?? 0) - (truth.data[i] ?? 0))
      expect(off / data.length).toBeLessThanOrEqual(most)
    }
    expect((await desk.call('ui.capabilities')).data).toMatchObject({
      formats: { png: { ok: true }, jpeg: { ok: true }, webp: { ok: true } },
    })
  })

  test('a region is that region, and a window is itself alone, whatever lies over it', async () => {
    const region = { x: 100, y: 50, w: 120, h: 80 }
    const part = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: { region }, principal: AGENT })
    expect(part.images?.[0]).toMatchObject({ width: 120, height: 80, origin: { x: 100, y: 50 } })
    const { data } = await pixelsOf(part.images?.[0]?.data ?? new Uint8Array())
    expect(data.equals((await maim('-g', '120x80+100+50')).data)).toBe(true)

    const id = desk.ask('xdotool', 'search', '--name', '^Still$').trim().split('\n').at(-1) ?? ''
    const alone = await maim('-i', id)
    const window = { target: 'role=dialog && name="Still"' }
    const free = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: window, principal: AGENT })
    const seen = await pixelsOf(free.images?.[0]?.data ?? new Uint8Array())
    expect({ width: seen.width, height: seen.height }).toEqual({ width: alone.width, height: alone.height })
    expect(seen.data.equals(alone.data)).toBe(true)

    const { x, y } = free.images?.[0]?.origin ?? { x: 0, y: 0 }
    await desk.show('Above', 'xterm', ['-T', 'Above', '-bg', '#ff0000', '-geometry', `10x4+${x + 20}+${y + 20}`])
    const covered = await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: window, principal: AGENT })
    const under = await pixelsOf(covered.images?.[0]?.data ?? new Uint8Array())
    const reds = (pixels: Buffer): number =>
      Array.from({ length: pixels.length / 3 }, (_, i) => pixels.readUIntBE(i * 3, 3)).filter((v) => v === 0xff0000).length
    expect(reds((await maim()).data)).toBeGreaterThan(500)
    expect(reds(under.data)).toBe(0)
    expect(under.data.equals(seen.data)).toBe(false)
  })

  test('an application that is denied shows nothing: neither window nor title nor the menu that hangs out of it', async () => {
    const other = await realDesk({ size: SIZE, policy: DENIED })
    try {
      await other.show('Allowed', 'zenity', ['--info', '--title', 'Allowed', '--text', 'to be seen'])
      other.ask('xsetroot', '-solid', '#336699')
      start(other.sandbox, 'mousepad')
      const id = await found(other, 'Mousepad')
      other.ask(
        'xdotool',
        'windowsize',
        '--sync',
        id,
        '300',
        '120',
        'windowmove',
        id,
        '600',
        '40',
        'windowactivate',
        '--sync',
        id,
        'key',
        'alt+f',
      )
      const file = join(scratch, 'menu.png')
      const truth = async (): Promise<Buffer> => {
        other.ask('maim', '-u', file)
        return (await pixelsOf(file)).data
      }
      const at = (pixels: Buffer, x: number, y: number): number => pixels.readUIntBE((y * SIZE.width + x) * 3, 3)
      const empty = at(await truth(), 5, 5)
      const menu = { x: 640, y: 300 }
      await expect.poll(async () => at(await truth(), menu.x, menu.y) === empty, { timeout: 20_000 }).toBe(false)
      const seen = await other.session.call({ tool: 'ui.capture', kind: 'capture', args: {}, principal: AGENT })
      const { data } = await pixelsOf(seen.images?.[0]?.data ?? new Uint8Array())
      const real = await truth()
      for (const { x, y } of [menu, { x: 700, y: 100 }, { x: 620, y: 46 }]) {
        expect(at(real, x, y)).not.toBe(empty)
        expect(at(data, x, y)).toBe(0)
      }
      // Everything that is not the background is the permitted application's, or black.
      let [shown, strange] = [0, 0]
      for (let i = 0; i < data.length; i += 3) {
        const value = data.readUIntBE(i, 3)
        if (value !== 0) shown++
        if (value !== 0 && value !== real.readUIntBE(i, 3)) strange++
      }
      expect(strange).toBe(0)
      expect(shown).toBeGreaterThan(100_000)
    } finally {
      await other.close()
    }
  })
})

/** A part of a frame, by rows. */
function cut(frame: Words, { x, y, w, h }: { x: number; y: number; w: number; h: number }): Buffer {
  const bytes = toRgba({ ...frame, lowest: 'red' })
  const rows = Array.from({ length: h }, (_, row) => {
    const from = ((y + row) * frame.width + x) * 4
    return bytes.subarray(from, from + w * 4)
  })
  return Buffer.concat(rows)
}

async function found(desk: RealDesk, title: string): Promise<string> {
  let id = ''
  await expect.poll(() => (id = search(desk, title)), { timeout: 20_000 }).not.toBe('')
  return id
}

function search(desk: RealDesk, title: string): string {
  try {
    return desk.ask('xdotool', 'search', '--onlyvisible', '--name', title).trim().split('\n').at(-1) ?? ''
  } catch {
    return ''
  }
}
