import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'
import { writeLongJournal } from '../support/long-journal.ts'

const CALLS = 33_400

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open('', '', {}, (state) => writeLongJournal(state, CALLS))), 300_000)
afterAll(() => on?.end())

test('a record of 100,000 entries is scrolled from the newest call to the oldest, with few rows on the page at any time', async () => {
  await on.call('ui.click', { target: 'name="Already paid"' })
  await on.page.goto(`${on.up.ready.url}/timeline`)
  const options = on.page.getByRole('listbox', { name: 'Steps' }).getByRole('option')
  await options.filter({ hasText: 'Already paid' }).first().waitFor()
  const scroll = on.page.locator('.stack > .scroll')
  const oldest = options.filter({ hasText: 'Oldest of all' })
  let most = 0
  await expect
    .poll(
      async () => {
        await scroll.evaluate((list: { scrollTop: number; scrollHeight: number }) => (list.scrollTop = list.scrollHeight))
        most = Math.max(most, await options.count())
        return oldest.count()
      },
      { timeout: 240_000, interval: 50 },
    )
    .toBe(1)
  expect(most).toBeLessThan(120)
}, 300_000)

test('the oldest call among 100,000 entries is found, and exported alone', async () => {
  await on.page.goto(`${on.up.ready.url}/timeline`)
  await on.page.getByRole('searchbox').fill('oldest of all')
  const options = on.page.getByRole('listbox', { name: 'Steps' }).getByRole('option')
  await expect.poll(() => options.allTextContents()).toEqual([expect.stringContaining('Oldest of all')])
  const [download] = await Promise.all([on.page.waitForEvent('download'), on.page.getByRole('button', { name: 'Export' }).click()])
  const file = join(on.world.dir, 'export.html')
  await download.saveAs(file)
  expect(readFileSync(file, 'utf8').match(/<li/g)).toHaveLength(1)
})
