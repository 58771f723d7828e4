import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { within } from '../driver.ts'
import { type HostedDriver, type HostOptions, spawnHost } from './spawn.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A module as built: through tsx every process here would take four times as long to start. */
const here = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href.replace('/src/', '/dist/').replace(/ts$/, 'js'))
const node = (code: string): Pick<HostOptions, 'command' | 'args'> => ({
  command: process.execPath,
  args: ['--input-type=module', '--eval', code],
})

const plain = (code: string): Pick<HostOptions, 'command' | 'args'> => ({ command: process.execPath, args: ['--eval', code] })
const otherVersion = `
  import { Socket } from 'node:net'
  import { Link } from ${here('../wire/link.ts')}
  new Link(new Socket({ fd: 3 }), { protocol: { name: 'deskhand-driver', version: 2 } })
`

/** A driver host with a lease that notes in a file what becomes of it. */
const host = (notes: string, more = ''): string => `
  import { appendFileSync } from 'node:fs'
  import { runHost } from ${here('spawn.ts')}
  import { CAPS } from ${here('../driver.ts')}
  const note = (line) => appendFileSync(${JSON.stringify(notes)}, line + '\\n')
  const can = Object.fromEntries(CAPS.map((c) => [c, { ok: true }]))
  const info = async () => ({ protocol: 1, kind: 'test', name: 'noting', version: '1', prefixes: [], desktop: 'urn:test', epoch: 'e', can })
  const wait = (_since, _ms, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', () => (note('aborted'), reject(ctx.signal.reason))))
  console.error('host is up')
  ${more}
  await runHost(async () => ({
    observe: { info, changes: wait },
    act: { stop: async () => note('stop') },
    close: async () => note('close'),
  }))
`

test('a spawned host is a driver, and closing ends its process in order', async () => {
  const notes = await file()
  const driver = await start(node(host(notes)))
  expect(driver.info.name).toBe('noting')
  expect(alive(driver.pid)).toBe(true)
  await driver.close()
  expect(alive(driver.pid)).toBe(false)
  expect(await lines(notes)).toEqual(['stop', 'close'])
  expect(await driver.died).toMatchObject({ code: 'DRIVER_DEAD', message: expect.stringContaining('exited with code 0') as string })
})

test('killing the host fails what is in flight and tells its last words, even when its own child lives on', async () => {
  const deaths: unknown[] = []
  const orphan = `
    import { spawn } from 'node:child_process'
    const orphan = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { detached: true, stdio: 'ignore' })
    console.error('orphan ' + orphan.pid)
  `
  const driver = await start({ ...node(host(await file(), orphan)), onDeath: (death) => deaths.push(death) })
  const poll = driver.observe.changes('c', 60_000, within(60_000))
  process.kill(driver.pid, 'SIGKILL')
  await expect(poll).rejects.toMatchObject({ code: 'DRIVER_DEAD' })
  const death = await driver.died
  expect(death.message).toContain('SIGKILL')
  const { output } = death.details as { output: string[] }
  expect(output).toContain('host is up')
  process.kill(Number(output.find((l) => l.startsWith('orphan'))?.split(' ')[1]), 'SIGKILL')
  await driver.close()
  expect(deaths).toEqual([death])
})

test('when the process that owns the link is killed, the host stops, closes and exits', async () => {
  const notes = await file()
  const owner = node(`
    import { spawnHost } from ${here('spawn.ts')}
    const driver = await spawnHost({ ...${JSON.stringify(node(host(notes)))}, readyMs: 30000 })
    driver.observe.changes('c', 60000, { signal: new AbortController().signal, deadlineMs: 60000 }).catch(() => {})
    await driver.observe.info({ signal: new AbortController().signal, deadlineMs: 1000 })
    console.log(driver.pid)
  `)
  const child = spawn(owner.command, owner.args ?? [], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)))
  child.kill('SIGKILL')
  while (alive(pid)) await sleep(10)
  expect(await lines(notes)).toEqual(['aborted', 'stop', 'close'])
})

test('a host that is caught in a loop does not outlive its owner', async () => {
  const code = host(await file()).replace('changes: wait', 'changes: () => { for (;;) {} }')
  const owner = node(`
    import { spawnHost } from ${here('spawn.ts')}
    const driver = await spawnHost({ ...${JSON.stringify(node(code))}, readyMs: 30000 })
    driver.observe.changes('c', 60000, { signal: new AbortController().signal, deadlineMs: 60000 }).catch(() => {})
    console.log(driver.pid)
  `)
  const child = spawn(owner.command, owner.args ?? [], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)))
  await sleep(300)
  child.kill('SIGKILL')
  while (alive(pid)) await sleep(50)
})

