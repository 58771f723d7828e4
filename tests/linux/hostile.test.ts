import { execFileSync } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type HostedDriver, within } from '@deskhand/core/driver'
import { Mirror } from '../../packages/driver-linux/src/atspi/mirror.ts'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture, linuxHost, listen, PYTHON, shown, start } from '../support/linux.ts'
import { OddApp, type OddNode, ROOT } from '../support/odd-app.ts'

const ctx = within(20_000)
const soon = { timeout: 30_000 }

describeDesktop('an application that answers as no toolkit does', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  let odd: OddApp | undefined
  beforeAll(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost(sandbox)
  })
  afterEach(() => odd?.close())
  afterAll(async () => {
    await driver.close()
    await sandbox.down()
  })

  const bus = (): string => sandbox.env['AT_SPI_BUS_ADDRESS'] ?? ''
  const reasons = async (): Promise<string[]> => (await driver.observe.read({}, ctx)).completeness.reasons.map((r) => r.detail)
  /** A window with one thing in it. */
  const windowed =
    (inside: (path: string) => OddNode | undefined) =>
    (path: string): OddNode | undefined => {
      if (path === ROOT) return { role: 'application', name: 'odd', children: () => ['/frame'], count: 1 }
      if (path === '/frame') return { role: 'frame', name: 'Odd', children: () => ['/inside'], count: 1 }
      return inside(path)
    }

  test('is never asked for the children of a container that does not say how many it has', async () => {
    odd = await OddApp.start(
      bus(),
      windowed((path) => ({ role: 'table', name: 'Sheet', parent: '/frame', children: () => [`${path}/cell`], manages: true })),
    )
    await expect.poll(() => odd?.asked, soon).toContain('ChildCount /inside')
    await expect.poll(reasons, soon).toEqual([])
    expect(odd.asked).not.toContain('GetChildren /inside')
  })

  test('is told as complete in the end also to a reader that only hears of changes', async () => {
    const { cursor } = await driver.observe.read({}, ctx)
    odd = await OddApp.start(
      bus(),
      windowed(() => ({ role: 'panel', name: 'Inside', children: () => [], count: 0 })),
    )
    await expect.poll(() => odd?.asked, soon).toContain('GetRole /inside')
    let since = cursor
    let told: string[] | undefined
    const heard = async (): Promise<string[] | undefined> => {
      const found = await driver.observe.changes(since, 100, ctx)
      if ('reset' in found) throw new Error('too much has changed')
      since = found.cursor
      for (const change of found.changes) if (change.type === 'completeness') told = change.completeness.reasons.map((r) => r.detail)
      return told
    }
    await expect.poll(heard, soon).toEqual([])
  })

  test('is not told as complete while one thing after another of it is being read', async () => {
    const panels = Array.from({ length: 400 }, (_, i) => `/inside/${i}`)
    let isRestless = false
    let busy = 0
    /** Before it answers, it has announced the next one and been asked for it: at no moment is there nothing to be read. */
    const restless = async (path: string): Promise<string[]> => {
      if (!isRestless) return []
      const next = panels[panels.indexOf(path) + 1]
      if (next === undefined) throw new Error('the reader took too long')
      busy++
      await new Promise((done) => setTimeout(done, 150))
      const before = busy
      odd?.announce(next)
      while (isRestless && busy === before) await new Promise((done) => setTimeout(done, 5))
      return []
    }
    odd = await OddApp.start(
      bus(),
      windowed((path) =>
        path === '/inside'
          ? { role: 'panel', name: 'Inside', parent: '/frame', children: () => panels, count: panels.length }
          : { role: 'panel', name: path, parent: '/inside', children: () => restless(path), count: 1 },
      ),
    )
    await expect.poll(() => odd?.asked, soon).toContain(`GetChildren ${panels.at(-1)}`)
    await expect.poll(reasons, soon).toEqual([])
    isRestless = true
    odd.announce(panels[0] ?? '')
    await expect.poll(() => busy, soon).toBeGreaterThan(0)
    expect(await reasons()).not.toEqual([])
    isRestless = false
    await expect.poll(reasons, soon).toEqual([])
  })

  test('to the first questions about a page with nothing, and tells of no change, is asked again', async () => {
    let link = ''
    const page = windowed((path) =>
      path === '/inside'
        ? { role: 'page', name: 'Inside', parent: '/frame', children: () => ['/link'], count: 1 }
        : { role: 'link', name: link, parent: '/inside', children: () => [], count: 0 },
    )
    odd = await OddApp.start(bus(), page, { toolkit: 'Gecko' })
    const mirror = await Mirror.open(bus())
    const known = (): string | undefined => [...mirror.apps.values()].flatMap((a) => a.nodes.get('/link')?.name ?? [])[0]
    try {
      await expect.poll(known, soon).toBe('')
      link = 'the terms'
      await expect.poll(known, soon).toBe(link)
    } finally {
      mirror.close()
    }
  })

  test('with an endless tree takes neither the memory nor the time of the others, and stopping is immediate', async () => {
    const many = (path: string): string[] => Array.from({ length: 400 }, (_, i) => `${path}/${i}`)
    odd = await OddApp.start(
      bus(),
      windowed((path) => ({ role: 'panel', name: path, children: () => many(path), count: 400 })),
    )
    await expect.poll(reasons, soon).toContainEqual(expect.stringContaining('odd is still being read'))
    start(sandbox, PYTHON, [fixture('contract_gtk3.py')])
    await shown(driver, 'Contract', 60_000)
    const button = async (): Promise<string | undefined> =>
      (await driver.observe.read({}, ctx)).nodes.find((n) => n.name === 'Press me')?.key
    await expect.poll(button, soon).toBeDefined()
    const lease = await driver.act.take(30_000, ctx)
    expect(await driver.act.step(lease, { do: 'press', key: (await button())! }, {}, ctx)).toMatchObject({ sent: 'all' })
    await driver.act.stop()
    expect(memoryOfHosts()).toBeLessThan(900)
  })

  test('with answers of 70 MB keeps neither its memory nor the connection that the others have', async () => {
    const flood = 'x'.repeat(70 << 20)
    odd = await OddApp.start(
      bus(),
      windowed(() => ({ role: 'panel', name: flood, children: () => [], count: 0 })),
    )
    await expect.poll(() => odd?.asked, soon).toContain('Name /inside')
    // The application runs in this process, and so do its pauses.
    const own = monitorEventLoopDelay({ resolution: 5 })
    own.enable()
    const took: number[] = []
    for (let i = 0; i < 20; i++) {
      const from = performance.now()
      await driver.act.stop()
      took.push(performance.now() - from)
      await new Promise((done) => setTimeout(done, 50))
    }
    console.log(
      `stop while an application answers 70 MB: median ${median(took)} ms, longest ${Math.round(Math.max(...took))} ms, this process’s own pauses up to ${Math.round(own.max / 1e6)} ms`,
    )
    start(sandbox, PYTHON, [fixture('register_gtk3.py')])
    await shown(driver, 'Register', 60_000)
    await expect.poll(reasons, { timeout: 90_000 }).toContainEqual(expect.stringContaining('too large'))
    expect(memoryOfHosts()).toBeLessThan(500)
  })

  test('with endless texts is cut, and told as cut', async () => {
    const long = 'word '.repeat(400)
    const many = (path: string): string[] => Array.from({ length: 120 }, (_, i) => `${path}/${i}`)
    odd = await OddApp.start(
      bus(),
      windowed((path) => ({
        role: 'panel',
        name: long,
        children: () => (path.split('/').length > 3 ? [] : many(path)),
        count: path.split('/').length > 3 ? 0 : 120,
      })),
    )
    await expect.poll(reasons, { timeout: 60_000 }).toContainEqual(expect.stringContaining('odd'))
    expect(memoryOfHosts()).toBeLessThan(900)
  })

  test('cannot send the driver to a socket that is not its own', async () => {
    const path = join(sandbox.env['XDG_RUNTIME_DIR'] ?? '', 'bystander')
    const code = `import socket; s = socket.socket(socket.AF_UNIX); s.bind('${path}'); s.listen(); print('up', flush=True); s.accept(); print('reached', flush=True)`
    const heard = listen(sandbox, PYTHON, ['-c', code])
    await expect.poll(heard, soon).toEqual(['up'])
    odd = await OddApp.start(
      bus(),
      windowed(() => ({ role: 'panel', name: 'Inside', children: () => [], count: 0 })),
      { address: `unix:path=${path}` },
    )
    await expect.poll(() => odd?.asked, soon).toContain(`GetApplicationBusAddress ${ROOT}`)
    await expect.poll(() => odd?.asked, soon).toContain('GetRole /inside')
    expect(heard()).toEqual(['up'])
    // It listens all the time.
    execFileSync(PYTHON, ['-c', `import socket; socket.socket(socket.AF_UNIX).connect('${path}')`])
    await expect.poll(heard, soon).toEqual(['up', 'reached'])
  })
})

const median = (all: number[]): number => Math.round(all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0)

/** The memory of the driver hosts that this process started, in MB. */
function memoryOfHosts(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const status = (pid: string): string => (pid === '' ? '' : readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.max(0, ...children.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(status(pid))?.[1] ?? 0) / 1024))
}
