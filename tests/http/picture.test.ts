import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Frame } from '@deskhand/core/driver'
import { element, window } from '../support/desk.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'
import { RfbClient } from '../support/rfb.ts'
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const UI = {
  screen: { width: 640, height: 480 },
  windows: [
    window('Form', [
      element('text_field', 'Name'),
      element('checkbox', 'Agree'),
      element('text_field', 'Pin', { value: '1234', attributes: { password: true } }),
    ]),
  ],
}
const dir = mkdtempSync(join(tmpdir(), 'dh-picture-'))
let world: HttpWorld
beforeAll(async () => {
  writeFileSync(join(dir, 'ui.json'), JSON.stringify(UI))
  world = await httpWorld([{ desktop: { ui: join(dir, 'ui.json') } }])
})
afterAll(async () => {
  await world.close()
  rmSync(dir, { recursive: true })
})

const watch = (role: 'viewer' | 'operator' | 'agent', options?: { encodings?: number[] }): Promise<RfbClient> =>
  RfbClient.open(`${world.url.replace('http', 'ws')}/desktops/virtual/vnc`, world.token(role), options)
const call = (tool: string, args: unknown) => world.ask('POST', `/desktops/virtual/tools/${tool}`, { as: 'agent', body: { args } })

/** The screen as an agent's picture has it, RGB. */
async function looks(): Promise<Buffer> {
  const { session } = world.desks[0]!.opened
  const { data } = await session.call({
    tool: 'ui.capture',
    kind: 'capture',
    args: { format: 'raw' },
    principal: { id: 'agent', role: 'agent' },
  })
  const rgba = (data as Frame).data
  const rgb = Buffer.alloc((rgba.length / 4) * 3)
  for (let i = 0; i < rgba.length / 4; i++) rgb.set(rgba.subarray(i * 4, i * 4 + 3), i * 3)
  return rgb
}

test.each([
  // Each has something else to follow: what is drawn as it was need not be sent.
  ['Tight', [7, -223], { text: 'Grüße', x: 90 }],
  ['Raw', [0], { text: 'Zeichen', x: 50 }],
])('a viewer decodes from %s exactly what agents get, masked alike, and what changes follows', async (_, encodings, { text, x }) => {
  const viewer = await watch('viewer', { encodings })
  expect([viewer.width, viewer.height, viewer.name]).toEqual([640, 480, 'virtual'])
  const same = async () => viewer.pixels.equals(await looks())
  await expect.poll(same).toBe(true)
  await call('ui.type', { target: 'name="Name"', text, mode: 'replace' })
  await expect.poll(same).toBe(true)
  await call('ui.window', { target: 'role=window', op: 'move', bounds: { x, y: 70 } })
  await expect.poll(same).toBe(true)
  expect(viewer.rects.every((r) => r.w * r.h < 640 * 480)).toBe(true)
  viewer.close()
})

test('a single picture is there for those who watch and those who act', async () => {
  for (const as of ['viewer', 'agent'] as const) {
    const { status, headers, text } = await world.ask('GET', '/desktops/virtual/picture', { as })
    expect({ status, type: headers['content-type'], png: text.slice(1, 4) }).toEqual({ status: 200, type: 'image/png', png: 'PNG' })
  }
})

test('where nothing happens nothing is sent', async () => {
  const viewer = await watch('viewer')
  await expect.poll(async () => viewer.pixels.equals(await looks())).toBe(true)
  const { updates } = viewer
  await new Promise((done) => setTimeout(done, 1_200))
  expect(viewer.updates).toBe(updates)
  viewer.close()
})

test('ten viewers see the same, and the screen is captured once for all of them', async () => {
  const viewers = await Promise.all(Array.from({ length: 10 }, () => watch('viewer')))
  const { json } = await world.ask('GET', '/desktops/virtual/picture/status', { as: 'viewer' })
  expect(json).toMatchObject({ viewers: 10, width: 640, height: 480 })
  await call('ui.click', { target: 'name="Agree"' })
  await expect
    .poll(async () => {
      const now = await looks()
      return viewers.every((v) => v.pixels.equals(now))
    })
    .toBe(true)
  for (const v of viewers) v.close()
  await expect.poll(async () => (await world.ask('GET', '/desktops/virtual/picture/status', { as: 'viewer' })).json.viewers).toBe(0)
  const captures = await world.ask('GET', '/desktops/virtual/journal?types=decided&text=live%20picture', { as: 'operator' })
  expect(captures.json.length).toBeLessThan(8)
})

