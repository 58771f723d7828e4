import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { median, spent, type Report } from '../report.ts'
import { onDesk, type Desk, type Timed } from './desk.ts'
import { familyOf, memoryOf, Ours } from './mcp.ts'

const DEADLINE_MS = 1_000

/** The desktop as a whole: bringing one up, and a session with fifteen applications, one of which hangs. */
export async function desktop(report: Report): Promise<void> {
  await raise(report)
  await onDesk(report, 'fifteen applications', async (desk) => {
    const names = ['mousepad', 'gtk3-widget-factory', 'gtk3-demo']
    for (const name of names) desk.start(name)
    const hanging = desk.rows('gtk3', 50, 'Hanging')
    for (let i = 0; i < 11; i++) desk.rows('gtk3', 150, `Rows ${i}`)
    const ours = await Ours.open(desk)
    try {
      await everybody(ours)
      const pids = familyOf(ours.broker.pid ?? 0)
      await sleep(3_000)
      const memory = pids.reduce((sum, pid) => sum + memoryOf(pid), 0)
      report.add({ name: 'memory of a session with 15 applications', unit: 'MB', ours: memory, bar: { of: 'ours', atMost: 250 } })
      await hang(report, desk, ours, hanging.pid ?? 0)
    } finally {
      await ours.close()
    }
  })
}

async function raise(report: Report): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const started = performance.now()
    const { down } = await bringUp({ stateDir, width: 1920, height: 1080 })
    times.push(performance.now() - started)
    await down()
  }
  rmSync(stateDir, { recursive: true, force: true })
  report.add({ name: 'bring a sandbox desktop up', unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 500 } })
}

async function everybody(ours: Ours): Promise<void> {
  for (let i = 0; i < 120; i++, await sleep(500)) {
    const { text } = await ours.use('ui.query', { selector: 'role=window', limit: 100 })
    if (Number(/^(\d+) found/.exec(text)?.[1]) >= 15) return
  }
  throw new Error('not all of the 15 applications appeared')
}

/** A stopped application costs at most its deadline once; the others still answer. */
async function hang(report: Report, desk: Desk, ours: Ours, pid: number): Promise<void> {
  const look = () => spent(() => ours.use('ui.query', { selector: 'role=button && name="Delete 7"', limit: 50 }))
  const usual = median([await look(), await look(), await look(), await look(), await look()])
  process.kill(pid, 'SIGSTOP')
  try {
    // Everything is drawn anew, so that everybody is asked.
    await ours.use('ui.window', { op: 'activate', target: 'role=window && name="Rows 3"' })
    const first = await look()
    const later = median([await look(), await look(), await look(), await look(), await look()])
    const peer = await desk.atspi.ask<Timed<unknown>>({ do: 'listing' }).catch(() => undefined)
    report.add({ name: 'a look at 15 applications', unit: 'ms', ours: usual })
    report.add({
      name: 'the first look after one hangs adds',
      unit: 'ms',
      ours: Math.max(0, first - usual),
      peer: peer?.ms,
      peerName: 'pyatspi lists them',
      bar: { of: 'ours', atMost: DEADLINE_MS },
    })
    report.add({ name: 'a later look adds', unit: 'ms', ours: Math.max(0, later - usual), bar: { of: 'ours', atMost: DEADLINE_MS } })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}
