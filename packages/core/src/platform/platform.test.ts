import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  checkOwnerOnly,
  connect,
  endpointOf,
  foreignOwner,
  identify,
  isAlive,
  listen,
  lockHolder,
  makeKeyFolder,
  makeOwnerFolder,
  processes,
  readOrMake,
  self,
  takeLock,
} from './index.ts'
import { portable } from './process.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dh-platform-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** The pid of a process that has just ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  const { pid = 0 } = child
  await new Promise((done) => child.once('exit', done))
  return pid
}

describe('process identity', () => {
  test('this process is alive, and another one with its pid is not', () => {
    expect(self().pid).toBe(process.pid)
    expect(isAlive(self())).toBe(true)
    expect(isAlive({ ...self(), started: '1' })).toBe(false)
    expect(processes().map((p) => p.id)).toContainEqual(self())
  })

  test('a process that ended is not identified and not alive', async () => {
    const pid = await endedPid()
    expect(identify(pid)).toBeUndefined()
    expect(isAlive({ pid, started: '1' })).toBe(false)
  })

  test('without a process table this process still has an identity, and others are known by being there', async () => {
    const own = portable.identify(process.pid)
    expect(own).toEqual({ pid: process.pid, started: expect.stringMatching(/^\d+$/) as string })
    expect(portable.isAlive(own ?? { pid: 1, started: '' })).toBe(true)
    expect(portable.isAlive({ pid: process.pid, started: '1' })).toBe(false)
    expect(portable.isAlive({ pid: process.ppid, started: 'not known' })).toBe(true)
    expect(portable.identify(await endedPid())).toBeUndefined()
  })
})

describe('locks', () => {
  test('a holder is known while it holds, and two locks of a folder are two', async () => {
    const lock = await takeLock(dir, 'broker', 'The desktop')
    const other = await takeLock(dir, 'writer', 'The journal')
    expect(lockHolder(dir, 'broker')).toEqual(self())
    await expect(takeLock(dir, 'broker', 'The desktop')).rejects.toMatchObject({
      code: 'BROKER_BUSY',
      message: expect.stringMatching(/^The desktop is held by this process/) as string,
    })
    lock.release()
    expect(lockHolder(dir, 'broker')).toBeUndefined()
    expect(lockHolder(dir, 'writer')).toEqual(self())
    other.release()
    expect(readdirSync(dir)).toEqual([])
  })

  test('a folder that is not there is held by no process', () => expect(lockHolder(join(dir, 'none'), 'broker')).toBeUndefined())
})

describe('endpoints', () => {
  test.each([
    ['short', 'socket'],
    ['too long for a socket', `${'long/'.repeat(30)}socket`],
  ])('a path that is %s is listened on, with these permissions, and removed at the end', async (_, name) => {
    const endpoint = endpointOf(join(dir, name))
    expect(Buffer.byteLength(endpoint)).toBeLessThan(104)
    const listener = await listen(endpoint, 0o600, (socket) => socket.end('hello'))
    expect(statSync(endpoint).mode & 0o777).toBe(0o600)
    expect(foreignOwner(endpoint)).toBeUndefined()
    const socket = await connect(endpoint)
    expect(String((await socket.toArray())[0])).toBe('hello')
    listener.close()
    expect(existsSync(endpoint)).toBe(false)
    await expect(connect(endpoint)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('what a killed server left in the way is replaced', async () => {
    const endpoint = endpointOf(join(dir, 'socket'))
    writeFileSync(endpoint, '')
    const listener = await listen(endpoint, 0o600, () => {})
    expect(statSync(endpoint).isSocket()).toBe(true)
    listener.close()
  })
})

describe('owner-only files', () => {
  test('a folder is made for its owner alone, and closed where it was open', () => {
    const open = join(dir, 'open')
    mkdirSync(open)
    chmodSync(open, 0o755)
    makeOwnerFolder(open)
    makeOwnerFolder(join(dir, 'new', 'deep'))
    for (const folder of [open, join(dir, 'new', 'deep')]) expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('a key is made once, and refused when others can read it', async () => {
    const file = join(dir, 'key')
    expect(await readOrMake(file, () => 'one')).toBe('one')
    expect(await readOrMake(file, () => 'two')).toBe('one')
    chmodSync(file, 0o640)
    await expect(readOrMake(file, () => 'two')).rejects.toMatchObject({ code: 'BAD_CONFIG', next: expect.stringContaining('chmod 600') })
    expect(() => checkOwnerOnly(file, statSync(file))).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }))
  })

  test('a key folder in which others can swap files is refused', () => {
    chmodSync(dir, 0o770)
    expect(() => makeKeyFolder(dir)).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }))
  })
})
