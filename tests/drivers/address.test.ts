import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Config } from '../../packages/deskhand/src/config.ts'
import { HttpChannel } from '../../packages/deskhand/src/drivers/http-channel.ts'
import { open, type Opened } from '../../packages/deskhand/src/wiring/open.ts'
import { BIN } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

const TOKEN = 'a token of the test'
const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }

let dir: string
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'dh-'))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A driver of another desktop, at an address. */
async function served(port = 0): Promise<{ server: ChildProcess; url: string }> {
  const ui = join(dir, 'far.json')
  writeFileSync(ui, JSON.stringify([window('Shop', [element('label', 'n'), element('button', 'Order', counting)])]))
  const args = [BIN, 'driver', 'virtual', '--mcp', '--port', String(port), '--ui', ui]
  const server = spawn(process.execPath, args, {
    env: { ...process.env, DESKHAND_DRIVER_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  return { server, url: (JSON.parse(line.toString()) as { url: string }).url }
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill(signal)
  await gone
}

/** A simulated desktop to which the driver at the address was added. */
async function desktopWith(url: string): Promise<Opened> {
  const own = join(dir, 'own.json')
  writeFileSync(own, JSON.stringify([window('Form', [element('text_field', 'Name')])]))
  process.env['FAR_TOKEN'] = TOKEN
  const desk = await open({
    config: { desktop: { kind: 'virtual', ui: own }, drivers: [{ name: 'far', mcp: { url, tokenEnv: 'FAR_TOKEN' }, risk: 'high' }] },
  })
  onTestFinished(() => desk.close())
  return desk
}

test('a driver at an address is operated like the own one, missed when it is gone, and taken in again when it is back', async () => {
  const first = await served()
  onTestFinished(() => ended(first.server, 'SIGKILL'))
  const desk = await desktopWith(first.url)
  const order = () => desk.call('ui.click', { target: 'far:role=button && name=Order', timeoutMs: 0 })
  const count = async (): Promise<unknown> =>
    ((await desk.call('ui.query', { selector: 'far:role=label' })).data as { matches: { name: string }[] }).matches
  expect(await order()).toMatchObject({ status: 'success', sent: 'all', risk: { level: 'high' } })
  await expect.poll(count).toMatchObject([{ name: '1' }])

  await ended(first.server, 'SIGKILL')
  await expect.poll(async () => (await order()).error?.code, { timeout: 60_000 }).toMatch(/^(DRIVER_DEAD|NOT_FOUND|STALE_REF)$/)
  expect(await desk.call('ui.type', { target: 'name=Name', text: 'goes on' })).toMatchObject({ status: 'success', effect: 'confirmed' })
  const look = await desk.call('ui.snapshot', { scope: 'desktop', includeTree: true })
  expect(JSON.stringify(look.data)).toContain('the driver far')

  const second = await served(Number(new URL(first.url).port))
  onTestFinished(() => ended(second.server, 'SIGKILL'))
  await expect.poll(async () => (await order()).status, { timeout: 60_000 }).toBe('success')
  await expect.poll(count).toMatchObject([{ name: '1' }])
}, 180_000)

test('an address in the clear is taken on this machine only', () => {
  const at = (url: string) => Config.safeParse({ drivers: [{ name: 'far', mcp: { url } }] }).success
  for (const url of ['https://far.example/mcp', 'http://127.0.0.1:1/', 'http://[::1]:1/', 'http://localhost/'])
    expect(at(url), url).toBe(true)
  for (const url of ['http://far.example/', 'http://127.0.0.1.evil.example/', 'http://localhost@evil.example/', 'ftp://localhost/'])
    expect(at(url), url).toBe(false)
})

test.each<[string, (res: ServerResponse) => void, string]>([
  ['sends an answer that is too long', (res) => res.end(JSON.stringify({ x: 'x'.repeat(300_000) })), 'PROTOCOL'],
  ['sends too much in a second', (res) => res.end(JSON.stringify({ x: 'x'.repeat(150_000) })), 'PROTOCOL'],
  ['sends what is no message', (res) => res.end('<html>'), 'PROTOCOL'],
  ['sends a list', (res) => res.end('[]'), 'PROTOCOL'],
  ['leads elsewhere', (res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 'DRIVER_DEAD'],
  ['breaks off', (res) => res.destroy(), 'DRIVER_DEAD'],
  ['wants another token', (res) => res.writeHead(401).end(), 'UNAUTHORIZED'],
  [
    'tells events without end',
    (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = setInterval(() => res.write(`data: {"jsonrpc":"2.0","method":"x","params":"${'x'.repeat(10_000)}"}\n\n`), 1)
      res.once('close', () => clearInterval(more))
    },
    'PROTOCOL',
  ],
])('the way to a server that %s ends with a code', async (_, answer, code) => {
  const server = createServer((_req, res) => answer(res))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const channel = new HttpChannel({ url, maxBytes: 200_000, maxRate: 100_000 })
  channel.send({ jsonrpc: '2.0', id: 1, method: 'initialize' })
  expect(await channel.ended).toMatchObject({ code })
})
