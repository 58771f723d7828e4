import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from 'deskhand'
import { median, spent, type Report } from '../report.ts'
import { missing, onDesk, type Desk } from './desk.ts'

const ROWS = 5_000
/** So long a page stays small after it was loaded. */
const LATER_MS = 8_000
const LAST = `role=cell && name="Amount ${ROWS - 1}"`

/** A page of 5,000 rows in Chromium: the first answer, everything, and a question then; for a page that is there, and for one that comes later. */
export async function large(report: Report): Promise<void> {
  const absent = missing('chromium')
  if (absent !== undefined) return report.note(`a large page: ${absent}`)
  await onDesk(report, 'a large page that is there', (desk) => there(report, desk))
  await onDesk(report, 'a large page that comes later', (desk) => later(report, desk))
}

async function there(report: Report, desk: Desk): Promise<void> {
  browse(desk, 0)
  await sleep(LATER_MS + 12_000)
  await measure(report, desk, 'a page of 5,000 rows', true)
}

async function later(report: Report, desk: Desk): Promise<void> {
  browse(desk, LATER_MS)
  await measure(report, desk, 'a page that gets 5,000 rows later', false)
}

type Opened = Awaited<ReturnType<typeof open>>

/** From the start where the page is there, else from when its title tells that it is. */
async function measure(report: Report, desk: Desk, what: string, isThere: boolean): Promise<void> {
  let started = performance.now()
  const session = await open({ config: { state: desk.state, desktop: { kind: 'sandbox', sandbox: desk.sandbox.record.id } } })
  try {
    const slowest = { ms: 0 }
    const look = async (selector: string): Promise<{ found: number; complete: boolean }> => {
      const started = performance.now()
      const { data, error } = await session.call('ui.query', { selector, limit: 1 })
      slowest.ms = Math.max(slowest.ms, performance.now() - started)
      if (error !== undefined) throw new Error(`${error.code}: ${error.message}`)
      return { found: countOf(data), complete: session.session.see({ id: 'operator', role: 'operator' }).completeness.complete }
    }
    await until(async () => (await look('role=window && name^="Full"')).found > 0)
    slowest.ms = 0
    if (!isThere) started = performance.now()
    await until(async () => (await look('role=cell && name="Amount 3"')).found > 0)
    const first = performance.now() - started
    await until(async () => (await look(LAST)).found > 0)
    const last = performance.now() - started
    await until(async () => (await look(LAST)).complete)
    const whole = performance.now() - started
    const times: number[] = []
    for (let i = 0; i < 9; i++)
      times.push(await spent(() => session.call('ui.query', { selector: `role=cell && name="Amount ${i * 500}"` })))
    const size = sizeOf(session)
    report.add({ name: `${what}, ${size} elements: what is shown`, unit: 'ms', ours: first, bar: { of: 'ours', atMost: 1_000 } })
    report.add({ name: `${what}: its last row`, unit: 'ms', ours: last })
    report.add({ name: `${what}: whole`, unit: 'ms', ours: whole, bar: { of: 'ours', atMost: 6_000 } })
    report.add({ name: `${what}: the slowest answer meanwhile`, unit: 'ms', ours: slowest.ms })
    report.add({ name: `${what}: a query then`, unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 50 } })
  } finally {
    await session.close()
  }
}

function countOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'count' in data && typeof data.count === 'number' ? data.count : 0
}

const sizeOf = ({ session }: Opened): number => {
  let size = 0
  const visit = (nodes: readonly { children: readonly unknown[] }[]): void => {
    size += nodes.length
    for (const { children } of nodes) visit(children as readonly { children: readonly unknown[] }[])
  }
  visit(session.see({ id: 'operator', role: 'operator' }).roots)
  return size
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it did not happen within a minute')
    await sleep(20)
  }
}

/** Rows with two cells each, made by the page itself `ms` after it was loaded. */
function browse(desk: Desk, ms: number): void {
  const page = join(desk.sandbox.env['HOME'] ?? '', 'page.html')
  const rows = `Array.from({ length: ${ROWS} }, (_, n) => '<tr><td>Invoice ' + n + '<td>Amount ' + n).join('')`
  const fill = `document.body.innerHTML = '<table>' + ${rows} + '</table>'; document.title = 'Full'`
  writeFileSync(page, `<!doctype html><title>Empty</title><p>Wait.<script>setTimeout(() => { ${fill} }, ${ms})</script>`)
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
  ]
  desk.start('chromium', ['--no-sandbox', '--disable-gpu', '--force-renderer-accessibility', ...quiet, `file://${page}`])
}
