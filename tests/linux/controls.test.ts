import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown, told } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 20_000, interval: 100 }

type Toolkit = 'GTK 3' | 'GTK 4' | 'Qt 5' | 'Chromium'
const ALL: readonly Toolkit[] = ['GTK 3', 'GTK 4', 'Qt 5', 'Chromium']

interface Row {
  control: string
  target: string
  value: string | number | boolean
  /** What the answer says that it became. */
  became: RegExp
  /** What the application itself says. */
  said: string
  on?: readonly Toolkit[]
}

/** One of each control, as an agent would name it. Qt calls a combobox by what it shows, and tells nothing of the checkbox in a cell. */
const TABLE: readonly Row[] = [
  { control: 'text', target: 'role=textbox && name="Name"', value: 'Anna Müller', became: /"Anna Müller"/, said: 'name Anna Müller' },
  { control: 'text of several lines', target: 'role=textbox && name="Notes"', value: 'two\nlines', became: /two.*lines/, said: 'notes ' },
  { control: 'checkbox', target: 'name="Paid"', value: true, became: /: checked/, said: 'paid True' },
  { control: 'switch', target: 'name="Loud"', value: true, became: /: checked/, said: 'loud True', on: ['GTK 3', 'GTK 4', 'Chromium'] },
  { control: 'toggle button', target: 'name="Bold"', value: true, became: /: (?:checked|pressed)/, said: 'bold True' },
  { control: 'toggle button, by a word', target: 'name="Bold"', value: 'off', became: /: (?:unchecked|not pressed)/, said: 'bold False' },
  {
    control: 'radio button',
    target: '(role=radio || role=checkbox) && name="Large"',
    value: true,
    became: /: checked/,
    said: 'large True',
  },
  {
    control: 'option out of view',
    target: 'role=combobox && (name="Country" || name="Country 0")',
    value: 'Country 55',
    became: /"Country 55"/,
    said: 'country Country 55',
  },
  {
    control: 'text of a combobox',
    target: 'role=combobox && (name="City" || name="Berlin")',
    value: 'Oslo',
    became: /"Oslo"/,
    said: 'city Oslo',
  },
  {
    control: 'option of an editable combobox',
    target: 'role=combobox && (name="City" || name="Oslo")',
    value: 'Rome',
    became: /"Rome"/,
    said: 'city Rome',
  },
  { control: 'slider', target: 'role=slider && name="Volume"', value: 70, became: /"70"/, said: 'volume 70' },
  { control: 'spin button', target: 'role=spinbutton && name="Amount"', value: 42, became: /"42"/, said: 'amount 42' },
  { control: 'date', target: 'name="Due"', value: '2026-11-17', became: /"2026-11-17"/, said: 'due 2026-11-17' },
  { control: 'tab', target: 'role=tab && name="Two"', value: true, became: /: selected/, said: 'tab 1' },
  { control: 'entry of a list, out of view', target: 'name="People"', value: 'Person 33', became: /"Person 33"/, said: 'person Person 33' },
  {
    control: 'cell with a text',
    target: 'role=cell && name="note 1"',
    value: 'milk',
    became: /"milk"/,
    said: 'note 1 milk',
    on: ['GTK 3', 'Qt 5'],
  },
  {
    control: 'cell with a checkbox',
    target: 'name="Item 2" >> left-of >> role=cell',
    value: true,
    became: /: checked/,
    said: 'done 2 True',
    on: ['GTK 3'],
  },
  { control: 'text out of view', target: 'role=textbox && name="Far"', value: 'seen', became: /"seen"/, said: 'far seen' },
]

describeDesktop('ui.set brings each control of each toolkit to a value and says what it became', () => {
  describe.each(ALL)('%s', (toolkit) => {
    let desk: RealDesk
    let words: () => string[]
    let server: Server | undefined
    beforeAll(async () => {
      desk = await realDesk()
      if (toolkit === 'Chromium') {
        const posted: string[] = []
        words = () => posted
        server = createServer((request, response) => {
          if (request.method === 'POST') request.setEncoding('utf8').on('data', (text: string) => posted.push(text))
          response.setHeader('content-type', 'text/html; charset=utf-8')
          response.end(readFileSync(fixture('pages/every-control.html')))
        })
        await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        await desk.show('Controls', 'chromium', ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', url])
        expect(await desk.call('ui.wait', { until: { uiState: { target: 'name="Due"' } }, timeoutMs: 20_000 })).toMatchObject({
          status: 'success',
        })
      } else {
        words = listen(desk.sandbox, PYTHON, [fixture(`controls_${toolkit.replace(' ', '').toLowerCase()}.py`)])
        await shown(desk.driver, 'Controls')
        await told(desk.driver)
      }
    })
    afterAll(async () => {
      server?.close()
      server?.closeAllConnections()
      await desk.close()
    })

    test.each(TABLE.filter(({ on = ALL }) => on.includes(toolkit)))('$control', async ({ target, value, became, said }) => {
      const done = await desk.call('ui.set', { target, value })
      expect(done, `${done.error?.message} ${done.error?.next}\n${done.text}`).toMatchObject({ status: 'success' })
      expect(done.text).toMatch(became)
      await expect.poll(() => words().some((line) => line.startsWith(said)), soon).toBe(true)
    })
  })
})
