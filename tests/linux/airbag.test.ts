import { execFileSync } from 'node:child_process'
import { type HostedDriver, within } from '@deskhand/core/driver'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { govern, type TestDesk } from '../support/desk.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { linuxHost } from '../support/linux.ts'

describeDesktop('the airbag on X', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  let desk: Pick<TestDesk, 'session' | 'call' | 'journal'>

  beforeEach(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost({ env: { ...sandbox.env, DESKHAND_AIRBAG: 'enforce' } })
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  })
  afterEach(async () => {
    await desk.session.close()
    await driver.close()
    await sandbox.down()
  })
  const foreign = async () => (await driver.observe.watch('drawing', undefined, 0, within(20_000))).foreign

  test('sees what another program injects, has it on the record, and says that it cannot swallow it', async () => {
    expect((await driver.observe.info(within(20_000))).airbag).toMatchObject({
      mode: 'audit_only',
      reason: expect.stringContaining('not swallowed') as string,
    })
    execFileSync('xdotool', ['key', 'a', 'b'], { env: sandbox.env })
    await expect.poll(foreign, { timeout: 20_000 }).toEqual({ seen: 4, swallowed: 0 })
    await expect
      .poll(async () => (await desk.journal()).filter((e) => e.type === 'operator' && e.what === 'foreign input'), { timeout: 20_000 })
      .toMatchObject([{ detail: { seen: 4, swallowed: 0 } }])
  })

  test('does not take what the agent sends for foreign', async () => {
    expect((await desk.call('ui.key', { keys: ['a', 'b'] })).error).toBeUndefined()
    execFileSync('xdotool', ['key', 'c'], { env: sandbox.env })
    await expect.poll(foreign, { timeout: 20_000 }).toEqual({ seen: 2, swallowed: 0 })
  })
})
