import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { getToolUiResourceUri, isToolVisibilityAppOnly, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { BIN, use, World } from '../support/cli.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'
import { mcpHost } from '../support/mcp-host.ts'

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Archive" }\n'
const SHOWS: ClientCapabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } }

const dir = mkdtempSync(join(tmpdir(), 'dh-app-'))
const clients: Client[] = []
let world: HttpWorld
let browser: Browser
let host: { url: string; server: Server }
beforeAll(async () => {
  writeFileSync(join(dir, 'ask.toml'), ASK)
  world = await httpWorld([{ policy: { files: [join(dir, 'ask.toml')] } }])
  browser = await launchBrowser()
  host = await mcpHost()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((c) => c.close().catch(() => {})))
})
afterAll(async () => {
  await browser?.close()
  host?.server.close()
  await world?.close()
  rmSync(dir, { recursive: true })
})

async function connect(capabilities: ClientCapabilities, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${world.token('agent')}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }))
  clients.push(client)
  return client
}

/** What a client finds of the page. */
async function offered(client: Client) {
  const { tools } = await client.listTools()
  const [shown] = tools.filter((t) => getToolUiResourceUri(t) !== undefined && !isToolVisibilityAppOnly(t))
  const { resources } = await client.listResources()
  return { tool: shown?.name, pages: resources.filter((r) => r.mimeType === RESOURCE_MIME_TYPE).map((r) => r.uri) }
}

describe.each(['auto', 'legacy'] as const)('a client of mode %s', (mode) => {
  test('is offered the page where it says that it shows pages', async () => {
    expect(await offered(await connect(SHOWS, mode))).toEqual({ tool: 'desktop.show', pages: ['ui://deskhand/desktop.html'] })
  })

  test('is offered nothing of it otherwise, and reaches nothing of it', async () => {
    const client = await connect({}, mode)
    expect(await offered(client)).toEqual({ tool: undefined, pages: [] })
    await expect(client.readResource({ uri: 'ui://deskhand/desktop.html' })).rejects.toThrow('there is no')
    expect((await use(client, 'desktop.view')).isError).toBe(true)
  })

  test('finds the same over standard input and output', async () => {
    const own = new World()
    try {
      for (const capabilities of [SHOWS, {}]) {
        const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
        clients.push(client)
        await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env: own.env, cwd: own.dir }))
        expect((await offered(client)).tool).toBe(capabilities === SHOWS ? 'desktop.show' : undefined)
      }
    } finally {
      await Promise.all(clients.splice(0).map((c) => c.close()))
      await own.end()
    }
  })
})

/** What `mcp-host/host.js` brings. */
interface HostPage {
  show(html: string, meta: object): Promise<void>
  asked: string[]
}

/** The page of the server in a host page, which calls through this client. */
async function shown(client: Client): Promise<Page & { complaints: string[] }> {
  const page = await openPage(browser)
  await page.exposeFunction('callTool', (params: { name: string; arguments?: Record<string, unknown> }) => client.callTool(params))
  await page.goto(host.url)
  const { tools } = await client.listTools()
  const uri = getToolUiResourceUri(tools.find((t) => t.name === 'desktop.show')!)!
  const [content] = (await client.readResource({ uri })).contents
  expect(content).toMatchObject({ mimeType: RESOURCE_MIME_TYPE, _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } } })
  await page.waitForFunction('typeof show === "function"')
  await page.evaluate(([html, meta]) => (globalThis as unknown as HostPage).show(html, meta), [
    (content as { text: string }).text,
    (content!._meta as { ui: object }).ui,
  ] as const)
  return page
}

test('a host shows the live picture and the questions of its own client, and nothing in it answers them', async () => {
  const client = await connect(SHOWS)
  const page = await shown(client)
  const app = page.frameLocator('#app')
  const picture = app.getByRole('img', { name: 'The screen' })
  await expect.poll(() => picture.evaluate((img) => [Object(img).naturalWidth, Object(img).naturalHeight])).toEqual([1280, 800])
  await app.getByText('No question waits.').waitFor()
  const before = await picture.getAttribute('src')

  const call = use(client, 'ui.click', { target: 'role=button && name="Archive"' })
  await app.getByText('One question waits').waitFor()
  expect(await app.getByRole('listitem').allTextContents()).toEqual([expect.stringContaining('Archive')])
  expect(await app.getByRole('button').count()).toBe(0)
  const [question] = (await world.ask('GET', '/desktops/virtual/approvals', { as: 'operator' })).json as { id: string }[]
  await world.ask('POST', `/desktops/virtual/approvals/${question!.id}/answer`, { as: 'operator', body: { allow: false } })
  await app.getByText('No question waits.').waitFor()
  expect((await call).isError).toBe(true)

  await use(client, 'ui.click', { target: 'name="Already paid"' })
  await expect.poll(() => picture.getAttribute('src'), { timeout: 20_000 }).not.toBe(before)
  expect(page.complaints).toEqual([])
  expect(new Set(await page.evaluate(() => (globalThis as unknown as HostPage).asked))).toEqual(new Set(['desktop.view', 'size']))
  await page.close()
})

test('what agents may not have a picture of, the page does not show, and says why', async () => {
  writeFileSync(
    join(dir, 'ask.toml'),
    `${ASK}[[rule]]\ntoolName = "input.capture"\ndecision = "deny"\npriority = 950\ndenyMessage = "no pictures"\n`,
  )
  const own = await httpWorld([{ policy: { files: [join(dir, 'ask.toml')] } }])
  try {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: SHOWS, versionNegotiation: { mode: 'auto' } })
    clients.push(client)
    const requestInit = { headers: { authorization: `Bearer ${own.token('agent')}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${own.url}/mcp`), { requestInit }))
    const page = await shown(client)
    await page.frameLocator('#app').getByText('no pictures').waitFor()
    expect(await page.frameLocator('#app').getByRole('img').getAttribute('src')).toBeNull()
    await page.close()
  } finally {
    await own.close()
  }
})
