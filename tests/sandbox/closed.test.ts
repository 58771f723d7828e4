import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { isAlive } from '@deskhand/core/platform'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { vncSocket } from '../../packages/deskhand/src/desktop/record.ts'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { endApplication } from '../../packages/deskhand/src/desktop/takedown.ts'
import { describeDesktop } from '../support/desktop.ts'
import { linuxHost, PYTHON } from '../support/linux.ts'

let stateDir: string
let sandbox: Sandbox

/** What an X server answers to a client without a cookie: 0 is a refusal, 1 a welcome. Python, as Node reaches no abstract sockets. */
function knock(name: string): string {
  const script =
    'import socket,sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1].replace("@", "\\0")); s.send(b"l\\0\\x0b" + bytes(9)); print(s.recv(1)[0])'
  return spawnSync(PYTHON, ['-c', script, name], { encoding: 'utf8' }).stdout.trim()
}

/** The TCP and UDP sockets that a process listens on, by the kernel's tables. */
function portsOf(pid: number): string[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /socket:\[(\d+)\]/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1] ?? []))
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .filter((line) => inodes.has(line.trim().split(/\s+/)[9] ?? '')),
  )
}

function link(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Runs a shell line as an application of the desktop. */
function inside(line: string): string {
  const prefix = JSON.parse(sandbox.env['DESKHAND_LAUNCH_PREFIX'] ?? '[]') as string[]
  const [program, ...args] = [...prefix, '/bin/sh', '-c', line]
  return spawnSync(program, args, { env: sandbox.env, encoding: 'utf8' }).stdout.trim()
}

describeDesktop('a sandbox is closed', () => {
  beforeAll(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
    Object.assign(process.env, { SSH_AUTH_SOCK: '/tmp/agent', WAYLAND_DISPLAY: 'wayland-0', SECRET_TOKEN: 'x' })
    sandbox = await bringUp({ stateDir, vnc: true })
  })
  afterAll(async () => {
    for (const name of ['SSH_AUTH_SOCK', 'WAYLAND_DISPLAY', 'SECRET_TOKEN']) delete process.env[name]
    await sandbox.down()
    rmSync(stateDir, { recursive: true, force: true })
  })

  test('to clients without its cookie, by its file and by its abstract socket', () => {
    const path = sandbox.record.socket?.path ?? ''
    expect(knock(path)).toBe('0')
    expect(knock(`@${path}`)).toBe('0')
  })

  test('to the network: no part of it has a port, the VNC server neither', () => {
    for (const part of sandbox.record.parts) expect([part.name, portsOf(part.pid)]).toEqual([part.name, []])
  })

  test('to what its programs could inherit: every one of its processes sees only this desktop', () => {
    for (const { pid } of marked(markOf(sandbox.record.id))) {
      const env = new Map(
        readFileSync(`/proc/${pid}/environ`, 'latin1')
          .split('\0')
          .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
      )
      expect([...env.keys()].filter((name) => /SSH|WAYLAND|SECRET/.test(name))).toEqual([])
      for (const name of ['HOME', 'XDG_RUNTIME_DIR', 'XAUTHORITY', 'TMPDIR']) expect(env.get(name)).toContain(sandbox.record.dir)
      expect(env.get('DISPLAY') ?? sandbox.display).toBe(sandbox.display)
      expect(env.get('DBUS_SESSION_BUS_ADDRESS')).toContain(sandbox.record.dir)
    }
  })

  test('to viewers that want more than to look', async () => {
    const greeting = await new Promise<string>((done, fail) => {
      const viewer = connect(vncSocket(sandbox.record))
      viewer.once('error', fail)
      viewer.once('data', (data) => {
        viewer.destroy()
        done(data.toString('latin1'))
      })
    })
    expect(greeting).toMatch(/^RFB 003\.\d{3}\n$/)
    const vnc = sandbox.record.parts.find((p) => p.name === 'vnc')
    const words = readFileSync(`/proc/${vnc?.pid}/cmdline`, 'utf8').split('\0')
    expect(words).toEqual(expect.arrayContaining(['-viewonly', '-noremote']))
    expect(words.join(' ')).not.toContain('0.0.0.0')
  })

  test('to the ends of others: neither a stranger’s process nor a part of the desktop is ended as an application', async () => {
    for (const pid of [process.pid, sandbox.record.parts[0]?.pid ?? 0])
      await expect(endApplication(sandbox.record, pid)).rejects.toMatchObject({ code: 'DENIED' })
  })
})

