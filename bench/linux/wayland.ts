import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from 'deskhand'
import { within, type Driver } from '@deskhand/core/driver'
import type { DisplayName } from '../../packages/deskhand/src/desktop/record.ts'
import { bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { openLinux } from '../../packages/driver-linux/src/index.ts'
import { median, spent, type Report } from '../report.ts'
import { missing, onDesk, run, type Desk, type Timed } from './desk.ts'
import { click, spot, TEXT, typist, UNICODE, withDriver } from './input.ts'
import { shoot } from './screen.ts'

const STARTING_MS = 3_000
const RAISED = 'a sandbox brought up'
const SCREENSHOT = 'screenshot, 1920x1080, PNG'

/** Sway beside X11 in the same work, and beside the programs that people use there. */
export async function wayland(report: Report): Promise<void> {
  const absent = missing('sway', 'wtype', 'grim')
  if (absent !== undefined) return report.note(`Wayland: ${absent}`)
  const [x11, sway] = [new Map<string, number>(), new Map<string, number>()]
  for (const [display, figures] of [
    ['x11', x11],
    ['wayland', sway],
  ] as const) {
    const add = (name: string, ms: number): void => void figures.set(name, ms)
    const part = (name: string, work: (desk: Desk) => Promise<void>) => onDesk(report, `${name} on ${display}`, work, display)
    add(RAISED, await raise(display))
    await part('trees', (desk) => trees(desk, add, display === 'wayland' ? report : undefined))
    await part('clicks', (desk) => clicks(desk, add))
    await part('typing', (desk) => types(desk, add, display === 'wayland' ? report : undefined))
    await part('pictures', (desk) => pictures(desk, add, display === 'wayland' ? report : undefined))
  }
  // What it sends goes through a device of the kernel's, which a compositor without a screen does not listen to.
  report.note('ydotool: needs /dev/uinput and a compositor that reads devices; it has no row')
  for (const [name, ours] of sway) {
    const bar = name === RAISED ? ({ of: 'ours', atMost: 500 } as const) : undefined
    report.add({ name: `Wayland: ${name}`, unit: 'ms', ours, peer: x11.get(name), peerName: 'ours on X11', bar })
  }
}

async function raise(display: DisplayName): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const started = performance.now()
    const { down } = await bringUp({ stateDir, width: 1920, height: 1080, display })
    times.push(performance.now() - started)
    await down()
  }
  rmSync(stateDir, { recursive: true, force: true })
  return median(times)
}

type Add = (name: string, ms: number) => void

/** From a driver that knows nothing to all that is on the screen. */
async function trees(desk: Desk, add: Add, report: Report | undefined): Promise<void> {
  desk.rows('gtk3', 200)
  await desk.appears('rows.py')
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    let driver: Driver | undefined
    times.push(
      await spent(async () => {
        driver = await openLinux(desk.sandbox.env)
        const { nodes } = await driver.observe.read({}, within(10_000))
        if (nodes.length < 300) throw new Error(`only ${nodes.length} elements were read`)
      }),
    )
    await driver?.close()
  }
  const name = 'a driver, and the tree of 200 rows of GTK 3'
  add(name, median(times))
  const theirs = await desk.atspi.ask<Timed<number>>({ do: 'tree', app: 'rows.py', what: 'whole', runs: 3 })
  report?.add({ name: `Wayland: ${name}`, unit: 'ms', ours: median(times), peer: theirs.ms, peerName: 'pyatspi, the tree alone' })
}

/** Until the compositor has delivered it; pyatspi says whether it landed. */
async function clicks(desk: Desk, add: Add): Promise<void> {
  desk.start('gtk3-widget-factory')
  await desk.appears('widget-factory')
  await withDriver(desk, async (driver) => {
    const { nodes } = await driver.observe.read({}, within(10_000))
    const { key, at } = spot(nodes, (n) => n.role === 'togglebutton' && n.name === 'togglebutton' && n.states?.enabled === true)
    const look = { do: 'look', app: 'widget-factory', role: 'toggle button', name: 'togglebutton' }
    const isChecked = async (): Promise<boolean> => (await desk.atspi.ask<{ checked: boolean }>(look)).checked
    const lease = await driver.act.take(60_000, within(1_000))
    const times: number[] = []
    for (let i = 0; i < 20; i++) {
      const before = await isChecked()
      times.push(await spent(() => click(driver, lease, at, key)))
      for (let n = 0; (await isChecked()) === before; n++, await sleep(20)) if (n > 50) throw new Error('a click did not land')
    }
    add('click an element that is sure to be there', median(times))
  })
}

async function types(desk: Desk, add: Add, report: Report | undefined): Promise<void> {
  const file = join(desk.sandbox.env['HOME'] ?? '', 'text.txt')
  writeFileSync(file, '')
  desk.start('mousepad', [file])
  await desk.appears('mousepad')
  await withDriver(desk, async (driver) => {
    const { lease, measure, step } = await typist(desk, driver, file)
    for (const [name, text] of [
      ['200 ASCII characters by keys', TEXT],
      ['200 Unicode characters by keys', UNICODE],
    ] as const) {
      const ours = await measure(text, 5, step(text))
      if (ours.right < 5) throw new Error(`${name}: ours were right ${ours.right} of 5 times`)
      add(name, ours.ms)
      if (report === undefined) continue
      const theirs = await measure(text, 2, () => run('wtype', ['--', text], desk.sandbox.env))
      const peer = { peer: theirs.ms, peerName: `wtype, right ${theirs.right} of 2` }
      report.add({ name: `Wayland: ${name}`, unit: 'ms', ours: ours.ms, ...peer })
    }
    await driver.act.drop(lease)
  })
}

/** Decided, masked and recorded. */
async function pictures(desk: Desk, add: Add, report: Report | undefined): Promise<void> {
  desk.start('mousepad')
  await desk.appears('mousepad')
  const session = await open({ config: { state: desk.state, desktop: { kind: 'sandbox', sandbox: desk.sandbox.record.id } } })
  try {
    for (let i = 0; i < 5; i++) await shoot(session)
    await sleep(STARTING_MS)
    const ours: number[] = []
    for (let i = 0; i < 15; i++) ours.push(await spent(() => shoot(session)))
    add(SCREENSHOT, median(ours))
    if (report === undefined) return
    const theirs: number[] = []
    const file = join(desk.sandbox.env['HOME'] ?? '', 'grim.png')
    for (let i = 0; i < 9; i++) theirs.push(await spent(() => run('grim', [file], desk.sandbox.env)))
    if (!existsSync(file)) throw new Error('grim took no picture')
    report.add({ name: `Wayland: ${SCREENSHOT}`, unit: 'ms', ours: median(ours), peer: median(theirs), peerName: 'grim' })
  } finally {
    await session.close()
  }
}
