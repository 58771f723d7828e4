import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Link } from '@deskhand/core/driver'
import { CLIENT } from '../../packages/deskhand/src/broker/protocol.ts'
import { BIN, use } from '../support/cli.ts'
import { Users, type User } from '../support/users.ts'

const GROUP = 65_190
const isRoot = process.getuid?.() === 0

/** Only root can be several users. */
describe.skipIf(!isRoot && process.env['CI'] === undefined)('a broker that runs as another user than its agents', () => {
  let users: Users
  let operator: User
  let agent: User
  let stranger: User
  let door: string

  beforeEach(() => {
    if (!isRoot) throw new Error('this test needs root to run a broker and an agent as different users')
    users = new Users()
    operator = users.add(65_101, GROUP)
    agent = users.add(65_102, GROUP)
    stranger = users.add(65_103)
    door = join(users.folder('run', operator), 'desk')
  })
  afterEach(() => users.end())

  const up = (...args: string[]): ReturnType<Users['up']> => users.up(operator, '--agent-group', String(GROUP), '--door', door, ...args)
  const place = (...parts: string[]): string => join(operator.home, 'state', ...parts)

  test('an agent gets in through the door and works, from the command line and through MCP', async () => {
    await up()
    expect(await users.deskhand(agent, ['call', 'ui.query', '{"selector":"name=Customer"}'], { DESKHAND_DOOR: door })).toMatchObject({
      code: 0,
    })
    const [command, ...args] = [...users.prefix(agent), process.execPath, BIN, 'mcp']
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command,
        args,
        env: { PATH: process.env['PATH'] ?? '', HOME: agent.home, DESKHAND_DOOR: door },
        cwd: agent.home,
      }),
    )
    try {
      expect((await use(client, 'ui.type', { target: 'name="Customer"', text: 'x' })).record).toMatchObject({ effect: 'confirmed' })
    } finally {
      await client.close()
    }
  })

  test('nothing else of the operator’s is open to it: tokens, keys, journal, the operator’s socket, the process', async () => {
    const { pid, journal, socket } = await up()
    const [segment] = readdirSync(journal).filter((f) => f.endsWith('.jsonl'))
    const closed: Parameters<Users['attempts']>[1] = [
      ['list', operator.home],
      ['list', place()],
      ['list', place('desktops', 'virtual', 'tokens')],
      [
        'read',
        place(
          'desktops',
          'virtual',
          readdirSync(place('desktops', 'virtual')).find((name) => name.endsWith('.lock'))!,
        ),
      ],
      ['read', join(journal, segment!)],
      ['write', join(journal, segment!)],
      ['list', place('keys')],
      ['read', place('keys', 'journal.key')],
      ['connect', socket],
      ['read', `/proc/${pid}/environ`],
      ['read', `/proc/${pid}/mem`],
      ['list', `/proc/${pid}/fd`],
      ['signal', String(pid)],
      ['list', door],
      ['write', join(door, 'other')],
    ]
    const refusals = await users.attempts(agent, closed)
    expect(refusals.map((code, i) => [closed[i]!.join(' '), code === 'EPERM' ? 'EACCES' : code])).toEqual(
      closed.map((c) => [c.join(' '), 'EACCES']),
    )
    // The same attempts succeed for the operator, so that it is the user that keeps the agent out.
    const own = closed.filter(([how]) => how === 'list' || how === 'read' || how === 'connect').filter(([, what]) => !what.includes('/mem'))
    expect(await users.attempts(operator, own)).toEqual(own.map(() => 'ok'))
  })

  test('who is not in the group does not even get to the door', async () => {
    await up()
    expect(
      await users.attempts(stranger, [
        ['list', door],
        ['connect', join(door, 'socket')],
      ]),
    ).toEqual(['EACCES', 'EACCES'])
    expect(await users.deskhand(stranger, ['call', 'ui.snapshot'], { DESKHAND_DOOR: door })).toMatchObject({
      code: 4,
      err: expect.stringContaining('UNAUTHORIZED'),
    })
  })

  test('behind the door nobody is an operator, whatever token they hold and whatever they call themselves', async () => {
    const { journal } = await up()
    const token = (await users.deskhand(operator, ['token', 'add', 'operator', '--role', 'operator'])).out.trim()
    for (const [said, why] of [
      [{ token }, 'behind this door'],
      [{ as: 'operator' }, 'not known here'],
    ] as const) {
      const attempt = await link(join(door, 'socket'))
      await expect(attempt.call('auth', said)).rejects.toMatchObject({ code: 'UNAUTHORIZED', message: expect.stringContaining(why) })
      await attempt.close()
    }
    const as = await link(join(door, 'socket'))
    expect(await as.call('auth', { as: 'agent' })).toMatchObject({ role: 'agent' })
    for (const method of ['stop', 'resume', 'shutdown', 'approvals.list', 'grants.list'])
      await expect(as.call(method, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(as.call('mode', { mode: 'allow_actual_input_full' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await as.close()
    const record = readdirSync(journal)
      .filter((f) => f.endsWith('.jsonl'))
      .map((f) => readFileSync(join(journal, f), 'utf8'))
      .join('')
    expect(record.match(/"type":"rejected"/g)).toHaveLength(8)
    expect(record).not.toContain('"what":"stop"')
  })

  test('the operator answers what the agent asks, and the record says that it was enforced', async () => {
    const policy = join(users.dir, 'policy.toml')
    writeFileSync(policy, '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n')
    await up('--policy', policy)
    const asked = users.deskhand(agent, ['call', 'ui.click', '{"target":"name=\\"Save invoice\\""}'], { DESKHAND_DOOR: door })
    let id: string | undefined
    for (let i = 0; i < 40 && id === undefined; i++) {
      id = (JSON.parse((await users.deskhand(operator, ['approvals', 'list', '--json'])).out) as { id: string }[])[0]?.id
      await sleep(100)
    }
    expect(await users.deskhand(operator, ['approvals', 'allow', id!])).toMatchObject({ code: 0 })
    expect(await asked).toMatchObject({ code: 0 })
    expect((await users.deskhand(operator, ['journal', 'list', '--type', 'operator'])).out).toMatch(
      new RegExp(`"trust":"enforced".*"gid":${GROUP}`),
    )
  })

  test('doctor tells each of them how it stands', async () => {
    await up()
    expect((await users.deskhand(agent, ['doctor'], { DESKHAND_DOOR: door })).out).toMatch(/trust +enforced: the broker runs as user 65101/)
    expect((await users.deskhand(operator, ['doctor'])).out).toMatch(new RegExp(`trust +enforced for agents of the group ${GROUP}`))
    expect((await users.deskhand(operator, ['doctor'], { DESKHAND_DOOR: door })).out).toMatch(/trust +advisory/)
    expect((await users.deskhand(stranger, ['doctor'], { DESKHAND_DOOR: door })).out).toMatch(/missing +trust/)
  })

  test('the door is gone when the broker is', async () => {
    await up()
    expect(await users.deskhand(operator, ['down'])).toMatchObject({ code: 0 })
    for (let i = 0; i < 50 && existsSync(door); i++) await sleep(50)
    expect(existsSync(door)).toBe(false)
    expect(await users.deskhand(agent, ['call', 'ui.snapshot'], { DESKHAND_DOOR: door })).toMatchObject({
      code: 1,
      err: expect.stringContaining('NO_BROKER'),
    })
  })

  test.each([
    ['the group cannot get there', 0o700, String(GROUP), 'cannot pass through'],
    ['others could put another door in its place', 0o777, String(GROUP), 'others can replace'],
    ['the group is not the operator’s to give to', 0o755, '65199', 'cannot be given to the group'],
    ['there is no such group', 0o755, 'no-such-group', 'there is no group'],
  ])('a door is refused where %s', async (_, mode, group, message) => {
    const folder = users.folder('elsewhere', operator, mode)
    const { code, err } = await users.deskhand(operator, ['up', '--agent-group', group, '--door', join(folder, 'desk')])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  /** The session bus wants its user in the list of users; the user `nobody` is in every such list. */
  const asNobody = (): void => {
    operator = users.add(65_534, GROUP)
    door = join(users.folder('nobody', operator), 'desk')
  }

  test('a sandbox whose programs would run as the operator is refused to agents of other users, with what to do', async () => {
    asNobody()
    const { code, err } = await users.deskhand(operator, ['up', '--desktop', 'sandbox', '--agent-group', String(GROUP), '--door', door])
    expect([code, err]).toEqual([2, expect.stringMatching(/need an isolated sandbox[^]*--isolate/)])
    expect(existsSync(door)).toBe(false)
  })

  /** Reads what is the broker's, from a program that the agent starts, and leaves what it got in the desktop's home. */
  const theft = (): { app: string; args: string[]; timeoutMs: number } => {
    const wanted = [place('keys', 'journal.key'), place('desktops', 'sandbox', 'door')]
    const line = `(cat ${wanted.join(' ')} /proc/[0-9]*/environ; ls ${place()} ${operator.home} /proc/*/root${operator.home}) > "$HOME/loot"; echo >> "$HOME/done"`
    return { app: 'sh', args: ['-c', line], timeoutMs: 4_000 }
  }
  const loot = async (): Promise<string> => {
    const [file] = readdirSync(place('sandboxes')).filter((f) => f.endsWith('.json'))
    const { env } = JSON.parse(readFileSync(place('sandboxes', file!), 'utf8')) as { env: Record<string, string> }
    await expect.poll(() => existsSync(join(env['HOME']!, 'done')), { timeout: 20_000 }).toBe(true)
    return readFileSync(join(env['HOME']!, 'loot'), 'latin1')
  }

  test('in an isolated sandbox a program that the agent starts finds nothing of the broker’s, and it counts as enforced', async () => {
    asNobody()
    const { journal } = await up('--desktop', 'sandbox', '--isolate')
    await users.deskhand(agent, ['call', 'desktop.launch', JSON.stringify(theft())], { DESKHAND_DOOR: door })
    const found = await loot()
    expect(found).not.toMatch(/PRIVATE KEY|journal|desktops|"gid"/)
    expect((await users.deskhand(agent, ['doctor'], { DESKHAND_DOOR: door })).out).toMatch(/trust +enforced: .*locked up/)
    expect(
      readFileSync(
        join(
          journal,
          readdirSync(journal).find((f) => f.endsWith('.jsonl'))!,
        ),
        'utf8',
      ),
    ).toContain('"trust":"enforced"')
  })

  test('the same program finds everything where the sandbox is not isolated, and it counts as advisory', async () => {
    asNobody()
    const { journal } = await users.up(operator, '--desktop', 'sandbox')
    await users.deskhand(operator, ['call', 'desktop.launch', JSON.stringify(theft())])
    expect(await loot()).toContain('PRIVATE KEY')
    expect((await users.deskhand(operator, ['doctor'])).out).toMatch(/trust +advisory/)
    expect(
      readFileSync(
        join(
          journal,
          readdirSync(journal).find((f) => f.endsWith('.jsonl'))!,
        ),
        'utf8',
      ),
    ).toContain('"trust":"advisory"')
  })

  test('a sandbox desktop cannot be reached around the broker', async () => {
    asNobody()
    await up('--desktop', 'sandbox', '--isolate')
    const [file] = readdirSync(place('sandboxes')).filter((f) => f.endsWith('.json'))
    const { env } = JSON.parse(readFileSync(place('sandboxes', file!), 'utf8')) as { env: Record<string, string> }
    expect((await users.deskhand(agent, ['call', 'ui.snapshot'], { DESKHAND_DOOR: door })).code).toBe(0)
    const bus = /path=([^,]+)/.exec(env['DBUS_SESSION_BUS_ADDRESS']!)![1]!
    expect(
      await users.attempts(agent, [
        ['read', env['XAUTHORITY']!],
        ['connect', bus],
      ]),
    ).toEqual(['EACCES', 'EACCES'])
    const display = `/tmp/.X11-unix/X${env['DISPLAY']!.slice(1)}`
    const hello = `const s = require('node:net').connect('${display}'); s.write(Buffer.from([0x6c,0,11,0,0,0,0,0,0,0,0,0])); s.once('data', (d) => { console.log(d[0]); process.exit() })`
    expect((await users.run(agent, [process.execPath, '-e', hello])).out.trim()).toBe('0')
    expect(
      await users.attempts(operator, [
        ['read', env['XAUTHORITY']!],
        ['connect', bus],
      ]),
    ).toEqual(['ok', 'ok'])
  })
})

async function link(path: string): Promise<Link> {
  const socket: Socket = connect(path)
  await new Promise((ok, no) => socket.once('connect', ok).once('error', no))
  return new Link(socket, CLIENT)
}
