import { gzipSync } from 'node:zlib'
import { ConsoleWorld } from '../tests/support/console.ts'
import { writeLongJournal } from '../tests/support/long-journal.ts'
import { median, type Report } from './report.ts'

const LOADS = 5
const CALLS = 15
const SEARCHES = 5
const LONG = 33_400
/** Parts that load when they are first shown. */
const LATER = /vnc-viewer|editor/

/** What a person waits for in the console: its first load, an event on the screen, a hit in a long record. */
export default async function consoleSuite(report: Report): Promise<void> {
  const short = await ConsoleWorld.open('')
  try {
    await firstLoad(report, short)
    await eventToScreen(report, short)
  } finally {
    await short.end()
  }
  const long = await ConsoleWorld.open('', '', {}, (state) => writeLongJournal(state, LONG))
  try {
    await search(report, long)
  } finally {
    await long.end()
  }
}

async function firstLoad(report: Report, { page, up }: ConsoleWorld): Promise<void> {
  const loaded = new Map<string, number>()
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!/\.(?:js|css|woff2)$|^\/$/.test(pathname) || LATER.test(pathname)) return
    void response.body().then(
      (body) => loaded.set(pathname, pathname.endsWith('.woff2') ? body.length : gzipSync(body).length),
      () => {},
    )
  })
  const times: number[] = []
  for (let i = 0; i < LOADS; i++) {
    const begun = performance.now()
    await page.goto(up.ready.url)
    await page.getByRole('button', { name: 'Stop' }).and(page.locator(':enabled')).waitFor()
    times.push(performance.now() - begun)
  }
  await page.waitForTimeout(500)
  const bytes = [...loaded.values()].reduce((sum, n) => sum + n, 0)
  report.add({
    name: 'first load, compressed, without picture and editors',
    unit: 'KB',
    ours: bytes / 1_000,
    bar: { of: 'ours', atMost: 250 },
  })
  report.add({ name: 'first load until it can be used, median', unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 1_000 } })
}

/** From the time in the entry of the record to the row on the page: both clocks are this machine's. */
async function eventToScreen(report: Report, on: ConsoleWorld): Promise<void> {
  await on.page.evaluate(`
    window.late = new Map()
    new MutationObserver(() => {
      for (const time of document.querySelectorAll('.step time')) {
        const at = time.getAttribute('datetime')
        if (!window.late.has(at)) window.late.set(at, Date.now() - Date.parse(at))
      }
    }).observe(document.body, { subtree: true, childList: true })
  `)
  for (let i = 0; i < CALLS; i++) await on.call('ui.click', { target: 'name="Already paid"' })
  await on.page.waitForTimeout(500)
  const late = (await on.page.evaluate('[...window.late.values()]')) as number[]
  report.add({
    name: 'event to screen, median',
    unit: 'ms',
    ours: median(late.filter((ms) => ms < 5_000)),
    bar: { of: 'ours', atMost: 50 },
  })
}

async function search(report: Report, on: ConsoleWorld): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < SEARCHES; i++)
    times.push(
      (await on.page.evaluate(`(async () => {
        const begun = performance.now()
        const found = await (await fetch('/api/v1/desktops/virtual/journal?calls=true&limit=1&text=oldest%20of%20all')).json()
        if (found.length !== 3) throw new Error('found ' + found.length)
        return performance.now() - begun
      })()`)) as number,
    )
  report.add({ name: 'oldest of 100,000 entries found by text, median', unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 300 } })
}
