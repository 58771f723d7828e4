import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
const soon = { timeout: 60_000, interval: 200 }

const ROWS = ['Item,Euros,Paid,Note', 'Rent,900,yes,monthly', 'Heating,120,no,winter', 'Food,310,yes,weekly', 'Train,75,no,tickets']

describeDesktop('LibreOffice Calc', () => {
  let desk: RealDesk
  const folder = mkdtempSync(join(tmpdir(), 'dh-calc-'))
  beforeAll(async () => {
    desk = await realDesk()
    const file = join(folder, 'costs.csv')
    writeFileSync(file, `${ROWS.join('\n')}\n`)
    const args = ['--calc', '--norestore', '--nologo', `-env:UserInstallation=file://${folder}/profile`, '--infilter=csv:44,34,76', file]
    await desk.show('costs.csv', 'soffice', args)
  })
  afterAll(async () => {
    await desk.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a sheet with 20 filled cells is shown in at most 900 tokens, its parts in at most 400', async () => {
    const wanted = ['panel "Font Size"', ...ROWS.flatMap((row) => row.split(',')).map((value) => `value "${value}"`)]
    const look = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''
    // While it starts it tells of its parts one after the other, and what it has not told of yet is named.
    const missing = async (): Promise<string[]> => {
      const text = await look()
      return [...(text.includes('incomplete') ? ['all of it'] : []), ...wanted.filter((part) => !text.includes(part))]
    }
    await expect.poll(missing, soon).toEqual([])
    const text = await look()
    expect(tokens(text), text).toBeLessThanOrEqual(900)
    const skeleton = await desk.call('ui.snapshot', { skeleton: true })
    expect(tokens(skeleton.text ?? ''), skeleton.text).toBeLessThanOrEqual(400)
  })

  test('its comboboxes, which it tells of as panels, are set by their names', async () => {
    const set = await desk.call('ui.set', { target: 'role=panel && name="Font Size"', value: '16' })
    expect(set, `${set.error?.message}\n${set.text}`).toMatchObject({ status: 'success' })
    expect(set.text).toMatch(/"Font Size": "16(?: pt)?"/)
    // Where another cell was, and this one is again, it says what the cell itself has.
    for (const cell of ['B2', 'A1']) await desk.call('ui.click', { target: `role=cell && name="${cell}"` })
    const size = async () => (await desk.call('ui.query', { selector: 'name="Font Size" >> role=textbox && visible=true' })).text
    await expect.poll(size, soon).toContain('value "16 pt"')
  })

  test('a field of a toolbar gives the focus back, and a list that a button opens is set in the middle of a batch', async () => {
    await desk.call('ui.set', { target: 'role=panel && name="Font Size"', value: '12' })
    await expect
      .poll(async () => (await desk.call('ui.query', { selector: 'role=cell && focused=true' })).data, soon)
      .toMatchObject({ count: 1 })
    const sorted = await desk.call('ui.batch', {
      steps: [
        { tool: 'ui.menu', args: { path: ['Data', 'Sort…'] } },
        { tool: 'ui.set', args: { target: 'role=panel && name="Sort Key 1" >> role=togglebutton', value: 'Euros' } },
        { tool: 'ui.set', args: { target: 'role=panel && name="Sort Key 1" >> role=radio && name="Descending"', value: true } },
        { tool: 'ui.click', args: { target: 'role=dialog >> role=button && name="OK"' } },
      ],
    })
    expect(sorted, `${sorted.error?.message}\n${sorted.text}`).toMatchObject({ status: 'success' })
    const second = async () => (await desk.call('ui.query', { selector: 'role=cell && name="A3"' })).text
    await expect.poll(second, soon).toContain('value "Food"')
  })
})
