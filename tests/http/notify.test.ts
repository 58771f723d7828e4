import { createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Log } from '../../packages/deskhand/src/http/log.ts'
import { tellOfQuestions, type NotifyOptions } from '../../packages/deskhand/src/http/notify.ts'
import { handled } from '../support/handled.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n'
let dir: string
let world: HttpWorld
let hook: Server
let end: AbortController
/** What the webhook was sent; it refuses as many as `refuse` says first. */
let heard: { body: string; headers: Record<string, unknown> }[]
let refuse: number
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'dh-notify-'))
  writeFileSync(join(dir, 'ask.toml'), ASK)
  world = await httpWorld([{ policy: { files: [join(dir, 'ask.toml')] } }])
  heard = []
  refuse = 0
  end = new AbortController()
  hook = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (part: string) => (body += part))
    req.on('end', () => {
      heard.push({ body, headers: req.headers })
      res.writeHead(refuse-- > 0 ? 500 : 204).end()
    })
  })
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
})
afterEach(async () => {
  end.abort()
  hook.closeAllConnections()
  hook.close()
  await world.close()
  rmSync(dir, { recursive: true })
})

function asked(options: Partial<NotifyOptions>, ...others: NotifyOptions[]): void {
  void tellOfQuestions(world.desktops.all()[0]!, world.url, [{ contents: false, ...options }, ...others], new Log('silent'), end.signal)
  void handled(world.ask('POST', '/desktops/virtual/tools/ui.click', { as: 'agent', body: { args: { target: 'name="Archive"' } } }))
}
const url = (): string => `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`
const question = async () => (await world.ask('GET', '/desktops/virtual/approvals', { as: 'operator' })).json[0]

test('a webhook hears of a question, signed and without its contents, and again until it took it; then its time runs', async () => {
  refuse = 1
  asked({ url: url(), secret: 'shared' })
  await expect.poll(() => heard.length, { timeout: 15_000 }).toBe(2)
  const { body, headers } = heard[1]!
  const signature = createHmac('sha256', 'shared')
    .update(`${String(headers['x-deskhand-time'])}.${body}`)
    .digest('hex')
  expect(headers['x-deskhand-signature']).toBe(`sha256=${signature}`)
  expect(JSON.parse(body)).toEqual({
    type: 'question',
    desktop: 'virtual',
    id: (await question()).id,
    askedAt: expect.any(String),
    expiresAt: expect.any(String),
    url: world.url,
  })
  await expect.poll(async () => (await question()).shownAt).toEqual(expect.any(String))
})

test('a question whose news reached nobody does not count as shown', async () => {
  refuse = 100
  asked({ url: url() })
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  expect((await question()).shownAt).toBeUndefined()
})

test('a webhook that refuses hears of a question four times, and of the next one again', async () => {
  refuse = 100
  const lines: string[] = []
  const log = new Log('error', (line) => lines.push(line))
  void tellOfQuestions(world.desktops.all()[0]!, world.url, [{ contents: false, url: url() }], log, end.signal, [0, 5, 5, 5])
  const ids = (): string[] => heard.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  for (let question = 1; question <= 2; question++) {
    void handled(world.ask('POST', '/desktops/virtual/tools/ui.click', { as: 'agent', body: { args: { target: 'name="Archive"' } } }))
    await expect.poll(() => heard.length, { timeout: 15_000 }).toBe(question * 4)
    await expect.poll(() => lines.length, { timeout: 15_000 }).toBe(question * 4)
  }
  const [first, ...others] = [...new Set(ids())]
  expect(ids()).toEqual([...Array<unknown>(4).fill(first), ...Array<unknown>(4).fill(others[0])])
  expect(lines.every((line) => /did not reach .*: it answered 500/.test(line))).toBe(true)
})

test('a command hears of it on its standard input, with contents where they are allowed', async () => {
  const file = join(dir, 'news.json')
  asked({ command: ['tee', file], contents: true })
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    tool: 'ui.click',
    summary: expect.stringContaining('Archive'),
    risk: expect.any(String),
  })
})

test('several are told at once, each as much as it may know, and the first that hears of it starts the time', async () => {
  refuse = 100
  const [first, second] = [join(dir, 'first.json'), join(dir, 'second.json')]
  asked({ url: url() }, { command: ['tee', first], contents: true }, { command: ['tee', second], url: url(), contents: false })
  await expect.poll(async () => (await question())?.shownAt).toEqual(expect.any(String))
  for (const file of [first, second]) await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
  await expect.poll(() => heard.length).toBeGreaterThan(1)
  expect(JSON.parse(readFileSync(first, 'utf8'))).toMatchObject({ id: (await question()).id, tool: 'ui.click' })
  for (const text of [readFileSync(second, 'utf8'), ...heard.map(({ body }) => body)]) expect(text).not.toMatch(/ui\.click|Archive/)
})
