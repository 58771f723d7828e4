import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Display } from '@deskhand/driver-linux'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeDesktop } from '../../../../tests/support/desktop.ts'
import { environmentOf, markOf } from './environment.ts'
import { identify, isAlive } from '@deskhand/core/platform'
import { marked } from './process.ts'
import { findPrograms } from './programs.ts'
import { SandboxRecord, saveRecord } from './record.ts'
import { bringUp } from './sandbox.ts'
import { inodeOf } from './sockets.ts'
import { OWNER_FILE, listSandboxes, reap, takeDown } from './takedown.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
})
afterEach(async () => {
  for (const { record } of listSandboxes(stateDir)) await takeDown(stateDir, record)
  rmSync(stateDir, { recursive: true, force: true })
})

function leftOf(record: SandboxRecord): string[] {
  const number = record.display?.slice(1)
  const files = [record.dir, `/tmp/.X${number}-lock`, join(stateDir, `${record.id}.json`)]
  // Another desktop of this machine may have taken the number since.
  const sockets = [record.socket].flatMap((s) => (s !== undefined && inodeOf(s.path) === s.inode ? [s.path] : []))
  return [...files.filter(existsSync), ...sockets, ...marked(markOf(record.id)).map((p) => `pid ${p.pid}`)]
}

/** A process that brings up a desktop for us to kill. */
async function other(...args: string[]): Promise<{ child: ChildProcess; record: SandboxRecord }> {
  const script = new URL('../../../../tests/fixtures/bring-up.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [script, stateDir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((done, fail) => {
    child.stdout?.once('data', (data: Buffer) => done(data.toString()))
    child.once('exit', () => fail(new Error('it ended')))
  })
  return { child, record: SandboxRecord.parse(JSON.parse(line)) }
}

function kill(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done())
    child.kill('SIGKILL')
  })
}

describeDesktop('a sandbox desktop', () => {
  test('comes up whole and leaves nothing behind, applications included', async () => {
    const sandbox = await bringUp({ stateDir, width: 800, height: 600 })
    const display = await Display.open(sandbox.env)
    expect([display.width, display.height]).toEqual([800, 600])
    const app = spawn('xterm', { env: sandbox.env, detached: true, stdio: 'ignore' })
    expect(listSandboxes(stateDir)).toMatchObject([{ state: 'up', missing: [], record: { display: sandbox.display } }])
    display.close()
    await sandbox.down()
    expect(leftOf(sandbox.record)).toEqual([])
    expect(identify(app.pid ?? 0)).toBeUndefined()
    expect(readdirSync(stateDir)).toEqual([])
  })

  test('takes the sockets along that its programs leave outside of it, and no others', async () => {
    const sandbox = await bringUp({ stateDir })
    const [theirs, taken] = ['theirs', 'taken'].map((name) => join('/tmp', `${sandbox.record.id}-${name}`)) as [string, string]
    const listen = `import signal, socket, sys
for path in sys.argv[1:]: s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen(); globals()[path] = s
print(flush=True); signal.pause()`
    const app = spawn('/usr/bin/python3', ['-c', listen, theirs, taken], { env: sandbox.env, stdio: ['ignore', 'pipe', 'ignore'] })
    await once(app.stdout, 'data')
    rmSync(taken)
    const other = createServer().listen(taken)
    await once(other, 'listening')
    await sandbox.down()
    const left = [theirs, taken].filter(existsSync)
    other.close()
    expect(left).toEqual([taken])
  })

  test('is closed to whoever has no cookie', async () => {
    const sandbox = await bringUp({ stateDir })
    await expect(Display.open({ DISPLAY: sandbox.display, HOME: '/nowhere' })).rejects.toMatchObject({ code: 'NO_DESKTOP' })
    await sandbox.down()
  })

  test('two at once have nothing in common', async () => {
    const [a, b] = await Promise.all([bringUp({ stateDir }), bringUp({ stateDir })])
    const own = (env: Record<string, string>) => [
      env.DISPLAY,
      env.HOME,
      env.XDG_RUNTIME_DIR,
      env.DBUS_SESSION_BUS_ADDRESS,
      env.AT_SPI_BUS_ADDRESS,
      env.XAUTHORITY,
    ]
    for (const [i, value] of own(a.env).entries()) expect(own(b.env)[i]).not.toBe(value)
    await a.down()
    expect(listSandboxes(stateDir)).toMatchObject([{ state: 'up', record: { id: b.record.id } }])
    await b.down()
  })

  test('is reaped after its owner was killed', async () => {
    const { child, record } = await other()
    expect(await reap(stateDir)).toEqual([])
    await kill(child)
    expect(listSandboxes(stateDir)).toMatchObject([{ state: 'dead' }])
    expect(await reap(stateDir)).toEqual([record.id])
    expect(leftOf(record)).toEqual([])
  })

  test('that is to be kept outlives who brought it up', async () => {
    const { child, record } = await other('keep')
    await kill(child)
    expect(await reap(stateDir)).toEqual([])
    expect(listSandboxes(stateDir)).toMatchObject([{ state: 'up' }])
    await takeDown(stateDir, record)
    expect(leftOf(record)).toEqual([])
  })

  test('is dead when its X server was killed, and its socket does not stay', async () => {
    const sandbox = await bringUp({ stateDir, keep: true })
    const server = sandbox.record.parts.find((p) => p.name === 'xvfb')
    process.kill(server?.pid ?? 0, 'SIGKILL')
    await expect.poll(() => listSandboxes(stateDir)[0]?.missing).toContain('xvfb')
    expect(await reap(stateDir)).toEqual([sandbox.record.id])
    expect(leftOf(sandbox.record)).toEqual([])
  })
})

