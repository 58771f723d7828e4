import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { DesktopCommand, left } from '../support/desktop-command.ts'
import { describeDesktop } from '../support/desktop.ts'

let world: DesktopCommand
beforeEach(() => {
  world = new DesktopCommand()
})
afterEach(() => world.end())

function words(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The colours of a PNG without filters, as ours are. */
function colours(png: Buffer): Set<string> {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const rows = inflateSync(png.subarray(png.indexOf('IDAT') + 4, png.indexOf('IEND') - 8))
  const found = new Set<string>()
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) found.add(rows.subarray(y * (width * 3 + 1) + 1 + x * 3).toString('hex', 0, 3))
  return found
}

describeDesktop('deskhand desktop', () => {
  test('up, list, env, run, screenshot and down', async () => {
    const one = await world.bringUp('--width', '640', '--height', '480')
    expect(JSON.parse((await world.desktop('list', '--json')).out)).toMatchObject([
      { id: one.id, state: 'up', width: 640, height: 480, missing: [] },
    ])
    expect((await world.desktop('list')).out).toContain('nobody supervises it')

    const run = await world.desktop('run', one.id, '--', 'sh', '-c', 'echo "$DISPLAY $HOME $WAYLAND_DISPLAY"; cat; exit 7')
    expect(run).toMatchObject({ code: 7, out: `${one.display} ${one.dir}/home \n` })

    const { out: lines } = await world.desktop('env', one.id.slice(0, 6))
    writeFileSync(
      join(world.dir, 'check.sh'),
      `HOST_ONLY=1\nWAYLAND_DISPLAY=wayland-0\nexport WAYLAND_DISPLAY\n${lines}\nxdpyinfo | grep dimensions; echo "w=$WAYLAND_DISPLAY"`,
    )
    const shell = execFileSync('sh', [join(world.dir, 'check.sh')], { env: { PATH: process.env['PATH'] }, encoding: 'utf8' })
    expect(shell).toContain('640x480')
    expect(shell).toContain('w=\n')

    const png = join(world.dir, 'a.png')
    expect((await world.desktop('run', one.id, '--', 'xsetroot', '-solid', '#123456')).code).toBe(0)
    expect((await world.desktop('screenshot', one.id, png)).code).toBe(0)
    expect(readFileSync(png).subarray(1, 4).toString()).toBe('PNG')
    expect([readFileSync(png).readUInt32BE(16), readFileSync(png).readUInt32BE(20)]).toEqual([640, 480])
    expect(colours(readFileSync(png))).toContain('123456')

    const detached = await world.desktop('run', '--detach', one.id, '--', 'sleep', '1000')
    expect(marked(markOf(one.id)).map((p) => p.pid)).toContain(Number(detached.out))
    expect((await world.desktop('down', one.id)).code).toBe(0)
    expect(left(one)).toEqual([])
    expect((await world.desktop('list')).out).toContain('no sandbox is up')
  })

  test('several at once are told apart by id and by name', async () => {
    const [a, b] = await Promise.all([world.bringUp('--file', world.yaml('name: first')), world.bringUp()])
    expect((await world.desktop('run', 'first', '--', 'sh', '-c', 'echo $DISPLAY')).out).toBe(`${a.display}\n`)
    expect((await world.desktop('screenshot', 'nobody', 'x.png')).err).toContain('NO_DESKTOP')
    expect((await world.desktop('down', 'first')).code).toBe(0)
    expect(left(a)).toEqual([])
    expect(left(b)).not.toEqual([])
    expect(JSON.parse((await world.desktop('list', '--json')).out)).toMatchObject([{ id: b.id, state: 'up' }])
  })

  test('up takes the file of the specification, says what it does otherwise, and opens no port', async () => {
    const one = await world.bringUp(
      '--file',
      world.yaml(`
name: gui-sandbox
base_image: sandy-base:latest
packages: { apt: [xvfb, no-such-package-here], pip: [pyautogui] }
environment: { DISPLAY: ":99", DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/dbus/system_bus_socket", GREETING: hello }
startup:
  - "Xvfb :99 -screen 0 1024x600x24 &"
  - "dbus-daemon --session --fork"
  - "/usr/lib/at-spi2-core/at-spi-bus-launcher &"
  - "x11vnc -display :99 -forever -shared -nopw -listen 0.0.0.0 &"
  - "echo $GREETING >$HOME/greeting"
  - "xterm &"
`),
    )
    for (const field of ['base_image', 'packages.pip', 'environment.DISPLAY', "system's bus is never lent", 'startup[0]', 'startup[3]'])
      expect(one.err).toContain(field)
    expect(one.err).toContain('apt-get install -y --no-install-recommends no-such-package-here')
    expect(one.vnc).toBe(join(one.dir, 'run', 'vnc.sock'))
    expect(one.display).not.toBe(':99')
    expect(readFileSync(join(one.dir, 'home', 'greeting'), 'utf8')).toBe('hello\n')
    expect(JSON.parse((await world.desktop('list', '--json')).out)).toMatchObject([{ name: 'gui-sandbox', width: 1024, height: 600 }])
    const words = marked(markOf(one.id)).map((p) => readFileSync(`/proc/${p.pid}/cmdline`, 'utf8'))
    expect(words.some((w) => w.includes('x11vnc') && w.includes('-viewonly'))).toBe(true)
    expect(words.join('\n')).not.toMatch(/0\.0\.0\.0|system_bus_socket/)
  })

  test.each([
    ['name: a\nstartup: ["echo broken; exit 4"]', 'startup[0] ended with 4', 2],
    ['nmae: a', 'desk.yaml:1: nmae', 2],
  ])('up fails on %j, and nothing is left', async (text, message, code) => {
    const failed = await world.desktop('up', '--file', world.yaml(text))
    expect(failed.code).toBe(code)
    expect(failed.err).toContain(message)
    const folder = join(world.dir, 'state', 'sandboxes')
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  })

  test('a command line that is killed while it brings one up leaves nothing that the next start does not clear away', async () => {
    const child = world.start('desktop', 'up', '--file', world.yaml('startup: ["sleep 20"]'))
    const records = join(world.dir, 'state', 'sandboxes')
    await expect
      .poll(() => (existsSync(records) ? readdirSync(records).filter((n) => n.endsWith('.json')).length : 0), { timeout: 10_000 })
      .toBe(1)
    const dead = JSON.parse(
      readFileSync(
        join(
          records,
          readdirSync(records).find((n) => n.endsWith('.json'))!,
        ),
        'utf8',
      ),
    ) as { id: string; dir: string }
    child.kill('SIGKILL')
    await new Promise((r) => child.once('exit', r))
    expect(JSON.parse((await world.desktop('list', '--json')).out)).toMatchObject([{ id: dead.id, state: 'dead' }])
    const next = await world.bringUp()
    expect(JSON.parse((await world.desktop('list', '--json')).out)).toMatchObject([{ id: next.id }])
    expect([existsSync(dead.dir), marked(markOf(dead.id))]).toEqual([false, []])
  })

  test('run starts a part anew that had ended', async () => {
    const one = await world.bringUp()
    const [openbox] = marked(markOf(one.id)).filter((p) => readFileSync(`/proc/${p.pid}/cmdline`, 'utf8').includes('openbox'))
    process.kill(openbox!.pid, 'SIGKILL')
    expect((await world.desktop('list')).out).toContain('impaired (ended: openbox)')
    expect((await world.desktop('run', one.id, '--', 'true')).err).toContain('openbox had ended and was started anew')
    expect((await world.desktop('list')).out).not.toContain('impaired')
  })

  test.each(['sh', 'bash'])('env gives lines that %s takes as they are meant, whatever is in them', async (shell) => {
    const nasty = `a'b"c $(touch ran) \`touch ran\` \\ ; touch ran #\nnext`
    const one = await world.bringUp('--file', world.yaml(`environment: { NASTY: ${JSON.stringify(nasty)} }`))
    const { out: lines, err } = await world.desktop('env', one.id)
    expect(err).toBe('')
    world.file('env', lines)
    const host = { XDG_CONFIG_HOME: '/root/.config', SSH_AUTH_SOCK: '/x', GTK_MODULES: 'x', DBUS_STARTER_ADDRESS: 'x' }
    const line = 'eval "$(cat env)"; printf %s "$NASTY"; printf "|%s" $XDG_CONFIG_HOME $SSH_AUTH_SOCK $GTK_MODULES $DBUS_STARTER_ADDRESS'
    const said = spawnSync(shell, ['-c', line], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: world.dir,
      env: { PATH: process.env['PATH'], ...host },
      encoding: 'utf8',
    })
    expect(said).toMatchObject({ stdout: `${nasty}|`, stderr: '' })
    expect(existsSync(join(world.dir, 'ran'))).toBe(false)
  })

  test('of an isolated kind ends what it runs when it is ended, and says that a shell is not locked up', async () => {
    const one = await world.bringUp('--isolate')
    expect((await world.desktop('env', one.id)).err).toContain('not locked up')
    const child = world.start('desktop', 'run', one.id, '--', 'sleep', '1234')
    const sleeping = () => marked(markOf(one.id)).filter((p) => words(p.pid).startsWith('sleep\0'))
    await expect.poll(sleeping, { timeout: 10_000 }).toHaveLength(1)
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGTERM')
    expect(await ended).toBe(143)
    expect(sleeping()).toEqual([])
  })

  test('run says what cannot be started', async () => {
    const one = await world.bringUp()
    expect(await world.desktop('run', one.id, '--', world.dir)).toMatchObject({
      code: 2,
      err: expect.stringContaining('UNKNOWN_APP') as string,
    })
    expect(await world.desktop('run', one.id, '--', 'no-such-program-here')).toMatchObject({
      code: 2,
      err: expect.stringContaining('UNKNOWN_APP') as string,
    })
  })
})

test.runIf(process.getuid?.() === 0)('install runs apt-get as root with the very line that it prints', async () => {
  const bin = join(world.dir, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'apt-get'), `#!/bin/sh\necho "$@" >>${world.dir}/asked\n`)
  chmodSync(join(bin, 'apt-get'), 0o755)
  const path = world.yaml('packages: { apt: [no-such-package-here] }')
  const wide = world.env['PATH'] ?? ''
  world.env['PATH'] = `${bin}:${wide}`
  const line = 'apt-get install -y --no-install-recommends no-such-package-here\n'
  expect(await world.desktop('install', '--print', '--file', path)).toMatchObject({ code: 0, out: line })
  expect(existsSync(join(world.dir, 'asked'))).toBe(false)
  expect(await world.desktop('install', '--file', path)).toMatchObject({ code: 0, out: `${line}installed\n` })
  expect(readFileSync(join(world.dir, 'asked'), 'utf8')).toBe('update -q\ninstall -y --no-install-recommends -q no-such-package-here\n')
  expect(await world.desktop('install', '--file', world.yaml('packages: { apt: ["-o=x"] }'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('packages.apt[0]') as string,
  })
})
