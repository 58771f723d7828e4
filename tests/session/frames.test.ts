import { expect, test } from 'vitest'
import type { Frame } from '@deskhand/core/driver'
import type { FramePart } from '@deskhand/core/session'
import { openVirtual } from '@deskhand/driver-virtual'
import { AGENT, desk, element, govern, window, type TestDesk } from '../support/desk.ts'

const UI = {
  screen: { width: 640, height: 480 },
  windows: [
    window('Form', [
      element('text_field', 'Name'),
      element('checkbox', 'Agree'),
      element('select', 'Colour', { attributes: { options: ['Red', 'Green'] } }),
      element('text_field', 'Pin', { value: '1234', attributes: { password: true } }),
    ]),
  ],
}
const DENY = '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\n'

const bytesOf = (pixels: Uint32Array): Buffer => Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)

class Screen {
  readonly pixels = new Uint32Array(640 * 480)

  equals(other: Uint32Array): boolean {
    return bytesOf(this.pixels).equals(bytesOf(other))
  }

  draw(parts: readonly FramePart[]): void {
    for (const { rect, bytes } of parts) {
      const part = new Uint32Array(bytes.buffer, bytes.byteOffset, rect.w * rect.h)
      for (let row = 0; row < rect.h; row++) this.pixels.set(part.subarray(row * rect.w, (row + 1) * rect.w), (rect.y + row) * 640 + rect.x)
    }
  }
}

async function looks(d: TestDesk): Promise<Uint32Array> {
  const { data } = await d.session.call({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, principal: AGENT })
  const { data: bytes } = data as Frame
  return new Uint32Array(bytes.buffer, bytes.byteOffset, 640 * 480)
}

test('the first update is the whole screen, the next ones what was drawn; together they are the screen, the password masked', async () => {
  const d = await desk({ ui: UI })
  const end = new AbortController()
  const screen = new Screen()
  const stream = d.session.frames({ principal: AGENT }, { encoding: 'raw', restMs: 0, signal: end.signal })
  const first = (await stream.next()).value ?? []
  expect(first).toMatchObject([{ rect: { x: 0, y: 0, w: 640, h: 480 } }])
  expect(first[0]?.masked).toHaveLength(1)
  screen.draw(first)
  expect(screen.equals(await looks(d))).toBe(true)
  for (const act of [
    () => d.call('ui.type', { target: 'name="Name"', text: 'Ada' }),
    () => d.call('ui.click', { target: 'name="Agree"' }),
    () => d.call('ui.click', { target: 'name="Colour"' }),
    () => d.call('ui.hover', { target: 'name="Green"' }),
    () => d.call('ui.click', { target: 'name="Green"' }),
    () => d.call('ui.window', { target: 'role=window', op: 'move', bounds: { x: 100, y: 80 } }),
  ]) {
    expect(await act()).toMatchObject({ status: 'success' })
    const parts = (await stream.next()).value ?? []
    expect(parts.length).toBeGreaterThan(0)
    screen.draw(parts)
    expect(screen.equals(await looks(d))).toBe(true)
  }
  end.abort()
  expect(await stream.next()).toEqual({ value: undefined, done: true })
  await d.session.close()
})

test('a desktop without a screen is waited for', async () => {
  const driver = openVirtual({ ui: UI })
  const unplugged = { ...driver, observe: { ...driver.observe, screens: () => Promise.resolve([]) } }
  const { session } = await govern(unplugged, '', { desktop: 'virtual', mode: 'simulation_only' })
  const end = new AbortController()
  const next = session.frames({ principal: AGENT }, { signal: end.signal }).next()
  setTimeout(() => end.abort(), 100)
  expect(await next).toEqual({ value: undefined, done: true })
  await session.close()
})

test('who may take no pictures gets no stream, and the attempt is recorded', async () => {
  const d = await desk({ ui: UI, policy: DENY })
  await expect(d.session.frames({ principal: AGENT }).next()).rejects.toMatchObject({ code: 'DENIED' })
  expect((await d.journal()).filter((e) => e.type === 'decided')).toMatchObject([{ tool: 'ui.capture', decision: { verdict: 'deny' } }])
  await d.session.close()
})

test('a reader that takes its time gets one update for everything that happened', async () => {
  const d = await desk({ ui: UI })
  const stream = d.session.frames({ principal: AGENT }, { encoding: 'raw', restMs: 0 })
  const screen = new Screen()
  screen.draw((await stream.next()).value ?? [])
  for (let i = 0; i < 20; i++) await d.call('ui.type', { target: 'name="Name"', text: `round ${i} ` })
  const parts = (await stream.next()).value ?? []
  expect(parts.length).toBeLessThanOrEqual(8)
  screen.draw(parts)
  expect(screen.equals(await looks(d))).toBe(true)
  await stream.return()
  await d.session.close()
})

test('a dozen pictures at once are a dozen pictures', async () => {
  const d = await desk({ ui: UI })
  const [first, ...others] = await Promise.all(Array.from({ length: 12 }, () => looks(d)))
  expect(new Set(first).size).toBeGreaterThan(1)
  for (const other of others) expect(bytesOf(other).equals(bytesOf(first!))).toBe(true)
  await d.session.close()
})
