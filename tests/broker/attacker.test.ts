import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Link } from '@deskhand/core/driver'
import { METHODS, type JournalEntry } from '@deskhand/core/model'
import { BrokerClient } from '../../packages/deskhand/src/broker/client.ts'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { CLIENT } from '../../packages/deskhand/src/broker/protocol.ts'
import { use, World } from '../support/cli.ts'
import { element, OPERATOR, window } from '../support/desk.ts'

const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const SHOP = { windows: [window('Shop', [element('button', 'Order', counting), element('label', 'n', { value: 0 })])] }
const ORDER = { target: 'name="Order"' }
const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n'

let world: World
let ready: Awaited<ReturnType<World['up']>>
let place: DesktopState

async function up(): Promise<void> {
  world = new World()
  const [ui, policy] = [world.file('ui.json', JSON.stringify(SHOP)), world.file('policy.toml', ASK)]
  ready = await world.up('--ui', ui, '--policy', policy)
  place = new DesktopState(world.env['DESKHAND_STATE']!, ready.ready.name)
}
const down = (): Promise<void> => world.end()

const record = (): JournalEntry[] =>
  readdirSync(ready.ready.journal)
    .filter((f) => f.endsWith('.jsonl'))
    .flatMap((f) =>
      readFileSync(join(ready.ready.journal, f), 'utf8')
        .trim()
        .split('\n')
        .map((l) => JSON.parse(l) as JournalEntry),
    )
const rejected = (code: string): number => record().filter((e) => e.type === 'rejected' && e.code === code).length
const serves = async (): Promise<void> => {
  const client = await BrokerClient.connect(place, 'operator')
  expect(await client.invoke('info', {})).toMatchObject({ stopped: false, mode: 'simulation_only' })
  expect((await client.call('ui.query', { selector: 'role=label' })).text).toContain('"n"')
  await client.close()
}

