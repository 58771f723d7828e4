import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Driver, within } from '@deskhand/core/driver'
import type { FlatNode, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { govern, type TestDesk } from '../support/desk.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/windows/controls.mjs', import.meta.url))
const ROWS = 5000
const seen = new Seen('controls')

describeWine('the insides of classic controls, on Wine', () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>
  const log = (): string[] => {
    const file = join(wine.folder, 'controls.log')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  }
  const look = async (): Promise<FlatNode[]> => (await driver.observe.read({}, within(60_000))).nodes
  const logged = (line: string): Promise<void> => vi.waitFor(() => expect(log()).toContain(line), { timeout: 20_000 })
  const use = async (tool: string, args: unknown): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result.error, `${tool} ${JSON.stringify(args)}: ${result.error?.message}`).toBeUndefined()
    return result
  }

  beforeAll(async () => {
    wine = await openWine()
    driver = (await wine.driver()).driver
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
    const words = [NODE, onZ(FIXTURE), String(ROWS), onZ(join(wine.folder, 'controls.log'))]
    wine.run(words, { log: join(wine.folder, 'controls.out') })
    // The application answers no caller while it fills its list.
    await vi.waitFor(async () => expect((await look()).some((n) => n.role === 'slider')).toBe(true), { timeout: 60_000 })
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })

  test('rows with cells, headings, branches, tabs, numbers and dates are elements', async () => {
    const nodes = await look()
    const named = (role: string, name: string): FlatNode | undefined => nodes.find((n) => n.role === role && n.name === name)
    expect(named('table', 'Orders')).toBeDefined()
    expect(nodes.filter((n) => n.role === 'row' && n.name?.startsWith('Order '))).toHaveLength(ROWS)
    expect(named('row', 'Order 0')?.bounds?.h).toBeGreaterThan(5)
    expect(named('row', 'Order 3')?.description).toBe('Customer: Customer 3')
    expect(named('cell', '2.50')?.attributes).toMatchObject({ row: 1, column: 1, header: 'Price' })
    expect(named('cell', '2.50')?.parent).toBe(named('row', 'Paper')?.key)
    expect(named('columnheader', 'Customer')).toBeDefined()
    expect(named('row', 'Order 4999')).toMatchObject({ states: { visible: false } })
    const inbox = named('treeitem', 'Inbox')
    expect(inbox?.states).toMatchObject({ expanded: false, selected: false })
    expect(named('treeitem', '2026')?.parent).toBe(inbox?.key)
    expect(named('tab', 'General')?.states?.selected).toBe(true)
    expect(named('slider', 'Volume')).toMatchObject({ value: '20', attributes: { min: 10, max: 100 } })
    expect(named('spinbutton', 'Copies')).toMatchObject({ value: '1', attributes: { min: 1, max: 99 } })
    expect(named('progressbar', 'Done')).toMatchObject({ value: '40' })
    expect(named('spinbutton', 'Due date')).toMatchObject({ value: '2026-11-18' })
    seen.on(
      'Wine',
      'rows, cells and headings of list views',
      'branches of trees',
      'tabs',
      'values and ranges of sliders, spin buttons and progress bars',
      'dates',
    )
  })

  test('a row among 5,000 is chosen, and the program hears of it', async () => {
    await use('ui.click', { target: 'role=row && name="Order 4321"' })
    await logged('row 4321')
    const row = (await look()).find((n) => n.role === 'row' && n.name === 'Order 4321')
    expect(row?.states?.selected).toBe(true)
    seen.on('Wine', 'a row among 5,000 of a list view chosen')
  })

  test('a branch is unfolded and one of its entries chosen', async () => {
    // The session keeps the controls of the call before for a moment.
    const lease = await vi.waitFor(() => driver.act.take(20_000, within(20_000)), { timeout: 20_000, interval: 100 })
    const inbox = (await look()).find((n) => n.name === 'Inbox')
    expect((await driver.act.step(lease, { do: 'expand', key: inbox?.key ?? '' }, {}, within(20_000))).via).toBe('TVM_EXPAND')
    await driver.act.drop(lease)
    await logged('folded')
    await use('ui.click', { target: 'role=treeitem && name="2026"' })
    await logged('tree')
    expect((await look()).find((n) => n.name === '2026')?.states?.selected).toBe(true)
    seen.on('Wine', 'a branch unfolded, and an entry in it chosen')
  })

  test('tabs, sliders, spin buttons and dates take values, and the program hears of them', async () => {
    await use('ui.click', { target: 'role=tab && name="Advanced"', delivery: 'semantic' })
    await logged('tab 1')
    await use('ui.set', { target: 'role=slider && name="Volume"', value: 70 })
    await logged('slider 70')
    await use('ui.set', { target: 'role=spinbutton && name="Copies"', value: 12 })
    await logged('spin 12')
    await use('ui.set', { target: 'role=spinbutton && name="Due date"', value: '2027-02-03' })
    await use('ui.click', { target: 'role=button && name="Report"' })
    await logged('date 2027-2-3')
    await logged('number 12')
    const out = await desk.call('ui.set', { target: 'role=slider && name="Volume"', value: 700 })
    expect(out.error?.message).toContain('100')
    seen.on('Wine', 'a tab chosen, a slider, a spin button and a date set')
  })

  test('docs/windows.md says of classic controls what was seen here', () => {
    seen.mustBeTold()
  })
})
