import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'
import { writeLongJournal } from '../support/long-journal.ts'

/** More than a page of the list or of a comparison has; the older half was recorded two days ago. */
const CALLS = 1_200
const TWO_DAYS_MS = 2 * 24 * 3_600_000
const recordedAt = (call: number): number => Date.now() - (call <= CALLS / 2 ? TWO_DAYS_MS : 0)

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open('', '', {}, (state) => writeLongJournal(state, CALLS, recordedAt))))
afterAll(() => on?.end())

const step = () => on.page.getByRole('region', { name: 'Step', exact: true })

test('a draft is compared with the newest calls, says so, and reads on until the whole record was compared', async () => {
  const click = () => on.call('ui.click', { target: 'name="Already paid"' })
  expect(await click()).toMatchObject({ effect: 'confirmed' })
  await on.page.goto(`${on.up.ready.url}/policy`)
  await on.page.locator('.editor .cm-content').click()
  await on.page.keyboard.insertText('[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\n[rule.when]\nname = "Oldest*"\n')
  await on.page.getByRole('button', { name: 'Compare with past steps' }).click()
  await on.page.getByText(/^Compared with the newest 500 calls, back to \w/).waitFor()
  await on.page.getByText('None of these calls').waitFor()
  const older = on.page.getByRole('button', { name: 'Compare with older ones' })
  await older.click()
  await on.page.getByText('the newest 1000 calls').waitFor()
  await older.click()
  await on.page.getByText(/^Compared with all 1\d{3} calls of the record/).waitFor()
  expect(await older.count()).toBe(0)
  await on.page.getByText('would have denied 1').waitFor()
  const different = on.page.getByRole('region', { name: 'Calls that would have been decided differently' })
  expect(await different.getByRole('row').allInnerTexts()).toEqual([expect.stringMatching(/ui\.click Oldest of all[^]*Allow → Deny/)])
  await different.getByRole('link').click()
  await step().getByRole('heading', { name: 'Clicked Oldest of all' }).waitFor()
  // Compared, and not saved.
  expect(await click()).toMatchObject({ effect: 'confirmed' })
})

test('a step from long before is shown by its address, in the list with the steps beside it and their day', async () => {
  await on.page.goto(`${on.up.ready.url}/timeline?op=op-300`)
  const chosen = on.page.getByRole('listbox', { name: 'Steps' }).getByRole('option', { selected: true })
  await expect.poll(() => chosen.getAttribute('data-op')).toBe('op-300')
  const { seq } = (await on.journal()).find((entry) => entry['op'] === 'op-300') as { seq: number }
  await expect.poll(() => step().textContent()).toContain(`entry ${seq}verified and anchored`)
  const dayOf = (call: number): string =>
    new Date(recordedAt(call)).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  await expect.poll(() => on.page.locator('.day').textContent()).toContain(dayOf(300))
  expect(await step().textContent()).toContain(dayOf(300))
  await on.page.keyboard.press('j')
  await expect.poll(() => chosen.getAttribute('data-op')).toBe('op-299')
  await on.page.getByRole('button', { name: 'Show the newest' }).click()
  await on.page.getByText('operator started the desktop').first().waitFor()
  expect(await on.page.locator('.day').textContent()).toContain(dayOf(CALLS))

  await on.page.goto(`${on.up.ready.url}/timeline?op=op-${CALLS / 2 + 1}`)
  await expect.poll(() => chosen.getAttribute('data-op')).toBe(`op-${CALLS / 2 + 1}`)
  await on.page.keyboard.press('j')
  await expect.poll(() => chosen.locator('time').textContent()).toContain(dayOf(1))

  await on.page.goto(`${on.up.ready.url}/timeline?op=nothing`)
  await on.page.getByText('The record has no such step.').waitFor()
})