test('a process that got the number of an ended one is left alone, and so is a folder that is not ours', async () => {
  const bystander = spawn('sleep', ['60'])
  const pid = bystander.pid ?? 0
  const dir = mkdtempSync(join(tmpdir(), 'dh-not-ours-'))
  const record: SandboxRecord = {
    v: 1,
    id: '0123456789abcdef',
    dir,
    width: 1,
    height: 1,
    createdAt: new Date().toISOString(),
    name: 'x',
    isolated: false,
    vnc: false,
    startup: [],
    display: ':9999',
    parts: [{ name: 'xvfb', pid, started: '1' }],
    env: {},
  }
  saveRecord(stateDir, record)
  expect(await reap(stateDir)).toEqual([record.id])
  const now = identify(pid)
  expect(now !== undefined && isAlive(now)).toBe(true)
  expect(existsSync(dir)).toBe(true)
  expect(existsSync(join(dir, OWNER_FILE))).toBe(false)
  bystander.kill()
  rmSync(dir, { recursive: true })
})

test('a missing program is named with the line that installs it', () => {
  expect(() => findPrograms({ isolate: true }, { path: '/nowhere', accessibility: [] })).toThrow(
    expect.objectContaining({
      code: 'MISSING_PACKAGE',
      next: expect.stringContaining('apt-get install -y --no-install-recommends xvfb openbox dbus util-linux bubblewrap at-spi2-core'),
    }),
  )
})

test('the host stays outside: its display, its buses, its home and its secrets', () => {
  const env = environmentOf('id', '/d', 'x11', {
    PATH: '/bin',
    DISPLAY: ':0',
    WAYLAND_DISPLAY: 'w',
    HOME: '/root',
    API_KEY: 'secret',
    DBUS_SESSION_BUS_ADDRESS: 'host',
    NO_AT_BRIDGE: '1',
  })
  expect(env.PATH).toBe('/bin')
  expect(env.HOME).toBe('/d/home')
  expect(Object.keys(env)).not.toContain('DISPLAY')
  for (const name of ['WAYLAND_DISPLAY', 'API_KEY', 'NO_AT_BRIDGE']) expect(env[name]).toBeUndefined()
  expect(env.DBUS_SESSION_BUS_ADDRESS).not.toBe('host')
})
