import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processes } from '@deskhand/core/platform'
import { use, World, type Up } from '../support/cli.ts'
import { handled } from '../support/handled.ts'
import { send, type Reply } from '../support/http.ts'
import { RfbClient } from '../support/rfb.ts'

const RULES = ['Archive', 'Amount']
  .map((name) => `[[rule]]\ntoolName = "ui.*"\ndecision = "ask_user"\npriority = 600\nwhen = { name = "${name}" }\n`)
  .join('')

let world: World
beforeEach(() => {
  world = new World()
  world.file('rules.toml', RULES)
  world.file('deskhand.toml', '[policy]\nfiles = ["rules.toml"]\n')
})
afterEach(() => world.end())

const operator = (): string => world.token('server', 'operator')
const ask = ({ ready }: Up, verb: string, path: string, token: string, body?: unknown): Promise<Reply> =>
  send(verb, `${ready.url}/api/v1/desktops/virtual${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  })

async function tokenOf(id: string, role: 'agent' | 'viewer'): Promise<string> {
  const { out } = await world.run(['token', 'add', id, '--role', role])
  return /[\w-]{40,}/.exec(out)?.[0] ?? ''
}

async function mcpClient({ ready }: Up, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.mcp), { requestInit }))
  return client
}

test('two agents act, a viewer watches and an operator answers, all at once', async () => {
  const up = await world.server()
  const [first, second, viewer] = await Promise.all([tokenOf('first', 'agent'), tokenOf('second', 'agent'), tokenOf('watching', 'viewer')])
  const picture = await RfbClient.open(`${up.ready.url.replace('http', 'ws')}/desktops/virtual/vnc`, viewer)
  const client = await mcpClient(up, first)
  let isOver = false
  const answering = handled(
    (async () => {
      let count = 0
      while (!isOver || count === 0) {
        const { json } = await ask(up, 'GET', '/approvals', operator())
        if (!Array.isArray(json)) throw new Error(JSON.stringify(json))
        for (const { id } of json as { id: string }[])
          count += (await ask(up, 'POST', `/approvals/${id}/answer`, operator(), { allow: true })).status === 200 ? 1 : 0
        await new Promise((done) => setTimeout(done, 50))
      }
      return count
    })(),
  )
  const overMcp = async () => {
    const answers = []
    for (let i = 0; i < 10; i++) answers.push(await use(client, 'ui.click', { target: 'name="Already paid"' }))
    return answers.filter((a) => a.record['effect'] === 'confirmed').length
  }
  const overHttp = async () => {
    const answers = []
    for (let i = 0; i < 8; i++)
      answers.push(await ask(up, 'POST', '/tools/ui.type', second, { args: { target: 'name="Customer"', text: `${i}` } }))
    return answers.filter((a) => a.status === 200).length
  }
  expect(await Promise.all([overMcp(), overHttp()])).toEqual([10, 8])
  // Input of the other would make a question void, so each asks when the other is done.
  const amount = (text: string) => ({ target: 'name="Amount"', text })
  expect(await use(client, 'ui.type', amount('1'))).toMatchObject({ record: { status: 'success' } })
  expect(await ask(up, 'POST', '/tools/ui.type', second, { args: amount('2'), waitMs: 60_000 })).toMatchObject({ status: 200 })
  isOver = true
  expect(await answering).toBe(2)
  expect(picture.updates).toBeGreaterThan(1)
  const steps = (await ask(up, 'GET', '/trace?limit=50', viewer)).json as { principal: { id: string } }[]
  expect(steps.map((s) => s.principal.id).filter((id) => id === 'first' || id === 'second')).toHaveLength(20)
  expect(await ask(up, 'POST', '/pause', viewer)).toMatchObject({ status: 403 })
  picture.close()
  await client.close()
})

test('a server that is killed in the middle of everything leaves a record that holds, and the next one serves the same agents', async () => {
  const up = await world.server()
  const agent = await tokenOf('first', 'agent')
  const asked = ask(up, 'POST', '/tools/ui.click', agent, { args: { target: 'role=button && name="Archive"' } }).catch(() => 'broken')
  const acting = (async () => {
    // Looks only: input of others would make the question void.
    for (;;) await ask(up, 'POST', '/tools/ui.snapshot', agent, { args: {} })
  })().catch(() => 'broken')
  await expect.poll(async () => ((await ask(up, 'GET', '/approvals', operator())).json as unknown[]).length).toBe(1)
  process.kill(up.pid, 'SIGKILL')
  expect(await Promise.all([asked, acting])).toEqual(['broken', 'broken'])
  const again = await world.server()
  expect((await ask(again, 'GET', '/approvals', operator())).json).toEqual([])
  const click = { args: { target: 'name="Already paid"' } }
  expect((await ask(again, 'POST', '/tools/ui.click', agent, click)).json).toMatchObject({ effect: 'confirmed' })
  expect(await world.run(['journal', 'verify'])).toMatchObject({ code: 0 })
})

test('the question of a client that is killed is taken back', async () => {
  const up = await world.server()
  const client = world.start('call', 'ui.click', '{"target":"role=button && name=\\"Archive\\""}')
  const waiting = async () => ((await ask(up, 'GET', '/approvals', operator())).json as unknown[]).length
  await expect.poll(waiting).toBe(1)
  client.kill('SIGKILL')
  await expect.poll(waiting).toBe(0)
})

test('a desktop that hangs is told as such, and neither the list of desktops nor who asks for its health waits for it', async () => {
  const up = await world.server()
  const whole = world.token('server', 'operator')
  const list = (verb: string, body?: unknown): Promise<Reply> =>
    send(verb, `${up.ready.url}/api/v1/desktops`, {
      headers: { authorization: `Bearer ${whole}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    })
  const brokers = (): number[] => processes().flatMap(({ id, parent }) => (parent === up.pid ? [id.pid] : []))
  const before = brokers()
  expect((await list('POST', { name: 'second', kind: 'virtual' })).status).toBe(201)
  const broker = brokers().find((pid) => !before.includes(pid)) ?? Number.NaN
  process.kill(broker, 'SIGSTOP')
  try {
    const { status, json } = await list('GET')
    expect(status).toBe(200)
    expect(json).toMatchObject([
      { name: 'virtual', kind: 'virtual' },
      { name: 'second', error: { code: 'NO_BROKER' } },
    ])
    expect(await send('GET', `${up.ready.url}/healthz`)).toMatchObject({ status: 503, json: { ok: false, desktops: 2 } })
  } finally {
    process.kill(broker, 'SIGCONT')
  }
  expect((await list('GET')).json).toMatchObject([{ name: 'virtual' }, { name: 'second', kind: 'virtual' }])
})
