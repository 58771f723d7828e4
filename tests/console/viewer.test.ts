import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openPage } from '../support/browser.ts'
import { ConsoleWorld } from '../support/console.ts'
import { DrawnPicture } from '../support/drawn-picture.ts'

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }
const FIXTURE = resolve(import.meta.dirname, '../fixtures/viewer-program')

let on: ConsoleWorld
let site: Server
let page: Awaited<ReturnType<typeof openPage>>
let token: string
const built = mkdtempSync(join(tmpdir(), 'dh-viewer-'))

beforeAll(async () => {
  await build({ root: FIXTURE, configFile: false, logLevel: 'error', build: { outDir: built, emptyOutDir: true } })
  site = createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://site').pathname
    const file = join(built, path === '/' ? 'index.html' : path)
    try {
      res.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream').end(readFileSync(file))
    } catch {
      res.writeHead(404).end()
    }
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  on = await ConsoleWorld.open('', `[server]\norigins = ["${origin}"]\n`)
  token = (await on.world.run(['token', 'add', 'watcher', '--role', 'viewer'])).out.trim()
  page = await openPage(on.browser, { width: 900, height: 800 })
})
beforeEach(async () => {
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
  await page.waitForFunction('globalThis.program !== undefined')
})
afterAll(async () => {
  await on?.end()
  site?.close()
  rmSync(built, { recursive: true, force: true })
})

const show = (props: object | undefined) => page.evaluate((given) => (globalThis as unknown as Page).program.show(given), props)
const told = () => page.evaluate(() => (globalThis as unknown as Page).program.told)
const desktop = () => `${on.up.ready.url}/desktops/virtual`
const status = () => page.locator('.vnc-status').textContent()
const problem = () => page.locator('.vnc-error')

interface Page {
  program: { told: string[]; show(props: object | undefined): void }
}
interface Canvas {
  width: number
  height: number
  getContext(kind: '2d'): { getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray } }
}
interface Box {
  x: number
  y: number
  w: number
  h: number
}

test('the table of the docs has every prop of the component, as it is declared', () => {
  const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')
  const [, members = ''] = /interface VNCViewerProps \{([^]*?)\n\}/.exec(read('packages/console/src/viewer/vnc-viewer.tsx')) ?? []
  const declared = [...members.matchAll(/^ {2}(\w+\??:)/gm)].map(([, name]) => name)
  const told = [...read('docs/console.md').matchAll(/^\| `(\w+\??:)/gm)].map(([, name]) => name)
  expect(declared.length).toBeGreaterThan(5)
  expect(new Set(told)).toEqual(new Set(declared))
})

test('another React program shows the picture, scaled to fit a place of 600 pixels, and says that it is connected', async () => {
  await show({ sandboxUrl: desktop(), token, vncPort: 5901 })
  await expect.poll(status).toBe('Connected')
  expect(await page.locator('.vnc-indicator').getAttribute('class')).toBe('vnc-indicator connected')
  expect(await problem().count()).toBe(0)
  await expect.poll(told).toEqual(['connect', '1280x800'])
  const place = (await page.locator('.vnc-canvas').boundingBox())!
  expect([place.width, place.height]).toEqual([700, 600])
  const canvas = (await page.locator('.vnc-canvas canvas').boundingBox())!
  expect(canvas.width).toBe(700)
  expect(canvas.width / canvas.height).toBeCloseTo(1280 / 800, 1)
  await show({ sandboxUrl: desktop(), token, height: 320 })
  await expect.poll(async () => (await page.locator('.vnc-canvas').boundingBox())?.height).toBe(320)
  expect(await told()).toEqual(['connect', '1280x800'])
})

test('it only looks: what is clicked in it is clicked nowhere', async () => {
  await show({ sandboxUrl: desktop(), token })
  await expect.poll(status).toBe('Connected')
  const look = async () => {
    const { data } = await on.call('ui.query', { selector: 'name="Already paid"' })
    return (data as { matches: [{ bounds: Box; states: { checked: boolean } }] }).matches[0]
  }
  const { bounds, states } = await look()
  const canvas = (await page.locator('.vnc-canvas canvas').boundingBox())!
  const scale = canvas.width / 1280
  await page.mouse.click(canvas.x + (bounds.x + 8) * scale, canvas.y + (bounds.y + 8) * scale)
  // What an agent does afterwards is seen, and the click before it was not.
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ effect: 'confirmed' })
  expect((await look()).states.checked).toBe(!states.checked)
})

test('what noVNC shows of a page that scrolls is the page, though most of it was copied', async () => {
  const picture = await DrawnPicture.open()
  onTestFinished(() => picture.close())
  const area = { x: 20, y: 30, w: 200, h: 140 }
  const noise = (at: number): number => Math.imul(at + 1, 2_654_435_761) & 0xffffff
  picture.fill(area, noise)
  await show({ sandboxUrl: picture.url.replace('ws', 'http'), token })
  const canvas = page.locator('.vnc-canvas canvas')
  const shown = (): Promise<string> =>
    canvas.evaluate((element) => {
      const { width, height, getContext } = element as unknown as Canvas
      const { data } = getContext.call(element, '2d').getImageData(0, 0, width, height)
      return [...new Uint32Array(data.buffer)].map((colour) => colour & 0xffffff).join()
    })
  const same = async (): Promise<boolean> => (await shown()) === [...picture.pixels].map((colour) => colour & 0xffffff).join()
  await canvas.waitFor()
  for (let step = 1; step <= 4; step++) {
    await expect.poll(same, { timeout: 20_000 }).toBe(true)
    await expect.poll(() => picture.isTaken).toBe(true)
    picture.scroll(area, 12, (at) => noise(at + step * 7_919))
    await picture.draw()
  }
  await expect.poll(same, { timeout: 20_000 }).toBe(true)
  expect(picture.copies).toBe(4)
})

test('a component that goes has ended its connection, and says so once', async () => {
  await show({ sandboxUrl: desktop(), token })
  await expect.poll(told).toContain('1280x800')
  await show(undefined)
  await expect.poll(told).toEqual(['connect', '1280x800', 'disconnect'])
})

test('what cannot be opened says why, and is opened once it can be', async () => {
  await show({ sandboxUrl: desktop(), token: 'nobody' })
  await expect.poll(() => problem().textContent()).toMatch(/^Failed to connect: /)
  expect(await status()).toBe('Disconnected')
  expect(await told()).toEqual([])
  await show({ sandboxUrl: 'http://:0', token })
  await expect.poll(() => problem().textContent()).toMatch(/^Failed to connect: .*URL/)
  await show({ sandboxUrl: desktop(), token })
  await expect.poll(status).toBe('Connected')
  expect(await problem().count()).toBe(0)
})

test('a server that was killed is a lost connection, which is found again; one that ends is no loss', async () => {
  await show({ sandboxUrl: desktop(), token })
  await expect.poll(told).toEqual(['connect', '1280x800'])
  const port = new URL(on.up.ready.url).port
  process.kill(on.up.pid, 'SIGKILL')
  await expect.poll(() => problem().textContent()).toBe('Connection lost')
  expect(await page.locator('.vnc-indicator').getAttribute('class')).toBe('vnc-indicator disconnected')
  expect(await status()).toBe('Disconnected')
  expect(await told()).not.toContain('disconnect')
  on.up = await on.world.server('--port', port)
  await expect.poll(status, { timeout: 40_000 }).toBe('Connected')
  expect((await told()).filter((word) => word === 'connect')).toHaveLength(2)
  await on.world.run(['down'])
  await expect.poll(told).toContain('disconnect')
  await expect.poll(status).toBe('Disconnected')
})