test('a viewer’s input goes nowhere, and an agent sees no picture', async () => {
  const viewer = await watch('viewer')
  const box = (await call('ui.query', { selector: 'name="Agree"' })).json.data.matches[0]
  viewer.pointer(1, box.bounds.x + 5, box.bounds.y + 5)
  viewer.pointer(0, box.bounds.x + 5, box.bounds.y + 5)
  viewer.type('x')
  await new Promise((done) => setTimeout(done, 300))
  const { human } = (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json
  expect(human.takenBy).toBeUndefined()
  expect((await call('ui.query', { selector: 'name="Agree"' })).json.data.matches[0].state).toEqual(box.state)
  viewer.close()
  await expect(watch('agent')).rejects.toThrow('403')
})

test('what an operator does in the picture is done, the agent waits, and the record has counts and elements but no content', async () => {
  const operator = await watch('operator')
  const place = (await call('ui.query', { selector: 'name="Name"' })).json.data.matches[0].bounds
  operator.pointer(0, place.x + 10, place.y + 10)
  await new Promise((done) => setTimeout(done, 200))
  expect((await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json.human.takenBy).toBeUndefined()
  operator.pointer(1, place.x + 10, place.y + 10)
  operator.pointer(0, place.x + 10, place.y + 10)
  await expect.poll(async () => (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json.human.takenBy).toBe('operator')
  const waiting = call('ui.click', { target: 'name="Agree"', timeoutMs: 20_000 })
  operator.type('zäh§')
  await expect.poll(async () => (await call('ui.query', { selector: 'name="Name"' })).json.data.matches[0].value).toMatch(/zäh§/)
  const running = (await world.ask('GET', '/desktops/virtual/operations', { as: 'operator' })).json
  expect(running.filter((o: { state: string; tool: string }) => o.tool === 'ui.click' && o.state === 'running')).toHaveLength(1)
  expect(await world.ask('POST', '/desktops/virtual/takeover/end', { as: 'operator' })).toMatchObject({ status: 200 })
  expect(await waiting).toMatchObject({ status: 200, json: { effect: 'confirmed' } })
  const { json } = await world.ask('GET', '/desktops/virtual/journal?types=human,operator&newest=true&limit=20', { as: 'operator' })
  const human = json.find((e: { type: string }) => e.type === 'human')
  expect(human).toMatchObject({ keyEvents: 4, touched: expect.arrayContaining([expect.stringContaining('Name')]) })
  expect(JSON.stringify(json)).not.toMatch(/zäh/)
  expect(json.map((e: { what?: string }) => e.what)).toEqual(expect.arrayContaining(['takeover', 'handback']))
  operator.close()
})

test('after an operator handed back, neither a key that comes up nor the end of their picture takes the desktop again', async () => {
  const operator = await watch('operator')
  const takenBy = async (): Promise<unknown> => (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json.human.takenBy
  operator.key(true, 0xffe3)
  await expect.poll(takenBy).toBe('operator')
  await world.ask('POST', '/desktops/virtual/takeover/end', { as: 'operator' })
  operator.key(false, 0xffe3)
  operator.pointer(0, 20, 20)
  const begun = operator.updates
  await call('ui.type', { target: 'name="Name"', text: 'b', mode: 'replace' })
  await expect.poll(() => operator.updates).toBeGreaterThan(begun)
  expect(await takenBy()).toBeUndefined()
  operator.close()
  await expect.poll(async () => (await world.ask('GET', '/desktops/virtual/picture/status', { as: 'viewer' })).json.viewers).toBe(0)
  expect(await call('ui.type', { target: 'name="Name"', text: 'c', mode: 'replace' })).toMatchObject({ status: 200 })
  expect(await takenBy()).toBeUndefined()
})

test('what an operator held when the connection broke is let go, and the desktop stays theirs until they hand back', async () => {
  const operator = await watch('operator')
  operator.key(true, 0xffe1)
  await expect.poll(async () => (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json.human.takenBy).toBe('operator')
  operator.socket.terminate()
  await expect.poll(async () => (await world.ask('GET', '/desktops/virtual/picture/status', { as: 'viewer' })).json.viewers).toBe(0)
  expect((await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json.human).toMatchObject({ takenBy: 'operator', paused: true })
  await world.ask('POST', '/desktops/virtual/resume', { as: 'operator' })
  await call('ui.type', { target: 'name="Name"', text: 'a', mode: 'replace' })
  expect((await call('ui.query', { selector: 'name="Name"' })).json.data.matches[0].value).toBe('a')
})

test.each([
  ['another version', Buffer.from('RFB 004.001\n')],
  ['no protocol at all', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['an endless message', Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1, 6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])])],
  ['too many encodings', Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1, 2, 0, 0xff, 0xff])])],
  ['an unknown message', Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1, 77, 0, 0, 0])])],
])('a viewer that sends %s is let go, and the others go on', async (_, bytes) => {
  const bad = await watch('viewer', { encodings: [7] })
  bad.send(bytes)
  await new Promise((done) => bad.socket.once('close', done))
  const good = await watch('viewer')
  await expect.poll(async () => good.pixels.equals(await looks())).toBe(true)
  good.close()
})