describeDesktop('an isolated sandbox', () => {
  let secret: string
  beforeAll(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
    secret = join(stateDir, 'secret')
    writeFileSync(secret, 'secret')
    sandbox = await bringUp({ stateDir, isolate: true })
  })
  afterAll(async () => {
    await sandbox.down()
    rmSync(stateDir, { recursive: true, force: true })
  })

  describe('keeps from its applications', () => {
    beforeEach(() => expect(inside('echo works')).toBe('works'))

    test('the network', () => expect(inside('tail -n +3 /proc/net/dev | cut -d: -f1')).toBe('lo'))
    test('other displays', () => expect(inside('ls /tmp/.X11-unix')).toBe(`X${sandbox.display.slice(1)}`))
    test('other processes', () => expect(inside('ls /proc | grep -c "^[0-9]"')).toMatch(/^\d$/))
    test('the files of this machine’s users', () =>
      expect(inside(`cat ${secret} /etc/shadow /root/.bashrc; ls /home /root /work 2>/dev/null`)).toBe(''))
    test('changes to the system', () => expect(inside('touch /usr/x /etc/x && echo done')).toBe(''))
    test('other buses', () => expect(inside('ls /run')).toBe(''))
    test('the record of the desktop', () =>
      expect(inside(`ls -A ${sandbox.record.dir}`).split('\n').sort()).toEqual(['Xauthority', 'home', 'run', 'tmp']))
  })

  test('lets a real application be seen, under its own process, and be operated', async () => {
    const driver = await linuxHost(sandbox)
    try {
      const signal = new AbortController().signal
      const ctx = { signal, deadlineMs: 20_000 }
      const lease = await driver.act.take(30_000, ctx)
      const sent = await driver.act.step(lease, { do: 'launch', app: 'mousepad', args: [] }, {}, ctx)
      const { apps, nodes } = await driver.observe.read({}, ctx)
      const app = apps.find((a) => a.executable?.endsWith('/mousepad'))
      expect(app?.pid).toBe(sent.detail?.['pid'])
      expect(nodes.filter((n) => n.app === app?.id).length).toBeGreaterThan(100)
      await driver.act.drop(lease)
    } finally {
      await driver.close()
    }
  })
})

describeDesktop('a sandbox that is taken down', () => {
  let dir: string
  let own: Sandbox
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-state-'))
    own = await bringUp({ stateDir: dir })
  })
  afterEach(async () => {
    await own.down()
    rmSync(dir, { recursive: true, force: true })
  })

  const found = () => marked(markOf(own.record.id))
  const isTold = (pid: number, words: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').startsWith(words)

  /** Started with nothing but its environment, which they wipe: below their parents, and left by them within the session of one of ours. */
  test.each(['env -i sleep 987', '(env -i sleep 987 &); sleep 986', '(env -i sleep 987 &)& exec sleep 986'])('ends %s', async (line) => {
    spawn('/bin/sh', ['-c', line], { env: own.env, detached: true, stdio: 'ignore' })
    await expect.poll(() => found().some((p) => isTold(p.pid, 'sleep 987'))).toBe(true)
    const before = found()
    await own.down()
    expect(before.filter(isAlive)).toEqual([])
  })

  /** Launched as applications are: whatever they do to their environment, parents and sessions. */
  test.each(['env -i setsid -f sleep 987', 'setsid -f env -i sh -c "(sleep 987 &)"'])('ends %s of a launched program', async (line) => {
    const [program, ...args] = [...(JSON.parse(own.env['DESKHAND_LAUNCH_PREFIX'] ?? '') as string[]), '/bin/sh', '-c', line]
    spawnSync(program, args, { env: own.env, stdio: 'ignore' })
    await expect.poll(() => found().some((p) => isTold(p.pid, 'sleep 987'))).toBe(true)
    const before = found()
    await own.down()
    expect(before.filter(isAlive)).toEqual([])
  })
})
