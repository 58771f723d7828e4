import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostedDriver, within } from '@deskhand/core/driver'
import type { FlatNode, Rect } from '@deskhand/core/model'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture, linuxHost, PYTHON, shown, start, told } from '../support/linux.ts'

const ctx = within(20_000)
const soon = { timeout: 60_000, interval: 200 }

describeDesktop('what an application changes without a word', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  let under: number
  beforeAll(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost(sandbox)
    under = start(sandbox, PYTHON, [fixture('drift_gtk3.py'), 'Under']).pid ?? 0
    await shown(driver, 'Under', 60_000)
    await told(driver, 60_000)
  })
  afterAll(async () => {
    await driver.close()
    await sandbox.down()
  })

  const button = async (name: string): Promise<FlatNode | undefined> =>
    (await driver.observe.read({}, ctx)).nodes.find((n) => n.role === 'button' && n.name === name)
  const place = async (name: string): Promise<Rect | undefined> => (await button(name))?.bounds

  test('is not believed when it says that something has the focus, and denies it when asked', async () => {
    process.kill(under, 'SIGUSR2')
    const claims = async (): Promise<unknown> => {
      const found = await button('Third of Under')
      return found && { focused: found.states?.focused ?? false }
    }
    // Its new name was told after the focus.
    let said: unknown
    await expect.poll(async () => (said = await claims()), soon).toBeDefined()
    expect(said).toEqual({ focused: false })
  })

  test('is no unread area any more once it is told, though it is not drawn anew', async () => {
    const unread = async (): Promise<string[]> =>
      (await driver.observe.read({}, ctx)).completeness.reasons.map((r) => r.detail).filter((d) => d.includes('does not tell'))
    await expect.poll(unread, soon).toHaveLength(1)
    process.kill(under, 'SIGHUP')
    await expect.poll(unread, soon).toEqual([])
    expect((await driver.observe.read({}, ctx)).nodes.map((n) => n.role)).toContain('link')
  })

  test('is told also where another window lies over it, so that nothing of it is drawn', async () => {
    start(sandbox, PYTHON, [fixture('drift_gtk3.py'), 'Over'])
    await shown(driver, 'Over', 60_000)
    await told(driver, 60_000)
    const [first, third] = [await place('First of Under'), await place('Third of Under')]
    expect(first?.w).toBeLessThan(300)
    process.kill(under, 'SIGUSR1')
    await expect.poll(async () => (await place('First of Under'))?.w, soon).toBe(300)
    await expect.poll(async () => (await place('Third of Under'))?.x, soon).toBe((third?.x ?? 0) + 300 - (first?.w ?? 0))
  })
})
