import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { within } from '@deskhand/core/driver'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { fixture, PYTHON, shown } from '../support/linux.ts'

interface Match {
  elementId: string
  name?: string
  value?: string
  states: Record<string, unknown>
}

describeDesktop('what state things are in', () => {
  let desk: RealDesk
  let child: ChildProcess | undefined
  const said: string[] = []
  beforeAll(async () => {
    desk = await realDesk()
  })
  afterEach(async () => {
    const ended = child === undefined || child.exitCode !== null ? undefined : once(child, 'exit')
    child?.kill('SIGKILL')
    await ended
    child = undefined
  })
  afterAll(() => desk.close())

  async function open(title: string, command: string, ...args: string[]): Promise<void> {
    const env = { ...desk.sandbox.env, GSK_RENDERER: 'cairo', PYTHONDONTWRITEBYTECODE: '1' }
    child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(...text.split('\n')))
    await shown(desk.driver, title, 60_000)
  }

  async function find(selector: string): Promise<Match[]> {
    const { data } = await desk.call('ui.query', { selector, limit: 100 })
    return (data as { matches: Match[] }).matches
  }

  const outline = async (): Promise<string> => (await desk.call('ui.snapshot', { scope: 'window' })).text ?? ''

  test('of GTK 3: toggle buttons, checked cells, what a range reaches, and text that reads from right to left', async () => {
    await open('States', PYTHON, fixture('states_gtk3.py'))
    await expect.poll(outline).toContain('value "50" of 0 to 200')
    const text = await outline()
    expect(text).toMatch(/togglebutton "Bold".* checked/)
    expect(text).toContain('"שלום עולם"')
    expect(text).toContain('value "مرحبا 123"')
    const cells = await find('role=cell')
    expect(cells.map((c) => c.states['checked'])).toEqual([true, undefined, false, undefined])
    await desk.call('ui.click', { target: { elementId: cells[2]?.elementId } })
    await expect.poll(async () => (await find('role=cell'))[2]?.states['checked']).toBe(true)
  })

  test('of GTK 4: pressed toggle buttons, ranges, and where fields are that have neither a name nor a label', async () => {
    await open('States', PYTHON, fixture('states_gtk4.py'))
    await expect.poll(outline).toMatch(/"Bold"[^|\n]* pressed/)
    const text = await outline()
    expect(text).not.toMatch(/"Italic"[^|\n]* pressed/)
    expect(text).toContain('button "Send"')
    expect(text).toMatch(/spinbutton at \d+,\d+ value "2" of 2 to 40/)
    expect(text.match(/textbox at \d+,\d+ empty/g)).toHaveLength(2)
    await desk.call('ui.click', { target: 'role=button && name="Italic"' })
    await expect.poll(outline).toMatch(/"Italic"[^|\n]* pressed/)
  })

  test('of GTK 4: what a drop-down list shows, and nothing of what it would show without a choice', async () => {
    await open('States', PYTHON, fixture('states_gtk4.py'))
    const button = async () => (await find('role=combobox >> role=button'))[0]?.name
    await expect.poll(button).toBe('Red')
    await desk.call('ui.set', { target: 'role=combobox', value: 'Blue' })
    await expect.poll(button).toBe('Blue')
  })

  test.each([
    { toolkit: 'GTK 3', file: 'states_gtk3.py', field: 'role=textbox && value^="مرحبا"', text: 'grüße 🙂 an alle' },
    { toolkit: 'Qt', file: 'register_qt5.py', field: 'role=textbox && name="Search"', text: 'grüße 🙂 an alle' },
  ])('of texts: which part is selected, in $toolkit', async ({ file, field, text }) => {
    await open(file.startsWith('register') ? 'Register' : 'States', PYTHON, fixture(file), 'tree')
    await expect.poll(() => find(field)).toHaveLength(1)
    const [{ elementId } = { elementId: '' }] = await find(field)
    expect(await desk.call('ui.type', { target: { elementId }, text, mode: 'replace' })).toMatchObject({ effect: 'confirmed' })
    await desk.call('ui.key', {
      target: { elementId },
      keys: ['End', 'shift+ArrowLeft', 'shift+ArrowLeft', 'shift+ArrowLeft', 'shift+ArrowLeft'],
    })
    await expect.poll(outline).toContain(`value "${text}" with "alle" selected`)
    await desk.call('ui.key', { keys: 'ctrl+a' })
    await expect.poll(outline).toContain(`value "${text}" all selected`)
    await desk.call('ui.key', { keys: 'End' })
    await expect.poll(outline).not.toMatch(/(?:with|all).* selected/)
  })

  test('of Qt: checked cells', async () => {
    await open('Register', PYTHON, fixture('register_qt5.py'), 'tree')
    await expect.poll(async () => (await find('role=cell && checked=true')).length).toBe(14)
  })

  test('a press on an entry of a tree of Qt selects it and leaves it folded', async () => {
    await open('Widgets', PYTHON, fixture('widgets_qt5.py'))
    // The session may keep its lease for a second after its last call.
    const lease = await vi.waitFor(() => desk.driver.act.take(60_000, within(20_000)), { timeout: 10_000, interval: 100 })
    const press = async (): Promise<string> => {
      const { nodes } = await desk.driver.observe.read({}, within(10_000))
      const fruit = nodes.find((n) => n.name === 'Fruit' && n.bounds !== undefined)
      return desk.driver.act.step(lease, { do: 'press', key: fruit?.key ?? '' }, {}, within(20_000)).then(({ via }) => via, String)
    }
    try {
      // A window that has just opened may not be drawn yet.
      await expect.poll(press, { timeout: 20_000 }).not.toContain('Error')
    } finally {
      await desk.driver.act.drop(lease)
    }
    await expect.poll(async () => (await find('role=cell && name="Fruit"'))[0]?.states['selected']).toBe(true)
    expect(said).not.toContain('expanded Fruit')
  })

  test('of a page in Firefox: what lists show, and texts without the marks of what lies in them', async () => {
    await open('Lists', 'firefox-esr', '--no-remote', '--new-instance', pathToFileURL(fixture('lists.html')).href)
    await expect.poll(outline, { timeout: 60_000 }).toMatch(/combobox "Colour" value "Green"/)
    await expect.poll(outline).toMatch(/combobox "Fruit" value "Apple"/)
    await expect.poll(outline).toMatch(/paragraph value "Pay by Friday at the latest"/)
    expect(await outline()).not.toContain('\uFFFC')
  })

  describe('of a page', () => {
    const profile = mkdtempSync(join(tmpdir(), 'dh-states-'))
    afterAll(() => rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
    const flags = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', `--user-data-dir=${profile}`]

    test('a field that is only to be read is not disabled, and what a script puts into it is told', async () => {
      await open('States', 'chromium', ...flags, pathToFileURL(fixture('states.html')).href)
      await expect.poll(() => find('role=textbox && name="Due"'), { timeout: 20_000 }).toHaveLength(1)
      expect((await find('role=textbox && name="Due"'))[0]?.states).toMatchObject({ enabled: true, editable: false })
      expect(await outline()).toMatch(/slider "Volume" value "20" of 5 to 50/)
      await desk.call('ui.click', { target: 'role=button && name="Set"' })
      await expect.poll(async () => (await find('role=textbox && name="Due"'))[0]?.value).toBe('2026-11-17')
    })

    test('what a drop-down list of its own making shows, which words are bold, and how high a heading is', async () => {
      await open('States', 'chromium', ...flags, pathToFileURL(fixture('states.html')).href)
      await expect.poll(outline, { timeout: 20_000 }).toMatch(/combobox "Fruit" value "Apple"/)
      const text = await outline()
      expect(text).toMatch(/label "by Friday" bold$/m)
      expect(text).not.toMatch(/label "Pay" bold/)
      expect(text).toMatch(/heading "Rows" level 2$/m)
    })

    test('rows of a table that shows others in the same elements do not keep their ids', async () => {
      await open('States', 'chromium', ...flags, pathToFileURL(fixture('states.html')).href)
      await expect.poll(() => find('role=cell && name^="Order "'), { timeout: 20_000 }).toHaveLength(10)
      const orders = await find('role=cell && name^="Order "')
      const when = await find('role=cell && name="today"')
      const scrolled = await desk.call('ui.scroll', { target: { elementId: orders[4]?.elementId }, deltaY: 3 })
      expect(scrolled, JSON.stringify(scrolled.error)).toMatchObject({ status: 'success' })
      await expect.poll(async () => (await find('role=cell && name^="Order "'))[0]?.name).not.toBe('Order 0')
      const now = new Map((await find('role=cell && name^="Order "')).map((c) => [c.elementId, c.name]))
      for (const { elementId, name } of orders) if (now.has(elementId)) expect(now.get(elementId)).toBe(name)
      const still = new Set([...now.values()])
      for (const [i, { elementId }] of when.entries()) {
        if (still.has(orders[i]?.name)) continue
        expect((await desk.call('ui.describe', { element: { elementId } })).error?.code).toBe('STALE_REF')
      }
    })
  })
})
