import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { describeWayland } from '../support/desktop.ts'
import { use } from '../support/cli.ts'
import { CHROMIUM, SENT, sendForm } from '../support/form-page.ts'
import { fixture, listen, PYTHON } from '../support/linux.ts'

const soon = { timeout: 20_000, interval: 100 }

describeWayland('an agent on applications under Wayland', { timeout: 240_000 }, () => {
  let desk: AppDesk
  beforeAll(async () => {
    desk = await AppDesk.open({ display: 'wayland' })
  }, 60_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(() => desk.close(), 60_000)

  test('fills in a form of GTK 4 and walks its menu, and the application has heard all of it', async () => {
    const said = listen(desk.sandbox, PYTHON, [fixture('form_gtk4.py')])
    await desk.shows('role=textbox && name="Name"')
    await desk.use('ui.set', {
      fields: [
        { target: 'role=textbox && name="Name"', value: 'Anna Müller 漢' },
        { target: 'role=checkbox && name="Paid"', value: true },
        { target: '(role=radio || role=checkbox) && name="Large"', value: true },
        { target: 'role=combobox && name="Country"', value: 'Country 5' },
        { target: 'role=slider && name="Volume"', value: 70 },
        { target: 'role=spinbutton && name="Amount"', value: 42 },
      ],
    })
    for (const line of ['name Anna Müller 漢', 'paid True', 'large True', 'country Country 5', 'volume 70', 'amount 42'])
      await expect.poll(said, soon).toContain(line)
    await desk.use('ui.menu', { path: ['File', 'New', 'Variable…'] })
    await expect.poll(said, soon).toContain('menu Variable')
  })

  test('calculates in kcalc, by its buttons', async () => {
    await desk.launch('kcalc')
    for (const button of ['6', '×', '7', '=']) await desk.click(`role=button && name="${button}"`)
    await desk.wait({ text: '42' })
    expect((await desk.seen()).some((n) => n.name === '42')).toBe(true)
    await desk.key('ctrl+c')
    await expect.poll(() => desk.outside('wl-paste', '--no-newline')).toBe('42')
  })

  test('fills in a form in Chromium, which runs without X, and posts it', async () => {
    const name = 'Grüße 漢 ÄÉÎÕÙ äéîõù çñřšž'
    expect(await sendForm(desk, name)).toEqual([{ ...SENT, name }])
  })

  test('is told which characters Chromium would take for others there, before any of them is sent', async () => {
    const page = desk.world.file('field.html', '<!doctype html><title>Field</title><input aria-label=Name>')
    await desk.launch('chromium', ...CHROMIUM, page)
    await desk.shows('role=textbox && name="Name"')
    const { record } = await use(desk.client, 'ui.type', { target: 'role=textbox && name="Name"', text: 'a😀' })
    expect(record).toMatchObject({ sent: 'none', error: { code: 'NOT_CAPABLE' } })
    expect(await desk.type('a漢', { target: 'role=textbox && name="Name"' })).toMatchObject({ effect: 'confirmed' })
  })
})
