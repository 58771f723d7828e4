import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { identify } from '@deskhand/core/platform'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { type SandboxRecord, loadRecords, saveRecord } from '../../packages/deskhand/src/desktop/record.ts'
import { type SandboxOptions, bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { inodeOf } from '../../packages/deskhand/src/desktop/sockets.ts'
import { OWNER_FILE, findSandbox, listSandboxes, reap, takeDown } from '../../packages/deskhand/src/desktop/takedown.ts'
import { describeDesktop } from '../support/desktop.ts'
import { PYTHON, fixture } from '../support/linux.ts'

const PATH = process.env['PATH'] ?? ''
let stateDir: string
let bin: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
  bin = mkdtempSync(join(tmpdir(), 'dh-bin-'))
})
afterEach(async () => {
  process.env['PATH'] = PATH
  for (const { record } of listSandboxes(stateDir)) await takeDown(stateDir, record)
  for (const dir of [stateDir, bin]) rmSync(dir, { recursive: true, force: true })
})

/** From now on this program is another one. */
function fake(program: string, script: string): void {
  writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, program), 0o755)
  process.env['PATH'] = `${bin}:${PATH}`
}

/** What is left of desktops that were made in this folder. */
const left = (dir: string): string[] => [...readdirSync(stateDir), ...readdirSync(dir)]

const soon = { timeout: 10_000 }

async function up(options: Partial<SandboxOptions> = {}): Promise<{ failed: unknown; left: string[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'dh-'))
  try {
    const sandbox = await bringUp({ stateDir, dir, deadlineMs: 1500, ...options })
    await sandbox.down()
    return { failed: 'nothing', left: left(dir) }
  } catch (failed) {
    return { failed, left: left(dir) }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function source(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [fixture(script), stateDir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await gone
}

describeDesktop('a desktop that does not come up', () => {
  test.each(['Xvfb', 'dbus-daemon', 'openbox', 'x11vnc'])(
    'because %s says nothing is given up in time, and nothing is left',
    async (program) => {
      fake(program, 'exec sleep 600')
      const { failed, left: rest } = await up({ vnc: true })
      expect(failed).toMatchObject({ code: 'TIMEOUT' })
      expect(rest).toEqual([])
    },
  )

  test.each(['Xvfb', 'dbus-daemon', 'openbox', 'x11vnc'])('because %s fails says what that one said', async (program) => {
    fake(program, 'echo no luck today >&2; exit 3')
    const { failed, left: rest } = await up({ vnc: true, deadlineMs: 8000 })
    expect(failed).toMatchObject({ code: 'DRIVER_FAILED', message: expect.stringContaining('no luck today') as string })
    expect(rest).toEqual([])
  })

  test('because its X server ends while its programs start does not wait for them', async () => {
    const coming = up({ startup: [{ line: 'sleep 25', stays: false }], deadlineMs: 8000 })
    await expect.poll(() => loadRecords(stateDir)[0]?.parts.map((p) => p.name), soon).toContain('startup-0')
    process.kill(loadRecords(stateDir)[0]!.parts.find((p) => p.name === 'xvfb')!.pid, 'SIGKILL')
    expect(await coming).toMatchObject({
      failed: { code: 'DRIVER_FAILED', message: expect.stringContaining('xvfb') as string },
      left: [],
    })
  })

  test('because it is taken down meanwhile says so at once', async () => {
    const coming = up({ startup: [{ line: 'sleep 25', stays: false }], deadlineMs: 8000 })
    await expect.poll(() => loadRecords(stateDir)[0]?.parts.map((p) => p.name), soon).toContain('startup-0')
    const { record } = findSandbox(stateDir)
    await takeDown(stateDir, record)
    expect(await coming).toMatchObject({
      failed: { code: 'NO_DESKTOP', message: expect.stringContaining('taken down') as string },
      left: [],
    })
    expect(marked(markOf(record.id))).toEqual([])
  })

  test('because it is given up leaves nothing', async () => {
    const wish = new AbortController()
    const coming = up({ startup: [{ line: 'sleep 25', stays: false }], deadlineMs: 8000, signal: wish.signal })
    await expect.poll(() => loadRecords(stateDir)[0]?.parts.map((p) => p.name), soon).toContain('startup-0')
    wish.abort(new Error('enough'))
    expect(await coming).toMatchObject({ failed: { message: 'enough' }, left: [] })
  })

  test.each(['/proc/nowhere', '/dev/null'])('because its files have no place in %s says where', async (dir) => {
    await expect(bringUp({ stateDir, dir })).rejects.toMatchObject({ code: 'NO_DESKTOP', message: expect.stringContaining(dir) as string })
    expect(readdirSync(stateDir)).toEqual([])
  })

  test('because it cannot be written down says so', async () => {
    await expect(bringUp({ stateDir: '/dev/null/state' })).rejects.toMatchObject({ code: 'NO_DESKTOP' })
  })

  test('because the address of a bus could not be written in its folder says so', async () => {
    const dir = join(stateDir, 'a, b')
    mkdirSync(dir)
    await expect(bringUp({ stateDir, dir })).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      next: expect.stringContaining('TMPDIR') as string,
    })
  })
})

