import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket as NodeSocket } from 'ws'
import { launchBrowser, openPage } from '../support/browser.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
let browser: Browser
/** Two sites of others: the configuration names the first. */
const sites: Server[] = []
const pages: Page[] = []
let friend = ''

beforeAll(async () => {
  const origins: string[] = []
  for (let i = 0; i < 2; i++) {
    const site = createServer((_, res) => res.setHeader('content-type', 'text/html').end('<title>elsewhere</title>')).listen(0, '127.0.0.1')
    await once(site, 'listening')
    sites.push(site)
    origins.push(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
  }
  friend = origins[0] ?? ''
  world = await httpWorld([{}], { origins: [friend] })
  browser = await launchBrowser()
  for (const origin of origins) {
    const page = await openPage(browser)
    await page.goto(origin)
    pages.push(page)
  }
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  for (const site of sites) site.close()
})

type Role = 'agent' | 'viewer' | 'operator'

/** What a page hears first over a WebSocket of the server, or `closed`. */
function hears(page: Page, path: string, role: Role): Promise<string> {
  const url = `${world.url.replace('http', 'ws')}${path}`
  return page.evaluate(
    ([at, token]) =>
      new Promise<string>((done) => {
        const socket = new WebSocket(at, ['binary', `deskhand.token.${token}`])
        socket.binaryType = 'arraybuffer'
        socket.onmessage = ({ data }) => {
          done(typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer))
          socket.close()
        }
        socket.onclose = () => done('closed')
      }),
    [url, world.token(role)] as const,
  )
}

const VNC = '/desktops/virtual/vnc'

test('a page of another site shows the picture with a viewer’s token, where the configuration names the site', async () => {
  expect(await hears(pages[0]!, VNC, 'viewer')).toBe('RFB 003.008\n')
  expect(await hears(pages[1]!, VNC, 'viewer')).toBe('closed')
})

test.each(['agent', 'operator'] as const)('with the token of an %s it shows nothing', async (role) => {
  expect(await hears(pages[0]!, VNC, role)).toBe('closed')
})

test('it reaches nothing but the picture', async () => {
  expect(await hears(pages[0]!, '/desktops/virtual/events', 'viewer')).toBe('closed')
  const answers = await pages[0]!.evaluate(
    ([url, token]) =>
      Promise.all(
        ['/api/v1/desktops/virtual', '/api/v1/desktops/virtual/journal', '/mcp', '/healthz'].map((path) =>
          fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(
            (res) => res.text(),
            () => 'nothing',
          ),
        ),
      ),
    [world.url, world.token('viewer')] as const,
  )
  expect(answers).toEqual(Array(answers.length).fill('nothing'))
})

test('what a browser would keep back is refused by the server itself', async () => {
  for (const path of ['/desktops/virtual', '/desktops/virtual/journal', '/desktops/virtual/picture', '/desktops', '//healthz'])
    expect((await world.ask('GET', path, { as: 'viewer', headers: { origin: friend } })).status).toBe(403)
  const socket = new NodeSocket(`${world.url.replace('http', 'ws')}/desktops/virtual/events`, {
    headers: { origin: friend, authorization: `Bearer ${world.token('viewer')}` },
  })
  socket.on('error', () => {})
  const status = await new Promise((done) => {
    socket.once('unexpected-response', (_, res) => done(res.statusCode))
    socket.once('open', () => done('open'))
  })
  socket.terminate()
  expect(status).toBe(403)
})
