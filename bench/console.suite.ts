import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bringUp, type Sandbox } from '../packages/deskhand/src/desktop/sandbox.ts'
import { ConsoleWorld } from '../tests/support/console.ts'
import { writeLongJournal } from '../tests/support/long-journal.ts'
import { median, type Report } from './report.ts'

const LOADS = 5
const CALLS = 15
const SEARCHES = 5
const LONG = 33_400
const CHANGES = 30
const SCROLL_MS = 10_000
const SCROLL_PX = 600
const PAINT = fileURLToPath(new URL('server/paint.py', import.meta.url))
/** Where the colour that changes is: in the middle of its square. */
const AT = { x: 132, y: 132 }
/** Parts that load when they are first shown. */
const LATER = /vnc-viewer|editor/

/** What a person waits for in the console: its first load, an event and a change on X on the screen, a hit in a long record, scrolling through it. */
export default async function consoleSuite(report: Report): Promise<void> {
  await changeToCanvas(report)
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
    await scrolling(report, long)
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

/** From the command to a painter on a real X display to the pixel in the page's canvas: both clocks are this machine's. */
async function changeToCanvas(report: Report): Promise<void> {
  let sandbox: Sandbox | undefined
  const on = await ConsoleWorld.open('', '', {}, async (state) => {
    sandbox = await bringUp({ stateDir: join(state, 'sandboxes') })
    return ['--desktop', 'sandbox', '--sandbox', sandbox.record.id]
  })
  const painter = spawn('/usr/bin/python3', [PAINT], { env: sandbox?.env, stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await on.page.locator('.vnc-viewer[data-connected=true]').waitFor()
    const painted = once(painter.stdout, 'data')
    painter.stdin.write('fill 0\n')
    await painted
    await on.page.waitForTimeout(1_500)
    await on.page.evaluate(`window.seen = ([r, g, b]) => new Promise((done) => {
      const pixels = document.querySelector('.vnc-canvas canvas').getContext('2d')
      const look = () => {
        const [x, y, z] = pixels.getImageData(${AT.x}, ${AT.y}, 1, 1).data
        if (x === r && y === g && z === b) done(performance.timeOrigin + performance.now())
        else setTimeout(look, 1)
      }
      look()
    })`)
    const took: number[] = []
    for (let i = 1; i <= CHANGES; i++) {
      const colour = [(i * 7) & 0xff, (i * 31) & 0xff, (i * 83) & 0xff] as const
      const seen = on.page.evaluate(`window.seen(${JSON.stringify(colour)})`) as Promise<number>
      await sleep(100)
      const begun = performance.timeOrigin + performance.now()
      painter.stdin.write(`fill ${(colour[0] << 16) | (colour[1] << 8) | colour[2]}\n`)
      took.push((await seen) - begun)
    }
    report.add({ name: 'a change on X to the canvas, median', unit: 'ms', ours: median(took), bar: { of: 'ours', atMost: 100 } })
  } finally {
    painter.stdin.end()
    await on.end()
    await sandbox?.down()
  }
}

/** Down through all rows at the pace of a thrown wheel, after they were loaded: what held the page up, and frames that were not drawn. */
async function scrolling(report: Report, on: ConsoleWorld): Promise<void> {
  await on.page.goto(`${on.up.ready.url}/timeline`)
  const list = '.stack > .scroll'
  await on.page.locator('.entry').first().waitFor()
  const oldest = on.page.getByRole('option').filter({ hasText: 'Oldest of all' })
  for (let more = 600; more > 0 && (await oldest.count()) === 0; more--) {
    await on.page.evaluate(`{ const list = document.querySelector('${list}'); list.scrollTop = list.scrollHeight }`)
    await sleep(50)
  }
  const { frames, dropped, tasks, held } = (await on.page.evaluate(`(async () => {
    const list = document.querySelector('${list}')
    list.scrollTop = 0
    await new Promise((done) => setTimeout(done, 1000))
    const long = []
    const observer = new PerformanceObserver((all) => long.push(...all.getEntries().map((task) => task.duration)))
    observer.observe({ type: 'longtask' })
    let frames = 0, dropped = 0, last = performance.now()
    for (const until = last + ${SCROLL_MS}; last < until;) {
      list.scrollTop += ${SCROLL_PX}
      const now = await new Promise(requestAnimationFrame)
      frames++
      dropped += Math.max(0, Math.round((now - last) / (1000 / 60)) - 1)
      last = now
    }
    await new Promise((done) => setTimeout(done, 200))
    observer.disconnect()
    return { frames, dropped, tasks: long.length, held: long.reduce((sum, ms) => sum + ms, 0) }
  })()`)) as { frames: number; dropped: number; tasks: number; held: number }
  report.add({ name: 'scrolling 33,400 rows for 10 s: frames drawn', unit: '', ours: frames, better: 'higher' })
  report.add({ name: '… frames dropped', unit: '', ours: dropped })
  report.add({ name: '… long tasks', unit: '', ours: tasks })
  report.add({ name: '… time in long tasks', unit: 'ms', ours: held })
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