describe('a client on the socket', () => {
  beforeEach(up)
  afterEach(down)

  test('guesses no token: one wrong word ends the connection, and is recorded', async () => {
    const token = place.tokens.issue('operator', 'operator')
    const guesses = [
      '',
      'operator',
      token.slice(0, -1),
      `${token}x`,
      ` ${token}`,
      `${token}\n`,
      token.toUpperCase(),
      place.tokens.issue('agent', 'agent').split('').reverse().join(''),
      randomBytes(32).toString('base64url'),
    ]
    for (const guess of guesses) {
      const link = await open(ready.ready.socket)
      await expect(link.call('auth', { token: guess })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
      await link.closed
      await expect(link.call('auth', { token })).rejects.toMatchObject({ code: 'NO_BROKER' })
    }
    for (const bad of [
      {},
      { as: 1 },
      { as: '../operator' },
      { as: 'operator', role: 'operator' },
      { token, as: 'operator' },
      { token: 1 },
      { token: 'x'.repeat(1000) },
      { token: { $ne: null } },
    ]) {
      const link = await open(ready.ready.socket)
      await expect(link.call('auth', bad)).rejects.toMatchObject({ code: 'BAD_ARGS' })
      await link.close()
    }
    expect(rejected('UNAUTHORIZED')).toBe(guesses.length)
    await serves()
  })

  test('asks nothing before it has said who it is', async () => {
    const link = await open(ready.ready.socket)
    for (const method of Object.keys(METHODS)) await expect(link.call(method, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await link.close()
    await serves()
  })

  test('with an agent’s token asks nothing of the operator’s, and stays who it is', async () => {
    const link = await open(ready.ready.socket)
    await link.call('auth', { token: place.tokens.issue('agent', 'agent') })
    const params: Record<string, unknown> = {
      mode: { mode: 'allow_actual_input_full' },
      'approvals.answer': { id: 'a000000000000', allow: true },
      'approvals.picture': { id: 'a000000000000' },
      'approvals.watch': { pids: [ready.pid] },
      'grants.revoke': { id: 'g000000000000' },
      'policy.explain': { tool: 'ui.click', args: {}, as: 'operator' },
      replay: { seq: 1, tool: 'ui.click', kind: 'click', args: ORDER, as: 'operator', dryRun: false },
    }
    const theirs = Object.entries(METHODS).flatMap(([name, { roles }]) => (roles.includes('agent') ? [] : [name]))
    for (const method of theirs) await expect(link.call(method, params[method] ?? {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(link.call('auth', { token: place.tokens.issue('operator', 'operator') })).rejects.toMatchObject({ code: 'BAD_ARGS' })
    for (const more of [{ principal: OPERATOR }, { as: 'operator' }, { role: 'operator' }, { lease: {} }])
      await expect(link.call('call', { tool: 'ui.click', args: ORDER, ...more })).rejects.toMatchObject({ code: 'BAD_ARGS' })
    await link.close()
    expect(rejected('UNAUTHORIZED')).toBe(theirs.length)
    expect(record().some((e) => e.type === 'operator' && e.what !== 'up')).toBe(false)
    await serves()
  })

  test('no variable and no file on the agent’s side raises the mode or the role', async () => {
    writeFileSync(
      join(world.dir, 'deskhand.toml'),
      '[policy]\nmode = "allow_actual_input_full"\npreset = "unattended"\nnonInteractive = "allow"\n[approvals]\nwaitSeconds = 0.1\n',
    )
    const env = {
      DESKHAND_MODE: 'allow_actual_input_full',
      DESKHAND_POLICY: '/dev/null',
      DESKHAND_ROLE: 'operator',
      DESKHAND_TOKEN: place.tokens.issue('agent', 'agent'),
    }
    const client = await world.mcp('auto', env)
    expect((await use(client, 'ui.click', ORDER)).record).toMatchObject({ sent: 'none', error: { code: 'APPROVAL_PENDING' } })
    expect((await client.listTools()).tools.filter((t) => /mode|approv|grant|polic|stop|resume/.test(t.name))).toEqual([])
    for (const name of ['mode', 'desktop.mode', 'stop', 'policy.explain', 'replay'])
      expect((await use(client, name)).record).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } })
    const asOperator = new World({ ...world.env, DESKHAND_AGENT: 'operator' })
    try {
      expect(await asOperator.run(['call', 'ui.click', JSON.stringify(ORDER)])).toMatchObject({
        code: 4,
        err: expect.stringContaining('UNAUTHORIZED'),
      })
    } finally {
      await asOperator.end()
    }
    await serves()
  })

  test('by ten thousand connections takes neither memory without end nor the operator’s place', async () => {
    const sockets: Socket[] = []
    let connected = 0
    let most = 0
    const flood = async (): Promise<void> => {
      while (connected < 10_000) {
        await Promise.all(
          Array.from({ length: 100 }, () => {
            const socket = connect(ready.ready.socket).resume()
            sockets.push(socket)
            return new Promise<void>((r) => socket.once('connect', () => (connected++, r())).once('error', () => r()))
          }),
        )
        most = Math.max(most, readdirSync(`/proc/${ready.pid}/fd`).length)
      }
    }
    const flooded = flood()
    // In the midst of it the operator comes in and stops everything.
    await sleep(200)
    const operator = await BrokerClient.connect(place, 'operator')
    await operator.invoke('stop', {})
    expect(connected).toBeLessThan(10_000)
    await operator.invoke('resume', {})
    await operator.close()
    await flooded
    expect(most).toBeLessThan(400)
    for (const socket of sockets) socket.destroy()
    await serves()
  })

  test('of agents there are so many at a time, and an operator besides', async () => {
    const agents: BrokerClient[] = []
    const refusals: unknown[] = []
    for (let i = 0; i < 70; i++)
      await BrokerClient.connect(place, 'agent').then(
        (c) => agents.push(c),
        (e: unknown) => refusals.push(e),
      )
    expect([agents.length, refusals.length]).toEqual([64, 6])
    expect(refusals[0]).toMatchObject({ code: 'BROKER_BUSY' })
    await serves()
    await Promise.all(agents.map((c) => c.close()))
    await BrokerClient.connect(place, 'agent').then((c) => c.close())
  })
})

describe('what a client sends to a broker that serves others too', () => {
  beforeAll(up)
  afterAll(down)

  test.each<[string, (socket: Socket) => void]>([
    ['a frame of four gigabytes', (s) => s.write(Buffer.alloc(8, 0xff))],
    ['a frame shorter than its JSON', (s) => s.write(frame('{}', 1))],
    ['no JSON', (s) => s.write(frame('{"jsonrpc":'))],
    ['JSON that is no message', (s) => s.write(frame('[1,2,3]'))],
    ['bytes that are no text', (s) => s.write(Buffer.concat([head(4, 4), Buffer.from([0xff, 0xfe, 0, 0x80])]))],
    ['another protocol', (s) => s.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['no hello', (s) => s.write(frame('{"jsonrpc":"2.0","id":1,"method":"call","deadlineMs":1000,"params":{}}'))],
    ['the hello of another protocol', (s) => s.write(frame(HELLO.replace('deskhand-broker', 'deskhand-driver')))],
    [
      'a call of five mebibytes',
      (s) => void (s.write(frame(HELLO)), s.write(head(5 * 2 ** 20, 5 * 2 ** 20)), s.write(Buffer.alloc(5 * 2 ** 20, 0x20))),
    ],
    [
      'arguments nested a hundred thousand deep',
      (s) =>
        void (s.write(frame(HELLO)),
        s.write(
          frame(
            `{"jsonrpc":"2.0","id":1,"method":"auth","deadlineMs":1000,"params":{"token":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
          ),
        )),
    ],
    ['a request that is repeated', (s) => void (s.write(frame(HELLO)), s.write(Buffer.concat([AUTH, AUTH])))],
  ])('hurts no other client: %s', async (_, send) => {
    const socket = connect(ready.ready.socket).resume()
    socket.on('error', () => {})
    await new Promise((r) => socket.once('connect', r))
    send(socket)
    await Promise.race([new Promise((r) => socket.once('close', r)), sleep(500)])
    socket.destroy()
    await serves()
    expect(
      record()
        .filter((e) => e.type === 'decided')
        .every((e) => e.principal.role === 'operator'),
    ).toBe(true)
  })
})

const HELLO = '{"jsonrpc":"2.0","method":"$/hello","params":{"name":"deskhand-broker","version":1,"maxFrameBytes":1048576}}'

function head(size: number, json: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(size, 0)
  bytes.writeUInt32LE(json, 4)
  return bytes
}

function frame(json: string, size = Buffer.byteLength(json)): Buffer {
  return Buffer.concat([head(size, Buffer.byteLength(json)), Buffer.from(json)])
}

const AUTH = frame('{"jsonrpc":"2.0","id":1,"method":"auth","deadlineMs":1000,"params":{"token":"x"}}')

async function open(path: string): Promise<Link> {
  const socket = connect(path)
  await new Promise((ok, no) => socket.once('connect', ok).once('error', no))
  return new Link(socket, CLIENT)
}