test.each([
  ['with a fault to tell', "new Promise(() => setTimeout(() => { throw new Error('a fault') }))"],
  ['caught in a loop', '{ for (;;) {} }'],
])('a host %s does not outlive an owner that died before the host was up', async (_, opening) => {
  const notes = await file()
  const slow = `
    const owner = process.ppid
    note(process.pid)
    while (process.ppid === owner) await new Promise((r) => setTimeout(r, 10))
  `
  const code = host(notes, slow).replace('runHost(async () =>', `runHost(async () => ${opening}, async () =>`)
  const owner = node(`
    import { spawnHost } from ${here('spawn.ts')}
    await spawnHost({ ...${JSON.stringify(node(code))}, readyMs: 30000 })
  `)
  const child = spawn(owner.command, owner.args ?? [], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = await vi.waitFor(async () => Number((await lines(notes))[0]), { timeout: 60_000 })
  child.kill('SIGKILL')
  while (alive(pid)) await sleep(50)
})

test.each([
  ['that exits early', plain('console.error("no display :7"); process.exit(3)'), 30_000, 'exited with code 3', 'no display :7'],
  [
    'that prints garbage',
    plain('fs.writeSync(3, "Hello, world! ".repeat(100)); console.error("hm"); setInterval(() => {}, 1000)'),
    30_000,
    'does not speak',
    'hm',
  ],
  ['that says nothing', plain('console.log("thinking"); setInterval(() => {}, 1000)'), 3000, 'did not get ready', 'thinking'],
  ['of another version', node(otherVersion), 30_000, 'deskhand-driver 1', 'deskhand-driver 2'],
])('a host %s is DRIVER_FAILED with what it printed', async (_, host, readyMs, what, words) => {
  const failure = await spawnHost({ ...host, readyMs, closeMs: 300 }).catch((e: unknown) => e)
  expect(failure).toMatchObject({ code: 'DRIVER_FAILED', message: expect.stringContaining(what) as string })
  expect((failure as Error).message).toContain(words)
})

test('a start that is ended kills the host, which does not answer yet', async () => {
  const notes = await file()
  const ended = new AbortController()
  const code = `fs.writeFileSync(${JSON.stringify(notes)}, String(process.pid)); setInterval(() => {}, 1000)`
  const starting = spawnHost({ ...plain(code), readyMs: 100_000, signal: ended.signal })
  starting.catch(() => {})
  const pid = await vi.waitFor(
    async () => {
      const [written] = await lines(notes)
      expect(written).toMatch(/^\d+$/)
      return Number(written)
    },
    { timeout: 60_000 },
  )
  ended.abort()
  await expect(starting).rejects.toMatchObject({ code: 'DRIVER_FAILED', message: expect.stringContaining('SIGKILL') as string })
  expect(alive(pid)).toBe(false)
})

test('a command that does not exist is DRIVER_FAILED', async () => {
  await expect(spawnHost({ command: '/does/not/exist' })).rejects.toMatchObject({
    code: 'DRIVER_FAILED',
    message: expect.stringContaining('ENOENT') as string,
  })
})

test('a driver that cannot open tells its own code and next step', async () => {
  const code = `
    import { runHost } from ${here('spawn.ts')}
    import { DeskhandError } from ${here('../../errors.ts')}
    await runHost(async () => { throw new DeskhandError('MISSING_PACKAGE', 'Xvfb is not installed.', { next: 'apt install xvfb' }) })
  `
  await expect(spawnHost({ ...node(code), readyMs: 30_000 })).rejects.toMatchObject({
    code: 'MISSING_PACKAGE',
    message: 'Xvfb is not installed.',
    next: 'apt install xvfb',
  })
})

test('a host that ignores the end of its link and SIGTERM is killed', async () => {
  const stubborn = `process.exit = () => {}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`
  const driver = await start({ ...node(host(await file(), stubborn)), closeMs: 200 })
  await driver.close()
  expect(alive(driver.pid)).toBe(false)
  expect((await driver.died).message).toContain('SIGKILL')
})

async function start(options: HostOptions): Promise<HostedDriver> {
  const driver = await spawnHost({ readyMs: 30_000, ...options })
  onTestFinished(() => driver.close())
  return driver
}

async function file(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deskhand-host-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'notes')
}

const lines = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n')

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
