import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { findPrograms } from '../../packages/deskhand/src/desktop/programs.ts'
import { BIN } from '../support/cli.ts'
import { DesktopCommand, left, type Up } from '../support/desktop-command.ts'
import { describeDesktop } from '../support/desktop.ts'
import { Users } from '../support/users.ts'

let world: DesktopCommand
beforeEach(() => {
  world = new DesktopCommand()
})
afterEach(() => world.end())

describeDesktop('deskhand desktop, when something fails,', () => {
  const state = (): string[] => {
    const folder = join(world.dir, 'state', 'sandboxes')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  /** A program that is found before the real one. */
  function fake(program: string, script: string): void {
    const bin = join(world.dir, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, program), 0o755)
    world.env['PATH'] = `${bin}:${world.env['PATH']}`
  }

  test('ends when a part never gets ready', async () => {
    fake('x11vnc', 'exec sleep 600')
    const failed = await world.desktop('up', '--vnc')
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('TIMEOUT') as string })
    expect(state()).toEqual([])
  })

  test('leaves nothing when it is interrupted while it brings one up', async () => {
    const child = world.start('desktop', 'up', '--file', world.yaml('startup: ["sleep 25"]'))
    await expect.poll(() => state().length, { timeout: 10_000 }).toBe(1)
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGINT')
    expect(await ended).toBe(1)
    expect(state()).toEqual([])
  })

  test('takes no picture of a desktop whose X server hangs, and says so', async () => {
    const one = await world.bringUp()
    const [server] = marked(markOf(one.id)).filter((p) => readFileSync(`/proc/${p.pid}/cmdline`, 'utf8').includes('Xvfb'))
    process.kill(server!.pid, 'SIGSTOP')
    expect(await world.desktop('screenshot', one.id, join(world.dir, 'a.png'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/NO_DESKTOP|TIMEOUT/) as string,
    })
    expect(existsSync(join(world.dir, 'a.png'))).toBe(false)
  })

  test('says where a picture cannot be written', async () => {
    const one = await world.bringUp()
    expect(await world.desktop('screenshot', one.id, join(world.dir, 'no', 'a.png'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^BAD_ARGS: .*no\/a\.png/) as string,
    })
  })

  test('does not end the shell that was put on the desktop and takes it down', async () => {
    const one = await world.bringUp()
    world.env['DESKHAND_DESKTOP'] = one.id
    const line = `"${process.execPath}" "${BIN}" desktop down ${one.id} | cat; echo still here`
    expect(execFileSync('sh', ['-c', line], { env: world.env, encoding: 'utf8' })).toBe('1 taken down\nstill here\n')
    expect(left(one)).toEqual([])
  })

  test.runIf(process.getuid?.() === 0)('is not held up for ever by a process that it may not end', async () => {
    const users = new Users()
    const user = users.add(65_534)
    const other = spawn('sleep', ['600'])
    try {
      const { id } = JSON.parse((await users.deskhand(user, ['desktop', 'up', '--json'])).out) as Up
      spawnSync(findPrograms()('prlimit'), ['--pid', String(other.pid), `--locks=${markOf(id).locks}`])
      expect(await users.deskhand(user, ['desktop', 'down'])).toMatchObject({
        code: 1,
        out: '0 taken down\n',
        err: expect.stringContaining(`do not end: ${other.pid}`) as string,
      })
      const next = await users.deskhand(user, ['desktop', 'up', '--json'])
      expect(next.code).toBe(0)
      const gone = new Promise((done) => other.once('exit', done))
      other.kill()
      await gone
      expect(await users.deskhand(user, ['desktop', 'down'])).toMatchObject({ code: 0, out: '2 taken down\n' })
    } finally {
      other.kill('SIGKILL')
      await users.deskhand(user, ['desktop', 'down'])
      await users.end()
    }
  })

  test.runIf(process.getuid?.() === 0)('removes folders that a program closed to its own user', async () => {
    const users = new Users()
    const user = users.add(65_534)
    try {
      const { id, dir } = JSON.parse((await users.deskhand(user, ['desktop', 'up', '--json'])).out) as Up
      const line =
        'mkdir -p $HOME/cache/deep $HOME/none && touch $HOME/cache/deep/x && chmod 555 $HOME/cache/deep $HOME/cache && chmod 0 $HOME/none'
      expect(await users.deskhand(user, ['desktop', 'run', id, '--', 'sh', '-c', line])).toMatchObject({ code: 0 })
      expect(await users.deskhand(user, ['desktop', 'down'])).toMatchObject({ code: 0, out: '1 taken down\n', err: '' })
      expect(existsSync(dir)).toBe(false)
    } finally {
      await users.end()
    }
  })
})
