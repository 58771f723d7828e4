import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@deskhand/core/model'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { use } from '../support/cli.ts'
import { placeIn } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture } from '../support/linux.ts'

/** What makes Swing speak to the accessibility bus, from Debian's package. */
const WRAPPER = '/usr/share/java/java-atk-wrapper.jar'
const ACCESSIBLE = '-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper'

const AMOUNT = 'role=spinbutton && name="Amount" >> role=textbox'

describeDesktop('an agent on a program of Java', { timeout: 120_000 }, () => {
  let desk: AppDesk
  let classes: string
  beforeAll(async () => {
    classes = mkdtempSync(join(tmpdir(), 'dh-java-'))
    execFileSync('javac', ['-d', classes, fixture('Form.java')])
    desk = await AppDesk.open({ width: 900, height: 700 })
  }, 60_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(async () => {
    await desk.close()
    rmSync(classes, { recursive: true, force: true })
  }, 60_000)

  const open = async (): Promise<ReturnType<AppDesk['start']>> => {
    const form = desk.start('java', '-XX:TieredStopAtLevel=1', '-cp', `${classes}:${WRAPPER}`, ACCESSIBLE, 'Form')
    await desk.shows('role=button && name="OK"')
    return form
  }

  test('fills in a form of Swing and ends it, which tells what it heard', async () => {
    const { ended } = await open()
    expect(await desk.type('Zoë 漢', { target: 'role=textbox && name="Name"' })).toMatchObject({ effect: 'confirmed' })
    await desk.type('1234', { target: 'role=textbox && name="Pin"' })
    await desk.toggle('role=checkbox && name="I agree"')
    await desk.toggle('role=radio && name="Large"')
    await desk.click('role=combobox')
    await desk.click('role=label && name="Peru"')
    await desk.wait({ uiState: { target: 'role=combobox', value: 'Peru' } })
    await desk.type('42', { target: AMOUNT, mode: 'replace' })
    await desk.use('ui.key', { target: AMOUNT, keys: 'Enter' })
    await desk.click('role=label && name="green"')
    await desk.type('eins\nzwei', { target: 'role=textbox && name="Notes"' })
    const { text } = await use(desk.client, 'ui.snapshot')
    expect(text).not.toContain('1234')
    await desk.click('role=button && name="OK"')
    expect(await ended).toEqual({ code: 0, out: 'Zoë 漢|1234|true|large|Peru|42|green|eins\nzwei\n' })
  })

  test('an open list lies over what is behind it, and a menu does what it says', async () => {
    await open()
    await desk.click('role=combobox')
    await desk.shows('role=label && name="Nepal"')
    const { record } = await use(desk.client, 'ui.click', { target: 'role=spinbutton && name="Amount"', timeoutMs: 0 })
    expect(record).toMatchObject({ status: 'error' })
    await desk.click('role=label && name="Nepal"')
    await desk.wait({ uiState: { target: 'role=combobox', value: 'Nepal' } })
    await desk.click('role=menu && name="File"')
    await desk.click('role=menuitem && name="Clear notes"')
    await desk.wait({ uiState: { target: 'role=textbox && name="Notes"', value: 'cleared' } })
  })

  test('the entries of a menu lie where they are seen, and a click by pixel chooses one', async () => {
    await open()
    await desk.click('role=menu && name="File"')
    const entry = 'role=menuitem && name="Clear notes"'
    await desk.shows(entry)
    const { x, y, w, h } = placeIn((await desk.use('ui.query', { selector: entry })) as unknown as Result)
    await desk.use('ui.click_xy', { x: x + w / 2, y: y + h / 2 })
    await desk.wait({ uiState: { target: 'role=textbox && name="Notes"', value: 'cleared' } })
  })
})
