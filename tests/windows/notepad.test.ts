import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, within } from '@deskhand/core/driver'
import type { Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { govern, type TestDesk } from '../support/desk.ts'
import { describeWine, onZ, openWine, type Wine } from '../support/wine.ts'

describeWine("an agent on Wine's notepad", () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call' | 'journal'>

  beforeAll(async () => {
    wine = await openWine()
    driver = (await wine.driver()).driver
    desk = await govern(driver, KEEP_DRAFTS, { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  })
  afterAll(async () => {
    await desk.session.close()
    await wine.down()
  })

  /** A call that must succeed. */
  const use = async (tool: string, args: unknown): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result.error, `${tool} ${JSON.stringify(args)}: ${result.error?.message}`).toBeUndefined()
    return result
  }
  const shown = (selector: string): Promise<Result> =>
    use('ui.wait', { until: { uiState: { target: selector, visible: true } }, timeoutMs: 20_000 })
  /** Asked of the driver: a session does not call absent what an unread menu might hold. */
  const gone = async (role: string, name: string): Promise<void> => {
    const isThere = async (): Promise<boolean> => {
      const { nodes } = await driver.observe.read({}, within(20_000))
      return nodes.some((n) => n.role === role && n.name?.includes(name))
    }
    await expect.poll(isThere, { timeout: 20_000 }).toBe(false)
  }

  test('writes Unicode, saves it in UTF-8 through the dialog, and answers the question of whether to save more', async () => {
    const text = 'Grüße 漢字 😀 (a+b)*c\nline two'
    const file = join(wine.folder, 'grüße.txt')
    expect(await use('desktop.launch', { app: 'notepad' })).toMatchObject({ effect: 'confirmed' })
    await use('ui.type', { target: 'role=textbox', text })
    await use('ui.key', { keys: 'ctrl+s' })
    await shown('role=dialog && name="Save As"')
    await use('ui.type', { target: 'role=combobox && name="File name"', text: onZ(file), mode: 'replace' })
    const { data } = await use('ui.query', { selector: 'role=combobox && name="Encoding" >> role=option && name*="UTF-8"' })
    const [utf8] = (data as { matches: { name: string }[] }).matches
    await use('ui.set', { target: 'role=combobox && name="Encoding"', value: utf8?.name })
    await use('ui.click', { target: 'role=dialog >> role=button && name="Save"' })
    await gone('dialog', 'Save As')
    expect(bare(readFileSync(file))).toBe(text.replaceAll('\n', '\r\n'))

    await use('ui.key', { keys: 'ctrl+End' })
    await use('ui.type', { target: 'role=textbox', text: '\nand more', mode: 'append' })
    await use('ui.window', { target: 'role=window && name*="Notepad"', op: 'close' })
    await shown('role=button && name="Yes"')
    await use('ui.click', { target: 'role=button && name="Yes"' })
    await gone('window', 'Notepad')
    expect(bare(readFileSync(file))).toBe(`${text}\nand more`.replaceAll('\n', '\r\n'))
  })

  test('what the policy forbids for this program is refused, and everything is on the record', async () => {
    await use('desktop.launch', { app: 'notepad' })
    await use('ui.type', { target: 'window="Untitled - Notepad" >> role=textbox', text: 'draft' })
    await use('ui.window', { target: 'role=window && name*="Untitled - Notepad"', op: 'close' })
    await shown('role=button && name="No"')
    const refused = await desk.call('ui.click', { target: 'role=button && name="No"' })
    expect(refused).toMatchObject({ sent: 'none', decision: { verdict: 'deny', rule: { name: 'drafts are kept' } } })
    await use('ui.click', { target: 'role=button && name="Cancel"' })
    await gone('button', 'No')
    expect((await use('ui.query', { selector: 'role=textbox' })).text).toContain('draft')
    const entries = JSON.stringify(await desk.journal())
    for (const word of ['drafts are kept', 'notepad.exe', 'SendInput']) expect(entries).toContain(word)
  })
})

const KEEP_DRAFTS = `
[[rule]]
name = "drafts are kept"
toolName = "ui.click"
decision = "deny"
priority = 900
when = { app = "notepad", name = "No" }
`

/** A text without the mark that Windows puts in front of UTF-8. */
const bare = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\ufeff/, '')
