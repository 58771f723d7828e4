import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Driver, within } from '@deskhand/core/driver'
import type { FlatNode, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { windowsHome } from '../../scripts/setup-windows.mjs'
import { govern, type TestDesk } from '../support/desk.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, onZ, openWine, type Wine } from '../support/wine.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/windows/sap.mjs', import.meta.url))
const seen = new Seen('sap')

interface Sap {
  wine: Wine
  driver: Driver
  desk: Pick<TestDesk, 'session' | 'call' | 'journal'>
  log(): string[]
  look(): Promise<FlatNode[]>
}

/** SAP GUI's double under the name of SAP's program, and an agent beside it. */
async function openSap(how?: string): Promise<Sap> {
  const wine = await openWine()
  const { driver } = await wine.driver()
  const desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  const [program, log] = [join(wine.folder, 'saplogon.exe'), join(wine.folder, 'sap.log')]
  copyFileSync(join(windowsHome, 'node', 'bin', 'node.exe'), program)
  wine.run([onZ(program), onZ(FIXTURE), onZ(log), ...(how === undefined ? [] : [how])], { log: join(wine.folder, 'sap.out') })
  const look = async (): Promise<FlatNode[]> => (await driver.observe.read({}, within(60_000))).nodes
  await vi.waitFor(async () => expect((await look()).some((n) => n.name === 'SAP Easy Access')).toBe(true), { timeout: 60_000 })
  return { wine, driver, desk, look, log: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []) }
}

async function close({ wine, driver, desk }: Sap): Promise<void> {
  await desk.session.close()
  await driver.close()
  await wine.down()
}

describeWine("SAP GUI by its own ids, on a double of its scripting interface in Wine's table of running objects", () => {
  let sap: Sap

  beforeAll(async () => {
    sap = await openSap()
  })
  afterAll(() => close(sap))

  const use = async (tool: string, args: unknown): Promise<Result> => {
    const result = await sap.desk.call(tool, args)
    expect(result.error, `${tool} ${JSON.stringify(args)}: ${result.error?.message}`).toBeUndefined()
    return result
  }
  const byId = async (id: string): Promise<FlatNode | undefined> => (await sap.look()).find((n) => n.platformIds?.sapId === id)
  const shown = (id: string): Promise<void> => vi.waitFor(async () => expect(await byId(id)).toBeDefined(), { timeout: 20_000 })

  test('an agent goes to a transaction, opens an order, changes it and answers the question whether to save', async () => {
    await use('ui.type', { target: 'sap:"wnd[0]/tbar[0]/okcd"', text: '/nVA02', mode: 'replace' })
    await use('ui.key', { keys: 'Enter' })
    await shown('wnd[0]/usr/ctxtVBAK-VBELN')
    expect(await byId('wnd[0]/usr/ctxtVBAK-VBELN')).toMatchObject({ role: 'textbox', name: 'Sales Order', states: { required: true } })
    expect(JSON.stringify(await sap.look())).not.toContain('init1234')
    await use('ui.key', { keys: 'Enter' })
    await shown('wnd[0]/usr/chkBLOCK')
    expect(await byId('wnd[0]/sbar')).toMatchObject({ role: 'statusbar', name: 'Order 4711 is open' })
    expect(await byId('wnd[0]/usr/cntlGRID/shellcont/shell#1')).toMatchObject({ role: 'row', name: 'POSNR: 20, MATNR: Valve' })
    await use('ui.click', { target: 'sap:"wnd[0]/usr/chkBLOCK"', delivery: 'semantic' })
    await use('ui.click', { target: 'sap:"wnd[0]/usr/cntlGRID/shellcont/shell#1"', delivery: 'semantic' })
    await use('ui.click', { target: 'sap:"wnd[0]/usr/cmbTERMS#Z2"', delivery: 'semantic' })
    await use('ui.click', { target: 'sap:"wnd[0]/usr/tabsTAB/tabpSHIP"', delivery: 'semantic' })
    await use('ui.click', { target: 'sap:"wnd[0]/usr/cntlTREE/shellcont/shell#ITEM"', delivery: 'semantic' })
    await use('ui.key', { keys: 'F11' })
    await shown('wnd[1]/usr/btnYES')
    await use('ui.click', { target: 'sap:"wnd[1]/usr/btnYES"', delivery: 'semantic' })
    await vi.waitFor(async () => expect((await byId('wnd[0]/sbar'))?.name).toBe('Order 4711 has been saved'), { timeout: 20_000 })
    const lines = sap.log()
    for (const line of [
      'wnd[0]/tbar[0]/okcd.Text = /nVA02',
      'vkey 0',
      'wnd[0]/usr/chkBLOCK.Selected = true',
      'wnd[0]/usr/cntlGRID/shellcont/shell.SelectedRows = 1',
      'wnd[0]/usr/cmbTERMS.Key = Z2',
      'tab SHIP',
      'node ITEM',
      'vkey 11',
      'press yes',
    ])
      expect(lines).toContain(line)
    seen.on(
      'a double',
      'components of SAP GUI as elements with `sapId`; Text, Press, Select, Key, SelectedRows, SelectNode and SendVKey; a modal window',
    )
    seen.on('Wine', 'attaching by the table of running objects, and calls through IDispatch between processes')
  })

  test('SAP is a finance program: what is done in it is more of a risk, and says so on the record', async () => {
    await use('ui.type', { target: 'sap:"wnd[0]/tbar[0]/okcd"', text: '/nVA03', mode: 'replace' })
    expect(JSON.stringify(await sap.desk.journal())).toContain('app.finance')
    seen.on('a double', 'SAP as a finance program in the risk')
  })
})

describeWine('what SAP needs to be scripted', () => {
  test.each([
    ['off', 'Enable scripting'],
    ['locked', 'sapgui/user_scripting'],
  ])('is told where it is missing (%s)', async (how, words) => {
    const sap = await openSap(how)
    try {
      const { completeness } = await sap.driver.observe.read({}, within(60_000))
      expect(completeness.reasons.map(({ detail }) => detail).join('\n')).toContain(words)
      seen.on('a double', `what is missing for scripting is told (${how})`)
    } finally {
      await close(sap)
    }
  })

  test('docs/windows.md says of SAP what was seen here', () => {
    seen.mustBeTold()
  })
})
