import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type HostedDriver, within } from '@deskhand/core/driver'
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

  test('cannot send the driver to a socket that is not its own', async () => {
    const path = join(sandbox.env['XDG_RUNTIME_DIR'] ?? '', 'bystander')
    const code = `import socket; s = socket.socket(socket.AF_UNIX); s.bind('${path}'); s.listen(); print('up', flush=True); s.accept(); print('reached', flush=True)`
    const heard = listen(sandbox, PYTHON, ['-c', code])
    await expect.poll(heard, soon).toEqual(['up'])
    odd = await OddApp.start(
      bus(),
      windowed(() => ({ role: 'panel', name: 'Inside', children: () => [], count: 0 })),
      `unix:path=${path}`,
    )
    await expect.poll(() => odd?.asked, soon).toContain(`GetApplicationBusAddress ${ROOT}`)
    await expect.poll(() => odd?.asked, soon).toContain('GetRole /inside')
    expect(heard()).toEqual(['up'])
    // It listens all the time.
    execFileSync(PYTHON, ['-c', `import socket; socket.socket(socket.AF_UNIX).connect('${path}')`])
    await expect.poll(heard, soon).toEqual(['up', 'reached'])
  })
})

/** The memory of the driver hosts that this process started, in MB. */
function memoryOfHosts(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const status = (pid: string): string => (pid === '' ? '' : readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.max(0, ...children.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(status(pid))?.[1] ?? 0) / 1024))
}
