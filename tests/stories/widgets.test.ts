import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AppDesk, type Seen } from '../support/apps.ts'
import { use } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'

/** What pyatspi says of the elements of a role, when it says something that is wanted. */
async function sees(desk: AppDesk, role: string, wanted: (node: Seen) => boolean): Promise<void> {
  const look = async (): Promise<boolean> => (await desk.seen()).some((n) => n.role === role && wanted(n))
  await expect.poll(look, { timeout: 20_000, interval: 200 }).toBe(true)
}

describeDesktop('an agent on widgets, each case with programs of its own on one desktop', { timeout: 120_000 }, () => {
  let desk: AppDesk
  beforeAll(async () => {
    desk = await AppDesk.open()
  }, 120_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(() => desk.close(), 60_000)

  describe('every kind of widget of gtk3-widget-factory', () => {
    beforeEach(async () => {
      await desk.launch('gtk3-widget-factory')
    }, 120_000)

    const page = (n: number): Promise<unknown> => desk.click(`role=radio && name="Page ${n}"`, { verify: { uiState: { checked: true } } })

    test('checkboxes, radio buttons, toggle buttons and switches', async () => {
      await desk.toggle('role=checkbox && name="checkbutton" && enabled=true && checked=false')
      await desk.toggle('role=radio && name="radiobutton" && enabled=true && checked=false >> nth=0')
      await desk.toggle('role=togglebutton && name="togglebutton" && enabled=true && checked=false')
      await sees(desk, 'toggle button', (n) => n.name === 'togglebutton' && n.states.includes('enabled') && n.states.includes('checked'))
      const checked = (await desk.seen()).filter(
        (n) => n.role === 'check box' && n.states.includes('checked') && n.states.includes('enabled'),
      )
      expect(checked.length).toBe(2)
    })

    test('entries, spin buttons and scales', async () => {
      expect(await desk.type('Grüße 漢', { target: 'role=textbox && value="entry" && enabled=true', mode: 'replace' })).toMatchObject({
        effect: 'confirmed',
      })
      await sees(desk, 'text', (n) => n.text === 'Grüße 漢')
      await desk.type('63', { target: 'role=spinbutton && enabled=true >> nth=0', mode: 'replace' })
      await desk.use('ui.key', { target: 'role=spinbutton && enabled=true >> nth=0', keys: 'Enter' })
      await sees(desk, 'spin button', (n) => n.value === 63)
      await desk.use('ui.focus', { target: 'role=slider && value="50" && enabled=true >> nth=0' })
      await desk.key('ArrowRight')
      await sees(desk, 'slider', (n) => n.value !== 50 && n.value !== 2)
    })

    test('a spin button keeps its value when it is clicked', async () => {
      await desk.click('role=spinbutton && enabled=true >> nth=0')
      await sees(desk, 'spin button', (n) => n.states.includes('focused'))
      await sees(desk, 'spin button', (n) => n.value === 50)
    })

    test('comboboxes, by their menu', async () => {
      const box = 'role=combobox && value="Andrea"'
      await desk.click(box)
      await desk.click('role=menuitem && name="Otto" && visible=true')
      await sees(desk, 'combo box', (n) => n.chosen === 'Otto' && n.states.includes('enabled'))
    })

    test('notebooks, by their tabs', async () => {
      await desk.toggle('role=tab && name="page 2" >> nth=0')
      await sees(desk, 'page tab', (n) => n.name === 'page 2' && n.states.includes('selected'))
    })

    test('text views', async () => {
      const area = 'role=textbox && value^="Lorem ipsum" && visible=true'
      expect(await desk.type('Zeile eins\nZeile 漢 😀', { target: area, mode: 'replace' })).toMatchObject({ effect: 'confirmed' })
      await sees(desk, 'text', (n) => n.text === 'Zeile eins\nZeile 漢 😀')
    })

    test('menus, their check items included', async () => {
      await page(2)
      await desk.click('role=menu && name="View"')
      await desk.toggle('role=menuitemcheckbox && name="Statusbar" && visible=true')
      await expect
        .poll(async () => (await desk.seen()).some((n) => n.role === 'status bar' && n.states.includes('showing')), { timeout: 20_000 })
        .toBe(false)
    })

    test('lists, and what is scrolled out of their view', async () => {
      await page(2)
      await desk.click('text="Row 3"')
      await desk.click('text="Row 6"', { timeoutMs: 20_000 })
      await sees(desk, 'label', (n) => n.name === 'Row 6' && n.states.includes('showing'))
    })

    test('popovers and what is in them', async () => {
      await page(2)
      await desk.toggle('role=togglebutton && name="Menu" >> nth=0')
      await desk.click('role=button && name="About Widget Factory"')
      await desk.wait({ window: { titleContains: 'About', present: true } })
      await sees(desk, 'dialog', (n) => n.name.includes('About') && n.states.includes('showing'))
      await desk.key('Escape')
      await desk.wait({ window: { titleContains: 'About', present: false } })
    })

    test('trees, by their rows', async () => {
      await page(3)
      await desk.click('role=cell && name="Bertrada of Laon"')
      await sees(desk, 'table cell', (n) => n.name === 'Bertrada of Laon' && n.states.includes('selected'))
    })

    test('a disabled widget is refused, and nothing happens', async () => {
      const { record } = await use(desk.client, 'ui.click', { target: 'role=checkbox && enabled=false && checked=false', timeoutMs: 0 })
      expect(record).toMatchObject({ status: 'error', error: { code: 'NOT_ACTIONABLE' } })
    })
  })

  describe('the demos of gtk3-demo', () => {
    beforeEach(async () => {
      await desk.launch('gtk3-demo')
    }, 120_000)

    test('a dialog is opened, answered and counted', async () => {
      await desk.click('role=cell && name="Dialogs and Message Boxes"')
      await desk.wait({ window: { title: 'Dialogs and Message Boxes', present: true } })
      await desk.click('role=button && name="Run"')
      for (const times of ['1', '2']) {
        await desk.click('role=button && name="Message Dialog"')
        await desk.wait({ text: { contains: 'number of times' } })
        await sees(desk, 'label', (n) => n.name === times)
        // The demo also draws a picture, in which a text may stand: only of elements it is certain that they are gone.
        await desk.click('role=button && name="OK"', { verify: { uiState: { target: 'role=button && name="OK"', present: false } } })
      }
    })

    test('what is typed into a demo and copied there is on the clipboard', async () => {
      await desk.launch('gtk3-demo', '--run=clipboard')
      await desk.wait({ window: { title: 'Clipboard', present: true } })
      await desk.type('Grüße 漢 😀', { target: 'window="Clipboard" >> role=textbox >> nth=0', mode: 'replace' })
      await desk.click('role=button && name="Copy" >> nth=0')
      await expect.poll(() => desk.clipboard()).toBe('Grüße 漢 😀')
    })
  })

  describe('a list that is longer than its window', () => {
    test('rows out of view are told as hidden, and brought into view to be clicked', async () => {
      const { child, ended } = desk.start(PYTHON, fixture('rows_gtk3.py'))
      await desk.shows('role=cell && name="Row 1"')
      const { record } = await use(desk.client, 'ui.assert', {
        until: { uiState: { target: 'role=cell && name="Row 200"', visible: true } },
      })
      expect(record).toMatchObject({ status: 'error' })
      for (const row of [200, 299, 0, 150]) await desk.click(`role=cell && name="Row ${row}"`)
      child.kill()
      expect((await ended).out.split('\n').slice(-5)).toEqual(['Row 200', 'Row 299', 'Row 0', 'Row 150', ''])
    })
  })

  describe('widgets of Qt', () => {
    test('spin buttons, drop-down lists longer than the screen, tabs and tables', async () => {
      const { child, ended } = desk.start(PYTHON, fixture('widgets_qt5.py'))
      const amount = 'role=spinbutton && name="Amount"'
      await desk.shows(amount)
      await desk.wait({ window: { title: 'Widgets', present: true } })
      expect(await desk.type('63', { target: amount, mode: 'replace' })).toMatchObject({ effect: 'confirmed' })
      await desk.key('Enter')
      for (const [now, next] of [
        ['Country 0', 'Country 3'],
        ['Country 3', 'Country 35'],
      ]) {
        await desk.click(`role=combobox && value="${now}"`)
        await desk.click(`role=listitem && name="${next}"`)
        await desk.wait({ uiState: { target: 'role=combobox', value: next } })
      }
      await desk.key('ArrowUp')
      await desk.click('role=tab && name="Table"')
      await desk.click('role=cell && name="Row 80"')
      child.kill()
      expect((await ended).out.trim().split('\n')).toEqual([
        'amount 63',
        'country Country 3',
        'country Country 35',
        'country Country 34',
        'tab 1',
        'cell 80 0',
      ])
    })

    test('the rows of a tree keep their names while others come and go, and context menus open, submenus too', async () => {
      const { child, ended } = desk.start(PYTHON, fixture('widgets_qt5.py'))
      const row = (name: string): string => `role=cell && name="${name}"`
      await desk.shows(row('Bread'))
      await desk.wait({ window: { title: 'Widgets', present: true } })
      const { resolvedTarget: bread } = (await desk.click(row('Bread'))) as { resolvedTarget: { elementId: string } }
      await desk.click(row('Fruit'), { clickCount: 2 })
      await desk.click(row('Pear'))
      await desk.click(bread.elementId)
      for (const entry of [['Toast'], ['Send', 'Home']]) {
        await desk.click(row('Apple'), { button: 'right' })
        for (const name of entry) await desk.click(`role=menuitem && name="${name}"`)
        await desk.wait({ uiState: { target: 'role=menuitem', present: false } })
      }
      child.kill()
      const out = (await ended).out.trim().split('\n')
      const clicks = ['Bread', 'Fruit', 'Pear', 'Bread'].map((name) => `clicked ${name}`)
      expect(out.filter((line) => line.startsWith('clicked'))).toEqual(clicks)
      expect(out.filter((line) => !line.startsWith('clicked'))).toEqual([
        'double Fruit',
        'expanded Fruit',
        'Toast Apple',
        'sent home Apple',
      ])
    })
  })

  describe('an element of a window behind another', () => {
    test.each(['contract_gtk3.py', 'contract_gtk4.py', 'contract_qt5.py'])('gets the focus with its window: %s', async (program) => {
      const name = 'window="Contract" >> role=textbox && name="Name"'
      desk.start(PYTHON, fixture(program))
      await desk.click(name)
      await desk.launch('xterm')
      const active = (): Promise<string> => desk.outside('xdotool', 'getactivewindow', 'getwindowname')
      await expect.poll(active).toBe('xterm\n')
      await desk.use('ui.focus', { target: name })
      await expect.poll(active).toBe('Contract\n')
    })
  })
})
