import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { World } from '../support/cli.ts'

let world: World
beforeEach(() => void (world = new World()))
afterEach(() => world.end())

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
