import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serious } from '../support/axe.ts'
import { ConsoleWorld } from '../support/console.ts'
import { handled } from '../support/handled.ts'

const VIEWS = ['', 'timeline', 'inspector', 'policy', 'scripts', 'settings']
const OFFICE = resolve(import.meta.dirname, '../../packages/deskhand/demo/office.ui.json')
/** 200 characters, with a word that is wider than a column. */
const LONG =
  'Invoice of the Donaudampfschiffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft for thirty-seven boxes of printed labels, to be delivered to the warehouse in Kirchheim, on the third floor'
const RULES = `
[[rule]]
name = "saving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = "Invoice of*"
`

let on: ConsoleWorld
beforeAll(async () => {
  on = await ConsoleWorld.open(RULES, '', {}, async (state) => {
    const ui = join(dirname(state), 'long.ui.json')
    const named = (text: string): string => readFileSync(OFFICE, 'utf8').replaceAll(text, JSON.stringify(LONG))
    writeFileSync(ui, named('"Save invoice"').replaceAll('"Invoices"', JSON.stringify(LONG)))
    return Promise.resolve(['--ui', ui])
  })
  await on.call('ui.type', { target: 'name="Customer"', text: 'Ada' })
  await on.call('ui.type', { target: 'name="Amount"', text: '10' })
})
afterAll(() => on?.end())

/** It waits for its answer until every view was looked at. */
const ask = () => handled(on.call('ui.click', { target: `role=button && name^="Invoice of"` }, '--wait', '110'))

test('names of 200 characters push no answer out of view', async () => {
  const page = await on.signIn({ width: 1280, height: 800 })
  const asked = ask()
  const allow = page.getByRole('button', { name: 'Allow once' })
  await allow.waitFor()
  await page.waitForTimeout(900)
  const { y, height } = (await allow.boundingBox()) ?? { y: Infinity, height: 0 }
  const { y: end } = (await page.getByRole('region', { name: 'Steps' }).boundingBox()) ?? { y: 0 }
  expect(y + height).toBeLessThanOrEqual(end)
  await allow.click({ position: { x: 20, y: 10 } })
  expect(await asked).toMatchObject({ status: 'success' })
  expect(await on.found('name="Saved invoices: 1"')).toBe(true)
  await page.close()
})

test.each([
  { what: '1280 x 800 at twice the size', width: 640, height: 400 },
  { what: 'a tablet', width: 820, height: 1180 },
  { what: '4K', width: 3840, height: 2160 },
])('on $what every view can be used by everybody, whatever the names are, and the question that waits is answered', async (size) => {
  const page = await on.signIn(size)
  const asked = ask()
  await page.getByRole('article').waitFor()
  for (const view of VIEWS) {
    await page.goto(`${on.up.ready.url}/${view}`)
    await page.getByRole('main').waitFor()
    await page.waitForTimeout(600)
    const across = (await page.evaluate('document.documentElement.scrollWidth')) as number
    expect({ view, across, serious: await serious(page) }).toEqual({ view, across: size.width, serious: [] })
    for (const name of ['Take over', 'Pause', 'Stop']) {
      const box = await page.getByRole('button', { name }).first().boundingBox()
      expect(box?.y ?? -1).toBeGreaterThanOrEqual(0)
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(size.height)
    }
  }
  await page.goto(on.up.ready.url)
  const steps = page.getByRole('list', { name: 'Steps' })
  await steps.scrollIntoViewIfNeeded()
  expect((await steps.boundingBox())?.height ?? 0).toBeGreaterThan(120)
  await page.getByRole('button', { name: 'Deny' }).scrollIntoViewIfNeeded()
  await page.waitForTimeout(900)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('too long')
  // Where the field was not in view, the card has moved with it.
  await page.waitForTimeout(900)
  await page.keyboard.press('Enter')
  expect((await asked).error?.message).toContain('too long')
  await page.close()
})
