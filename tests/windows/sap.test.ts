import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
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

/** What the tests before the comparison of two versions change. */
const CHANGED = /chkBLOCK|cmbTERMS|MATNR|shell#1$|KWMENG|#5$|sbar/

interface Sap {
  wine: Wine
  driver: Driver
  desk: Pick<TestDesk, 'session' | 'call' | 'journal'>
  log(): string[]
  look(): Promise<FlatNode[]>
  /** Ends the double and starts another one. */
  again(how: string): Promise<void>
}

/** SAP GUI's double under the name of SAP's program, and an agent beside it. */
async function openSap(how?: string): Promise<Sap> {
  const wine = await openWine()
  const { driver } = await wine.driver()
  const desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  const [program, log] = [join(wine.folder, 'saplogon.exe'), join(wine.folder, 'sap.log')]
  copyFileSync(join(windowsHome, 'node', 'bin', 'node.exe'), program)
  const start = (...words: string[]): void =>
    void wine.run([onZ(program), onZ(FIXTURE), onZ(log), ...words], { log: join(wine.folder, 'sap.out') })
  start(...(how === undefined ? [] : [how]))
  const look = async (): Promise<FlatNode[]> => (await driver.observe.read({}, within(60_000))).nodes
  const appears = (isThere = true): Promise<void> =>
    vi.waitFor(async () => expect((await look()).some((n) => n.attributes?.['class'] === 'SAP_FRONTEND_SESSION')).toBe(isThere), {
      timeout: 60_000,
    })
  await appears()
  const again = async (version: string): Promise<void> => {
    await once(wine.run(['taskkill', '/f', '/im', 'saplogon.exe']), 'exit')
    await appears(false)
    rmSync(log)
    start(version)
    await appears()
  }
  return { again, wine, driver, desk, look, log: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []) }
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

  /** From the first screen into the order 4711. */
  const openOrder = async (): Promise<void> => {
    await shown('wnd[0]/tbar[0]/okcd')
    await use('ui.type', { target: 'sap:"wnd[0]/tbar[0]/okcd"', text: '/nVA02', mode: 'replace' })
    await use('ui.key', { keys: 'Enter' })
    await shown('wnd[0]/usr/ctxtVBAK-VBELN')
    expect(await byId('wnd[0]/usr/ctxtVBAK-VBELN')).toMatchObject({ role: 'textbox', name: 'Sales Order', states: { required: true } })
    expect(JSON.stringify(await sap.look())).not.toContain('init1234')
    await use('ui.key', { keys: 'Enter' })
    await shown('wnd[0]/usr/chkBLOCK')
  }
  /** What is told of components, whichever window they are in. */
  const told = async () =>
    (await sap.look()).flatMap(({ role, name, value, bounds, states, attributes, platformIds: { sapId = '' } = {} }) =>
      sapId.includes('/') ? [{ sapId, role, name, value, bounds, states, attributes }] : [],
    )

  test('an agent goes to a transaction, opens an order, changes it and answers the question whether to save', async () => {
    await openOrder()
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

  test('tables are read and changed cell by cell, and grids have their tools', async () => {
    await openOrder()
    const [grid, table] = ['wnd[0]/usr/cntlGRID/shellcont/shell', 'wnd[0]/usr/tblSAPMV45ATCTRL']
    const [gridCell, fixedCell] = [await byId(`${grid}#1,MATNR`), await byId(`${grid}#1,POSNR`)]
    expect(gridCell).toMatchObject({
      role: 'cell',
      value: 'Valve',
      states: { editable: true },
      attributes: { row: 1, column: 1, header: 'Material' },
    })
    expect(fixedCell).toMatchObject({ value: '20', states: { editable: false } })
    expect(gridCell?.parent).toBe((await byId(`${grid}#1`))?.key)
    await use('ui.type', { target: `sap:"${grid}#1,MATNR"`, text: 'Gasket', mode: 'replace', delivery: 'semantic' })
    expect(await byId(`${grid}#1,MATNR`)).toMatchObject({ value: 'Gasket' })
    expect(await byId(`${grid}#tool:&DELETE`)).toMatchObject({ role: 'button', name: 'Delete', states: { enabled: false } })
    await use('ui.click', { target: `sap:"${grid}#tool:&FIND"`, delivery: 'semantic' })
    await use('ui.click', { target: `sap:"${grid}#tool:&LAYOUT"`, delivery: 'semantic' })
    expect(await byId(table)).toMatchObject({ role: 'table', attributes: { rowsNotLoaded: 17 } })
    const quantity = await byId(`${table}/txtRV45A-KWMENG[1,1]`)
    expect(quantity).toMatchObject({ role: 'textbox', value: '1', attributes: { row: 5, column: 1, header: 'Quantity' } })
    expect(quantity?.parent).toBe((await byId(`${table}#5`))?.key)
    expect(await byId(`${table}#5`)).toMatchObject({ role: 'row', name: '60, 1', states: { selected: false } })
    await use('ui.set', { target: `sap:"${table}/txtRV45A-KWMENG[1,1]"`, value: '12' })
    await use('ui.click', { target: `sap:"${table}#5"`, delivery: 'semantic' })
    expect(await byId(`${table}#5`)).toMatchObject({ name: '60, 12', states: { selected: true } })
    for (const line of ['cell 1 MATNR: Gasket', 'tool &FIND', 'menu of the tool &LAYOUT', `${table}/txtRV45A-KWMENG[1,1].Text = 12`])
      expect(sap.log()).toContain(line)
    seen.on('a double', 'table controls and grids cell by cell, tools of grids, ModifyCell')
  })

  test('a version of SAP GUI that tells of each component alone is read alike', async () => {
    expect(sap.log()).toContain('whole tree')
    const whole = await told()
    await sap.again('old')
    await openOrder()
    const alone = await told()
    expect(sap.log()).not.toContain('whole tree')
    const ids = (nodes: typeof whole): string[] => nodes.map(({ sapId }) => sapId)
    expect(ids(alone)).toEqual(ids(whole))
    const untouched = (nodes: typeof whole) => nodes.filter(({ sapId }) => !CHANGED.test(sapId))
    expect(untouched(alone)).toEqual(untouched(whole))
    expect(untouched(whole).length).toBeGreaterThan(20)
    seen.on('a double', 'GetObjectTree, and the same elements where there is none')
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