describeDesktop('what a killed Deskhand left is cleared away by the next start', () => {
  test('when its X server was killed too, before anything else was there', async () => {
    fake('dbus-daemon', 'exec sleep 600')
    const child = source('bring-up.mjs')
    await expect.poll(() => loadRecords(stateDir)[0]?.socket, soon).toBeDefined()
    const [record] = loadRecords(stateDir)
    await kill(child)
    process.kill(record!.parts.find((p) => p.name === 'xvfb')!.pid, 'SIGKILL')
    await expect.poll(() => identify(record!.parts[0]!.pid), soon).toBeUndefined()
    expect(existsSync(record!.socket!.path)).toBe(true)
    expect(await reap(stateDir)).toEqual([record!.id])
    expect(existsSync(record!.dir)).toBe(false)
    // Another desktop of this machine may have taken the number since.
    expect(inodeOf(record!.socket!.path)).not.toBe(record!.socket!.inode)
  })

  test('when its X server was killed before it told its display, and the sockets of others stay', async () => {
    // Numbers that no other run takes.
    const [ours, theirs] = [0, 1].map((i) => `/tmp/.X11-unix/X${100_000 + 2 * process.pid + i}`) as [string, string]
    fake('Xvfb', `exec ${PYTHON} -c "import socket,time; s=socket.socket(socket.AF_UNIX); s.bind('${ours}'); s.listen(); time.sleep(600)"`)
    const child = source('bring-up.mjs')
    await expect.poll(() => existsSync(ours), soon).toBe(true)
    const other = createServer().listen(theirs)
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const serverOf = () => loadRecords(stateDir)[0]?.parts.find((p) => p.name === 'xvfb')
    await expect.poll(serverOf, soon).toBeDefined()
    const [record] = loadRecords(stateDir)
    await kill(child)
    const server = serverOf()!
    process.kill(server.pid, 'SIGKILL')
    await expect.poll(() => identify(server.pid), soon).toBeUndefined()
    expect(await reap(stateDir)).toEqual([record!.id])
    expect([ours, theirs].map(existsSync)).toEqual([false, true])
  })

  test('when it was killed while it removed the folder', async () => {
    const { record } = await bringUp({ stateDir, keep: true })
    const many = join(record.dir, 'home', 'many')
    mkdirSync(many)
    for (let i = 0; i < 20_000; i++) writeFileSync(join(many, String(i)), '')
    const child = source('take-down.mjs')
    const ended = new Promise((done) => child.once('exit', done))
    while (existsSync(many) && readdirSync(many).length === 20_000) await new Promise((r) => setTimeout(r, 1))
    child.kill('SIGKILL')
    await ended
    expect(await reap(stateDir)).toEqual([record.id])
    expect([record.dir, ...readdirSync(stateDir)].filter(existsSync)).toEqual([])
  })
})

describe('a state folder', () => {
  const record = (id: string, more: Partial<SandboxRecord> = {}): SandboxRecord => ({
    v: 1,
    id,
    name: 'sandbox',
    dir: join(stateDir, `deskhand-${id}`),
    width: 1,
    height: 1,
    createdAt: new Date().toISOString(),
    upAt: new Date().toISOString(),
    isolated: false,
    vnc: false,
    startup: [],
    parts: [],
    env: {},
    ...more,
  })
  const [A, B] = ['aaaaaaaaaaaaaaaa', 'abababababababab']

  test('loses the draft of a killed writer, and keeps that of one who is at it', async () => {
    writeFileSync(join(stateDir, `${A}.json.4194999`), '{')
    writeFileSync(join(stateDir, `${A}.json.${process.pid}`), '{')
    await reap(stateDir)
    expect(readdirSync(stateDir)).toEqual([`${A}.json.${process.pid}`])
  })

  test('loses the folder of one that was killed before it had written its name in it', async () => {
    saveRecord(stateDir, record(A, { leaving: true }))
    mkdirSync(join(stateDir, `deskhand-${A}`))
    writeFileSync(join(stateDir, `deskhand-${A}`, OWNER_FILE), '')
    expect(await reap(stateDir)).toEqual([A])
    expect(readdirSync(stateDir)).toEqual([])
  })

  test('gives a desktop by its id, then by its name, then by the beginning of its id, and the living one of two', () => {
    saveRecord(stateDir, record(A))
    saveRecord(stateDir, record(B, { name: 'aa' }))
    expect(findSandbox(stateDir, 'aa').record.id).toBe(B)
    expect(findSandbox(stateDir, 'aaa').record.id).toBe(A)
    expect(() => findSandbox(stateDir, 'a')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
    expect(() => findSandbox(stateDir, '')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
    saveRecord(stateDir, record(A, { name: 'aa', leaving: true }))
    expect(findSandbox(stateDir, 'aa').record.id).toBe(B)
  })

  test('keeps the word that a desktop is being taken down, whatever its keeper writes', async () => {
    saveRecord(stateDir, record(A, { leaving: true }))
    const { updateRecord } = await import('../../packages/deskhand/src/desktop/record.ts')
    expect(updateRecord(stateDir, record(A))).toBe(false)
    expect(JSON.parse(readFileSync(join(stateDir, `${A}.json`), 'utf8'))).toMatchObject({ leaving: true })
  })
})
