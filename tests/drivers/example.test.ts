import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '@deskhand/core/driver/check'
import { World } from '../support/cli.ts'
import { open, type Opened } from '../../packages/deskhand/src/wiring/open.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/driver-rest.mjs')

interface Order {
  id: number
  customer: string
  total: number
  status: string
  note: string
}

/** The back end that the example is for. */
async function backEnd(orders: Order[]): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => (body += text))
    req.on('end', () => {
      const [, , id, what] = req.url?.split('/') ?? []
      const order = orders.find((o) => o.id === Number(id))
      if (id === undefined) return res.end(JSON.stringify(orders))
      if (order === undefined) return res.writeHead(404).end()
      if (what === 'approve') order.status = 'approved'
      if (what === 'note') order.note = body
      return res.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

let orders: Order[]
let server: Server
let url: string
let desk: Opened

beforeEach(async () => {
  orders = [
    { id: 7, customer: 'Ada', total: 12.5, status: 'open', note: '' },
    { id: 8, customer: 'Grace', total: 99, status: 'open', note: 'urgent' },
  ]
  const back = await backEnd(orders)
  ;({ server, url } = back)
  const mcp = { command: [process.execPath, EXAMPLE] as [string, string], env: { ORDERS_URL: url } }
  desk = await open({ config: { desktop: { kind: 'virtual' }, drivers: [{ name: 'orders', mcp, risk: 'high' }] } })
})
afterEach(async () => {
  await desk.close()
  await new Promise((done) => server.close(done))
})

test('the example keeps the contract, as far as a driver without a window of the suite can show it', async () => {
  const world = new World({ ORDERS_URL: url })
  onTestFinished(() => world.end())
  const { code, out } = await world.run(['driver', 'check', '--json', '--', process.execPath, EXAMPLE])
  const outcomes = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome)
  expect(outcomes.filter((o) => o.result === 'fails')).toEqual([])
  const held = outcomes.filter((o) => o.result === 'holds').map((o) => o.check)
  expect(held).toContain('a read gives a consistent tree: unique keys, parents first, children in order, known applications')
  expect(held).toContain('a second lease is refused while the first one lives')
  expect(code).toBe(0)
})

test('a back end without a window is seen, operated and judged beside the simulated desktop', async () => {
  const look = await desk.call('ui.snapshot', { scope: 'desktop' })
  expect(look.text).toContain('Approve order 8')
  expect(look.text).toContain('Invoice')

  const pressed = await desk.call('ui.click', { target: 'orders:role=button && name="Approve order 8"' })
  expect(pressed).toMatchObject({ status: 'success', sent: 'all' })
  expect(orders[1]?.status).toBe('approved')
  expect(pressed.effect).toMatch(/confirmed|changed/)
  expect(pressed.risk).toMatchObject({ level: 'high' })
  expect(pressed.risk?.factors.map((f) => f.id)).toContain('driver.floor')

  const typed = await desk.call('ui.type', { target: 'orders:name="Note on order 7"', text: 'call first', mode: 'replace' })
  expect(typed).toMatchObject({ status: 'success', sent: 'all', effect: 'confirmed' })
  expect(orders[0]?.note).toBe('call first')

  const refused = await desk.call('ui.click', { target: 'orders:name="Approve order 8"', timeoutMs: 0 })
  expect(refused.error?.code).toBe('NOT_ACTIONABLE')
})

test('what does not tell where it is has no picture: the whole screen would be another one than was decided about', async () => {
  for (const target of ['orders:role=window', 'orders:role=button && name="Approve order 7"']) {
    const shot = await desk.call('input.capture', { target })
    expect(shot).toMatchObject({ status: 'error', error: { code: 'NOT_CAPABLE' } })
    expect(shot.images).toBeUndefined()
  }
})
