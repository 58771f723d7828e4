import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostedDriver, type Sent, type Step, within } from '@deskhand/core/driver'
import type { FlatNode } from '@deskhand/core/model'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture, linuxHost, listen, PYTHON, shown, told } from '../support/linux.ts'

const ctx = within(20_000)
const soon = { timeout: 20_000 }

describeDesktop('an application whose handler waits for its own dialog', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  let answers: () => string[]
  beforeAll(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost(sandbox)
    answers = listen(sandbox, PYTHON, [fixture('modal_gtk3.py')])
    await shown(driver, 'Modal')
    await told(driver)
  })
  afterAll(async () => {
    await driver.close()
    await sandbox.down()
  })

  const step = async (what: Step): Promise<Sent> => {
    const lease = await driver.act.take(30_000, ctx)
    try {
      return await driver.act.step(lease, what, {}, ctx)
    } finally {
      await driver.act.drop(lease)
    }
  }
  const find = async (role: string, name: string): Promise<FlatNode | undefined> =>
    (await driver.observe.read({}, ctx)).nodes.find((n) => n.role === role && n.name === name && n.states?.visible !== false)
  const keyOf = async (role: string, name: string): Promise<string> => {
    await expect.poll(() => find(role, name), soon).toBeDefined()
    return (await find(role, name))!.key
  }

  test.each<[string, () => Promise<Step>]>([
    ['a menu item is pressed', async () => ({ do: 'press', key: await keyOf('menuitem', 'Ask') })],
    ['a button is pressed', async () => ({ do: 'press', key: await keyOf('button', 'Ask me') })],
    ['a text is set', async () => ({ do: 'setText', key: await keyOf('textbox', 'Field'), text: 'Grüße', mode: 'replace' })],
    ['a value is set', async () => ({ do: 'setValue', key: await keyOf('slider', 'Level'), value: 7 })],
  ])('goes on answering when %s: its dialog is read and answered, and so is the rest', async (what, make) => {
    if (what.startsWith('a menu item')) await step({ do: 'press', key: await keyOf('menu', 'Tools') })
    const before = answers().length
    expect(await step(await make())).toMatchObject({ sent: 'all' })
    const cancel = await keyOf('button', 'Cancel')
    const part = await driver.observe.read({}, ctx)
    expect(part.completeness).toEqual({ complete: true, reasons: [] })
    expect(await driver.observe.check([await keyOf('textbox', 'Field')], ctx)).toMatchObject([{ role: 'textbox' }])
    expect(await step({ do: 'press', key: cancel })).toMatchObject({ sent: 'all' })
    await expect.poll(answers, soon).toHaveLength(before + 1)
    await expect.poll(() => find('button', 'Cancel'), soon).toBeUndefined()
  })
})
