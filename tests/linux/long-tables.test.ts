import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 20_000, interval: 100 }
const TABLE = fileURLToPath(new URL('../../bench/linux/table.py', import.meta.url))

describeDesktop.each([
  {
    kind: 'GTK 3',
    title: 'Table',
    command: [TABLE, '5000'],
    named: (n: number) => `Customer ${n}`,
    said: (n: number) => `row Customer ${n}`,
  },
  {
    kind: 'Qt',
    title: 'Rows',
    command: [fixture('rows_qt5.py'), 'table', '5000'],
    named: (n: number) => `Row ${n}`,
    said: (n: number) => `Row ${n}`,
  },
])('a row among the 5,000 of a $kind table', ({ title, command, named, said: asSaid }) => {
  let desk: RealDesk
  let said: () => string[]
  beforeAll(async () => {
    desk = await realDesk()
    said = listen(desk.sandbox, PYTHON, command)
    await shown(desk.driver, title)
    await vi.waitFor(async () => expect((await desk.call('ui.snapshot')).text).toMatch(/more rows are not loaded/), soon)
  })
  afterAll(() => desk.close())

  test('is chosen by its name in one call', async () => {
    const set = await desk.call('ui.set', { target: 'role=table', value: named(2345) })
    expect(set, `${set.error?.message}\n${set.text}`).toMatchObject({ status: 'success' })
    await expect.poll(() => said().at(-1), soon).toBe(asSaid(2345))
  })

  test('is found, and clicked by the id that it was found under', async () => {
    const { text = '', data } = await desk.call('ui.query', { selector: `role=cell && name="${named(2801)}"` })
    expect(data, text).toMatchObject({ count: 1 })
    const clicked = await desk.call('ui.click', { target: /e\d+/.exec(text)?.[0] })
    expect(clicked, clicked.error?.message).toMatchObject({ status: 'success' })
    await expect.poll(() => said().at(-1), soon).toBe(asSaid(2801))
  })
})
