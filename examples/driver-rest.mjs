// A driver for a back end that has no window: orders behind a REST API, as elements that an agent can see and operate.
//   GET <ORDERS_URL>/orders                  [{ "id": 7, "customer": "Ada", "total": 12.5, "status": "open", "note": "" }, …]
//   POST <ORDERS_URL>/orders/7/approve       PUT <ORDERS_URL>/orders/7/note   (the text as the body)
// In deskhand.toml:
//   [[drivers]]
//   name = "orders"
//   mcp = { command = ["node", "driver-rest.mjs"], env = { ORDERS_URL = "http://127.0.0.1:8080" } }
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'

const { ORDERS_URL = 'http://127.0.0.1:8080' } = process.env
const APP = { id: 'orders', name: 'Orders' }

const failure = (code, message) => Object.assign(new Error(message), { code })

async function ask(method, path, body) {
  const answer = await fetch(`${ORDERS_URL}${path}`, { method, body, signal: AbortSignal.timeout(3000) })
  if (answer.status === 404) throw failure('STALE_REF', 'there is no such order any more')
  if (answer.status === 409) throw failure('NOT_ACTIONABLE', await answer.text())
  if (!answer.ok) throw failure('DRIVER_FAILED', `the back end answered ${answer.status}`)
  return answer.status === 204 ? null : answer.json()
}

/** The orders as nodes. The id of an order is part of its keys, so that they never come to mean another one. */
async function tree() {
  const node = (key, parent, index, role, name, more = {}) => ({ key, parent, index, app: APP.id, role, name, ...more })
  const shown = { enabled: true, visible: true }
  const orders = await ask('GET', '/orders')
  const rows = orders.flatMap(({ id, customer, total, status, note }, i) => [
    node(`order-${id}`, 'list', i, 'listitem', `Order ${id}, ${customer}, ${total.toFixed(2)}, ${status}`, { states: shown }),
    node(`note-${id}`, `order-${id}`, 0, 'textbox', `Note on order ${id}`, { value: note, states: { ...shown, editable: true } }),
    node(`approve-${id}`, `order-${id}`, 1, 'button', `Approve order ${id}`, { states: { ...shown, enabled: status === 'open' } }),
  ])
  const window = node('window', undefined, 0, 'window', 'Orders', { states: shown })
  return [window, node('list', 'window', 0, 'list', 'Orders', { states: shown }), ...rows]
}

// Every change so far, in order; a cursor is a place in it.
const log = []
let told = new Map()

async function refresh() {
  const now = new Map((await tree()).map((n) => [n.key, n]))
  for (const [key, { parent }] of told) if (!now.has(key) && now.has(parent)) log.push({ type: 'gone', key })
  for (const node of now.values()) if (JSON.stringify(node) !== JSON.stringify(told.get(node.key))) log.push({ type: 'put', node })
  told = now
}

async function step({ do: what, key, text = '', mode }) {
  const node = (await tree()).find((n) => n.key === key)
  if (node === undefined) throw failure('STALE_REF', `there is no ${key}`)
  const [kind, id] = key.split('-')
  if (what === 'press' && kind === 'approve') {
    if (!node.states.enabled) throw failure('NOT_ACTIONABLE', 'the order is not open')
    await ask('POST', `/orders/${id}/approve`)
    return { units: 1, via: 'POST' }
  }
  if (what === 'setText' && kind === 'note') {
    await ask('PUT', `/orders/${id}/note`, mode === 'replace' ? text : node.value + text)
    return { units: [...text].length, via: 'PUT' }
  }
  throw failure('NOT_CAPABLE', `${node.role} "${node.name}" does not take ${what}`)
}

const CAN = ['tree', 'push', 'step:press', 'step:setText']
const GAPS = ['hit', 'capture', 'clipboard', 'humanInput']
const STEPS = 'focus expand collapse select reveal setValue pointer keys text clipboard window launch'.split(' ')
const can = Object.fromEntries([
  ...CAN.map((cap) => [cap, { ok: true }]),
  ...[...GAPS, ...STEPS.map((s) => `step:${s}`)].map((cap) => [cap, { ok: false, reason: 'orders have no screen' }]),
])
const who = { kind: 'orders', name: 'orders', version: '1', prefixes: ['orders'] }
const info = { protocol: 1, ...who, desktop: ORDERS_URL, epoch: randomUUID(), can }

let lease

const TOOLS = {
  'driver.info': () => info,
  'driver.screens': () => [{ id: 'none', bounds: { x: 0, y: 0, w: 1, h: 1 }, scale: 1, primary: true }],
  'driver.read': async ({ scope: { root, maxNodes = Infinity } }) => {
    const inside = new Set([root])
    await refresh()
    const all = [...told.values()].filter((n) => root === undefined || n.key === root || (inside.has(n.parent) && inside.add(n.key)))
    if (all.length === 0) throw failure('STALE_REF', `there is no ${root}`)
    const reasons = all.length > maxNodes ? [{ kind: 'truncated', detail: `only ${maxNodes} nodes were asked for` }] : []
    return {
      cursor: `${log.length}`,
      nodes: all.slice(0, maxNodes),
      apps: [APP],
      completeness: { complete: reasons.length === 0, reasons },
    }
  },
  'driver.changes': async ({ since }) => {
    if (!/^\d+$/.test(since) || Number(since) > log.length) return { reset: true }
    await refresh()
    return { cursor: `${log.length}`, changes: log.slice(Number(since)) }
  },
  'driver.check': async ({ keys }) => {
    const nodes = await tree()
    return keys.map((key) => nodes.find((n) => n.key === key) ?? null)
  },
  'driver.take': ({ ttlMs }) => {
    if (lease !== undefined && performance.now() < lease.until) throw failure('LEASE_LOST', 'another lease lives')
    lease = { id: randomUUID(), ttlMs, until: performance.now() + ttlMs }
    return lease.id
  },
  'driver.step': async ({ lease: id, step: wanted, guard }) => {
    if (lease?.id !== id || performance.now() > lease.until) throw failure('LEASE_LOST', 'this lease has ended')
    lease.until = performance.now() + lease.ttlMs
    const capability = can[`step:${wanted.do}`]
    if (!capability.ok) throw failure('NOT_CAPABLE', capability.reason)
    // There is one window, and nothing has the focus.
    const broken = guard.focus !== undefined ? 'focus' : (guard.window ?? 'window') !== 'window' ? 'window' : undefined
    if (broken !== undefined) return { sent: 'none', units: 0, via: wanted.do, held: [], broken }
    return { sent: 'all', held: [], ...(await step(wanted)) }
  },
  'driver.drop': ({ lease: id }) => {
    if (lease?.id === id) lease = undefined
    return null
  },
  'driver.stop': () => {
    lease = undefined
    return null
  },
}

async function answer({ method, params }) {
  if (method === 'initialize')
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'orders', version: '1' } }
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) }
  if (method !== 'tools/call' || TOOLS[params.name] === undefined) throw new Error(`there is no ${params?.name ?? method}`)
  try {
    return { content: [], structuredContent: { result: await TOOLS[params.name](params.arguments) } }
  } catch ({ code = 'DRIVER_FAILED', message }) {
    return { isError: true, content: [{ type: 'text', text: message }], structuredContent: { error: { code, message } } }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  if (request.id === undefined) continue
  void answer(request).then(
    (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, result })),
    ({ message }) => console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32601, message } })),
  )
}
