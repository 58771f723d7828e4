import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@deskhand/core/model'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown, told } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 20_000, interval: 100 }

describeDesktop('verbs on real applications', () => {
  let desk: RealDesk
  const ownDesk = (): void => {
    beforeAll(async () => {
      desk = await realDesk()
    })
    afterAll(() => desk.close())
  }

  const ok = async (tool: string, args: unknown): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result, `${tool} ${JSON.stringify(args)}: ${result.error?.message} ${result.error?.next}\n${result.text}`).toMatchObject({
      status: 'success',
    })
    return result
  }
  const set = (target: string, value: unknown): Promise<Result> => ok('ui.set', { target, value })
  const said = async (words: () => string[], line: string): Promise<void> => {
    await expect.poll(words, soon).toContain(line)
  }

  const form = async (program: string): Promise<() => string[]> => {
    const words = listen(desk.sandbox, PYTHON, [fixture(program)])
    await shown(desk.driver, 'Form')
    await told(desk.driver)
    return words
  }

  describe.each(['form_gtk3.py', 'form_gtk4.py'])('%s', (program) => {
    ownDesk()
    let words: () => string[]
    beforeAll(async () => {
      words = await form(program)
    })

    // The list of GTK 4 is longer than its window, and its keys do not say where they went.
    const country = program === 'form_gtk3.py' ? 'Country 55' : 'Country 5'

    test('a form is filled with one call', async () => {
      const fields = [
        { target: 'role=textbox && name="Name"', value: 'Anna Müller' },
        { target: 'role=checkbox && name="Paid"', value: true },
        { target: '(role=radio || role=checkbox) && name="Large"', value: true },
        { target: 'role=combobox && name="Country"', value: country },
        { target: 'role=slider && name="Volume"', value: 70 },
        { target: 'role=spinbutton && name="Amount"', value: 42 },
        { target: 'role=tab && name="Two"', value: true },
      ]
      // GTK 4 tells of its tabs as labels.
      const done = await ok('ui.set', { fields: program === 'form_gtk3.py' ? fields : fields.slice(0, -1) })
      expect(done.text).toMatch(/"Name": "Anna Müller"\n.*"Paid": checked\n.*"Large": checked\n.*"Country 55?"\n.*"70"\n.*"42"/)
      for (const line of ['name Anna Müller', 'paid True', 'large True', `country ${country}`, 'volume 70', 'amount 42'])
        await said(words, line)
      if (program === 'form_gtk3.py') await said(words, 'tab 1')
    })

    test('a menu is walked by its path', async () => {
      await ok('ui.menu', { path: ['File', 'New', 'Variable…'] })
      await said(words, program === 'form_gtk3.py' ? 'menu Variable…' : 'menu Variable')
    })
  })

  describe('form_gtk3.py, what only GTK 3 has', () => {
    ownDesk()
    let words: () => string[]
    beforeAll(async () => {
      words = await form('form_gtk3.py')
    })

    test('a context menu, also its second level', async () => {
      await ok('ui.menu', { on: 'role=button && name="Spot"', path: ['Rename'] })
      await said(words, 'menu Rename')
      await ok('ui.menu', { on: 'role=button && name="Spot"', path: ['Send', 'Home'] })
      await said(words, 'menu Home')
    })

    test('a menu whose entry does not take the click is told as open, never as a success', async () => {
      const failed = await desk.call('ui.menu', { path: ['File', 'Deaf'] })
      expect(failed).toMatchObject({ status: 'error', sent: 'all', effect: 'unverified', error: { code: 'VERIFY_FAILED' } })
      expect(failed.error?.message).toContain('still open')
      await ok('ui.key', { keys: ['Escape', 'Escape'] })
      expect(words()).not.toContain('menu Deaf')
    })

    test('text with submit presses Enter, and the focus stays in the field', async () => {
      await ok('ui.type', { target: 'role=textbox && name="Name"', text: 'Bob', mode: 'replace', submit: 'Enter' })
      await said(words, 'entered Bob')
      await ok('ui.type', { target: 'role=textbox && name="Name"', text: 'Eve', mode: 'replace' })
      await ok('ui.key', { keys: 'Enter' })
      await said(words, 'entered Eve')
      // The next text goes on behind it.
      await ok('ui.type', { text: 'lyn' })
      await said(words, 'name Evelyn')
    })
  })

  describe('widgets_qt5.py', () => {
    ownDesk()
    let words: () => string[]
    beforeAll(async () => {
      words = listen(desk.sandbox, PYTHON, [fixture('widgets_qt5.py')])
      await shown(desk.driver, 'Widgets')
      await told(desk.driver)
    })

    test('spin button, combobox with an entry out of view, tab and context menu', async () => {
      await set('role=spinbutton && name="Amount"', 77)
      await said(words, 'amount 77')
      await set('role=combobox', 'Country 33')
      await said(words, 'country Country 33')
      await ok('ui.menu', { on: 'role=treeitem && name="Bread" ?? role=cell && name="Bread"', path: ['Send', 'Home'] })
      await said(words, 'sent home Bread')
      // As a shell says it.
      await set('role=tab && name="Table"', 'true')
      await said(words, 'tab 1')
    })

    test('a cell of a table, and one that is scrolled out of view', async () => {
      await ok('ui.scroll', { target: 'role=table', until: 'role=cell && name="Row 80"' })
      await set('role=cell && name="Value 80"', 'other')
      expect((await ok('ui.query', { selector: 'role=cell && name="other"' })).data).toMatchObject({ count: 1 })
    })
  })

  describe('a page in Chromium', () => {
    ownDesk()
    let server: Server
    const posted: string[] = []
    beforeAll(async () => {
      server = createServer((request, response) => {
        if (request.method === 'POST') request.on('data', (chunk: Buffer) => posted.push(chunk.toString()))
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(readFileSync(fixture('pages/controls.html')))
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      await desk.show('Form', 'chromium', ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', url])
    })
    afterAll(async () => {
      server.close()
      server.closeAllConnections()
    })

    test('its form is filled with one call, and sent', async () => {
      const fields = [
        { target: 'role=textbox && name="Name"', value: 'Anna Müller' },
        { target: 'role=textbox && name="Mail"', value: 'anna@example.org' },
        { target: 'role=checkbox && name="Paid"', value: true },
        { target: 'role=radio && name="Large"', value: true },
        { target: 'role=combobox && name="Country"', value: 'Country 55' },
        { target: 'role=slider && name="Volume"', value: 70 },
        { target: 'role=spinbutton && name="Amount"', value: 42 },
        { target: 'name="Due"', value: '2026-11-17' },
        { target: 'role=textbox && name="Notes"', value: 'two\nlines' },
      ]
      await expect.poll(async () => (await desk.call('ui.snapshot')).text, soon).toContain('button "Save"')
      await ok('ui.set', { fields })
      await ok('ui.click', { target: 'role=button && name="Save"' })
      await expect.poll(() => posted, soon).toHaveLength(1)
      expect(JSON.parse(posted[0] ?? '')).toEqual({
        name: 'Anna Müller',
        mail: 'anna@example.org',
        paid: 'on',
        size: 'large',
        country: 'Country 55',
        volume: '70',
        amount: '42',
        due: '2026-11-17',
        notes: 'two\nlines',
      })
    })
  })

  describe('LibreOffice Calc', () => {
    ownDesk()
    const folder = mkdtempSync(join(tmpdir(), 'dh-calc-'))
    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true })
    })

    test('cells take values, tell what they compute theirs from, and a menu is walked by its path', async () => {
      await desk.show('LibreOffice Calc', 'soffice', ['--calc', '--norestore', '--nologo', `-env:UserInstallation=file://${folder}`])
      await expect
        .poll(async () => (await desk.call('ui.query', { selector: 'role=cell && name="A1"' })).data, soon)
        .toMatchObject({ count: 1 })
      await set('role=cell && name="A1"', 'Anna')
      await set('role=cell && name="B2"', '12')
      await ok('ui.click', { target: 'role=cell && name="C2"' })
      await ok('ui.type', { text: '=B2*7' })
      await ok('ui.key', { keys: 'Enter' })
      // What the cell shows, and what it holds.
      const computed = async () => (await desk.call('ui.query', { selector: 'role=cell && name="C2"' })).text
      await expect.poll(computed, soon).toContain('value "84" computed by "=B2*7"')
      const sheet = await ok('ui.menu', { path: ['Sheet', 'Insert Sheet...'] })
      expect(sheet.text).toMatch(/opened:\ne\d+ dialog "Insert Sheet"/)
      await ok('ui.key', { keys: 'Escape' })
    })
  })
})
