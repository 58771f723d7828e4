import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BIN, World } from '../support/cli.ts'
import { hasSystemd, UserSystemd } from '../support/systemd.ts'

let world: World
let systemd: UserSystemd | undefined
beforeEach(() => void (world = new World()))
afterEach(async () => {
  await systemd?.end()
  systemd = undefined
  await world.end()
})

const file = (): string => join(world.dir, '.config/systemd/user/deskhand.service')

/** The words of a line of a unit, as systemd reads them. */
const words = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) =>
    (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '').replaceAll('%%', '%').replaceAll('$$', '$'),
  )
const values = (unit: string, key: string): string[] => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, v = '']) => v)

test('without consent nothing is written; what would be is printed', async () => {
  const { code, err } = await world.run(['service', 'install'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
  expect(existsSync(file())).toBe(false)
  const { out } = await world.run(['service', '--', '--desktop', 'sandbox'])
  expect(values(out, 'ExecStart')[0]).toMatch(/ up --desktop sandbox$/)
})

test('the unit starts a server that answers, and ends it; removed, it is gone', async () => {
  const odd = world.file('100% "mine" $HOME.toml', '[server]\nlog = "info"\n')
  const installed = await world.run(['--config', odd, 'service', 'install', '--yes', '--', '--desktop', 'virtual', '--port', '0', '--json'])
  expect(installed).toMatchObject({ code: 0, out: expect.stringContaining('systemctl --user enable --now deskhand') })
  const unit = readFileSync(file(), 'utf8')
  const verified = spawnSync('systemd-analyze', ['--user', 'verify', file()], {
    encoding: 'utf8',
    env: { ...world.env, XDG_RUNTIME_DIR: world.dir },
  })
  if (verified.error === undefined) expect(verified.stderr).not.toContain('deskhand.service')

  // What systemd does with it.
  const [program = '', ...args] = words(values(unit, 'ExecStart')[0] ?? '')
  const env = Object.fromEntries(
    values(unit, 'Environment')
      .flatMap(words)
      .map((pair) => pair.split(/=(.*)/s).slice(0, 2)),
  )
  expect(args).toContain(odd)
  expect(env).toEqual({ DESKHAND_STATE: world.env['DESKHAND_STATE'] })
  const child = spawn(program, args, { env: { PATH: world.env['PATH'], HOME: world.dir, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(line.toString('utf8')) as { url: string }
    const health = await fetch(`${url}/healthz`)
    expect({ status: health.status, body: await health.json() }).toMatchObject({ status: 200, body: { ok: true, desktops: 1 } })
  } finally {
    child.kill('SIGTERM')
  }
  expect(await ended).toEqual([0, null])
  await world.run(['service', 'install', '--remove', '--yes'])
  expect(existsSync(file())).toBe(false)
})

const PATIENTLY = { timeout: 60_000 }

/** A port that nobody has, and that no connection is given as its own. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) await new Promise((done) => server.close(done))
    if (isFree) return port
  }
}

test.runIf(hasSystemd)(
  'systemd starts it with the session and again when it was killed, lets it gain no rights, and ends it in order',
  async () => {
    const port = await freePort()
    const { out } = await world.run(['service', 'install', '--yes', '--', '--desktop', 'virtual', '--port', String(port)])
    const on = (systemd = await UserSystemd.start(world))
    /** How many desktops it has; undefined while nobody answers. */
    const desktops = (): Promise<number | undefined> =>
      fetch(`http://127.0.0.1:${port}/healthz`)
        .then(async (answer) => ((await answer.json()) as { desktops: number }).desktops)
        .catch(() => undefined)
    const mainPid = (): string => on.show('deskhand', 'MainPID')

    const [, start = ''] = /^start: (.*)$/m.exec(out) ?? []
    expect(on.run('sh', '-c', start).code).toBe(0)
    await expect.poll(desktops, PATIENTLY).toBe(1)
    const first = mainPid()
    expect(on.run('cat', `/proc/${first}/status`).out).toMatch(/^Umask:\s*0077$[^]*^NoNewPrivs:\s*1$/m)
    const click = on.run(process.execPath, BIN, 'call', 'ui.click', '{"target":"name=\\"Already paid\\""}')
    expect(click).toMatchObject({ code: 0, out: expect.stringContaining('confirmed') })

    on.systemctl('kill', '--kill-whom=main', '--signal=KILL', 'deskhand')
    await expect.poll(() => on.show('deskhand', 'NRestarts'), PATIENTLY).toBe('1')
    await expect.poll(desktops, PATIENTLY).toBeDefined()
    expect(mainPid()).not.toBe(first)

    expect(on.systemctl('stop', 'deskhand').code).toBe(0)
    expect(['ActiveState', 'Result', 'ExecMainStatus'].map((name) => on.show('deskhand', name))).toEqual(['inactive', 'success', '0'])
    expect(await desktops()).toBeUndefined()
    expect(await world.run(['journal', 'verify'])).toMatchObject({ code: 0 })

    // As at the next login.
    on.systemctl('start', 'default.target')
    await expect.poll(desktops, PATIENTLY).toBe(1)
    await on.end()
    expect(await desktops()).toBeUndefined()
  },
)
