import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElementNode, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { book, cellsOf } from '../support/spreadsheet.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })
const soon = { timeout: 60_000, interval: 100 }

const PAYEES = ['Rent', 'Cinema', 'Bakery', 'Train', 'Doctor']
const ROWS = [['Date', 'Payee', 'Amount'], ...PAYEES.map((payee, i) => [`day ${i + 1}`, payee, String(10 * (i + 1))])]

describeDesktop('a spreadsheet of LibreOffice', () => {
  let desk: RealDesk
  let file: string
  beforeAll(async () => {
    desk = await realDesk()
    file = join(desk.sandbox.env['HOME'] ?? '', 'costs.fods')
    writeFileSync(file, book({ Costs: ROWS }))
    await desk.show('LibreOffice Calc', 'soffice', ['--norestore', '--nologo', '--nofirststartwizard', file])
    await vi.waitFor(async () => expect(await rows()).toEqual(ROWS), soon)
  })
  afterAll(() => desk.close())

  const ok = async (tool: string, args: unknown): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result, `${tool} ${JSON.stringify(args)}: ${result.error?.message}\n${result.text}`).toMatchObject({ status: 'success' })
    return result
  }
  const cell = (name: string): string => `role=cell && name="${name}"`

  /** The cells of the sheet that show something. */
  const cells = async (): Promise<ElementNode[]> => {
    const { data } = await ok('ui.snapshot', { includeTree: true })
    const { tree } = data as { tree: ElementNode }
    return [...within(tree)].filter((n) => n.role === 'cell' && n.attributes?.['row'] !== undefined && (n.value ?? '') !== '')
  }
  /** What they show, row by row, the empty rows between them included. */
  async function rows(): Promise<string[][]> {
    const shown: string[][] = []
    for (const { attributes, value = '' } of await cells()) {
      const [row, column] = [Number(attributes?.['row']), Number(attributes?.['column'])]
      while (shown.length <= row) shown.push([])
      shown[row]![column] = value
    }
    return shown
  }

  test.each([
    { what: 'rows', path: ['Insert Rows', 'Rows Above'], after: [ROWS[0], [], ...ROWS.slice(1)] },
    { what: 'columns', path: ['Insert Columns', 'Columns Before'], after: ROWS.map(([date, ...rest]) => [date, undefined, ...rest]) },
  ])('keeps each id with its cell when $what are inserted, and tells no row that is not there', async ({ path, after }) => {
    const before = new Map((await cells()).map((c) => [c.id, c.value]))
    expect(before.size).toBe(18)
    await ok('ui.click', { target: cell('B2') })
    await ok('ui.menu', { path: ['Sheet', ...path] })
    const look = async (): Promise<string[][]> => {
      const [seen, now] = [await cells(), await rows()]
      for (const { id, value } of seen) if (before.has(id)) expect([id, value]).toEqual([id, before.get(id)])
      for (const row of now) expect([...ROWS, ...after]).toContainEqual(row)
      return now
    }
    await expect.poll(look, soon).toEqual(after)
    for (const [elementId, value] of before) expect((await ok('ui.describe', { element: { elementId } })).data).toMatchObject({ value })
    await ok('ui.key', { keys: 'ctrl+z' })
    await expect.poll(look, soon).toEqual(ROWS)
  })

  test('tells a cell under the cursor as it is shown once it is emptied, under the same id', async () => {
    const { data } = await ok('ui.query', { selector: cell('B3') })
    const [{ elementId } = { elementId: '' }] = (data as { matches: { elementId: string }[] }).matches
    const value = async (): Promise<unknown> =>
      ((await ok('ui.describe', { element: { elementId } })).data as { value?: string }).value ?? ''
    await ok('ui.click', { target: { elementId } })
    await expect.poll(value, soon).toBe('Cinema')
    const emptied = await ok('ui.key', { keys: 'Delete' })
    await expect.poll(value, soon).toBe('')
    expect(emptied.text ?? '').not.toMatch(/gone: .*cell/)
    await ok('ui.type', { text: 'Theatre\n' })
    await expect.poll(value, soon).toBe('Theatre')
    expect(await rows()).toEqual(ROWS.map((row) => row.map((text) => (text === 'Cinema' ? 'Theatre' : text))))
    // What LibreOffice itself holds.
    await ok('ui.key', { keys: 'ctrl+s' })
    await expect.poll(() => Object.values(cellsOf(readFileSync(file, 'utf8')))[0]?.[2], soon).toEqual(['day 2', 'Theatre', '20'])
  })

  test('takes a size that is set in the text of its choice, which has the name of the choice', async () => {
    const { data } = await ok('ui.query', { selector: 'role=textbox && label="Font Size"' })
    const [{ elementId } = { elementId: '' }] = (data as { matches: { elementId: string }[] }).matches
    await ok('ui.click', { target: cell('B2') })
    const { effect, text } = await ok('ui.set', { target: { elementId }, value: '18 pt' })
    expect([effect, text]).toEqual(['confirmed', expect.stringContaining(`${elementId} textbox: "18 pt"`) as string])
    await ok('ui.click', { target: cell('A1') })
    await ok('ui.click', { target: cell('B2') })
    const held = async () => ((await ok('ui.describe', { element: { elementId } })).data as ElementNode).value
    await expect.poll(held, soon).toBe('18 pt')
    await ok('ui.key', { keys: 'ctrl+z' })
  })

  test('keeps the ids of the tabs of sheets that stay when another sheet comes, and tells only that one as new', async () => {
    await ok('ui.snapshot', {})
    const tab = async (name: string) => {
      const { data } = await ok('ui.query', { selector: `role=tab && name="${name}"` })
      return (data as { matches: { elementId: string }[] }).matches.map((m) => m.elementId)
    }
    const before = await tab('Costs')
    await ok('ui.menu', { path: ['Sheet', 'Insert Sheet at End...'] })
    const added = await ok('ui.key', { keys: 'Enter' })
    expect(added.text).not.toMatch(/new in .*:\n(?:.* )?tab "Costs"/)
    expect(added.text).toMatch(/tab "Sheet2"/)
    expect(await tab('Costs')).toEqual(before)
    await ok('ui.click', { target: { elementId: before[0] ?? '' } })
  })

  test('has dialogs that keys reach and whose comboboxes have names', async () => {
    await ok('ui.key', { keys: 'ctrl+1' })
    const target = 'window="Format Cells" >> role=button && name="OK"'
    await ok('ui.wait', { until: { uiState: { target, visible: true } }, timeoutMs: 60_000 })
    const outline = async (): Promise<string> => (await ok('ui.snapshot', {})).text ?? ''
    await expect.poll(outline, soon).toMatch(/togglebutton "Language"/)
    expect(await outline()).not.toContain('does not tell what it draws')
    await ok('ui.key', { keys: 'Escape' })
    await ok('ui.wait', { until: { window: { title: 'Format Cells', present: false } }, timeoutMs: 60_000 })
  })

  test('has a dialog for sorting whose comboboxes are called after the labels beside them', async () => {
    await ok('ui.click', { target: cell('A1') })
    await ok('ui.key', { keys: ['shift+ArrowDown', 'shift+ArrowRight'] })
    const key = 'window="Sort" >> role=panel && name="Sort Key 2" >> role=togglebutton && name="Column"'
    // LibreOffice may not heed a click in a menu that has only just opened; the answer says so then.
    for (let tries = 3; ; tries--) {
      const { error } = await desk.call('ui.menu', { path: ['Data', 'Sort...'] })
      if (error === undefined) break
      expect(error).toMatchObject({ code: 'VERIFY_FAILED' })
      expect(tries, error.message).toBeGreaterThan(1)
      await ok('ui.key', { keys: ['Escape', 'Escape'] })
    }
    await ok('ui.wait', { until: { uiState: { target: key, visible: true } }, timeoutMs: 60_000 })
    await ok('ui.key', { keys: 'Escape' })
    await ok('ui.wait', { until: { window: { title: 'Sort', present: false } }, timeoutMs: 60_000 })
  })
})

function* within(node: ElementNode): Generator<ElementNode> {
  yield node
  for (const child of node.children ?? []) yield* within(child)
}
