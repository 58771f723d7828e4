import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { walk } from '@deskhand/core/model'
import { match } from '@deskhand/core/selector'
import { open } from 'deskhand'
import { App, NodeIndex } from '../../packages/driver-linux/src/atspi/app.ts'
import { identify } from '../../packages/driver-linux/src/atspi/identity.ts'
import { loadDetails } from '../../packages/driver-linux/src/atspi/details.ts'
import { ACCESSIBLE, APPLICATION, REGISTRY, ROOT_PATH } from '../../packages/driver-linux/src/atspi/names.ts'
import { seed } from '../../packages/driver-linux/src/atspi/seed.ts'
import { Bus } from '../../packages/driver-linux/src/dbus/index.ts'
import { median, spent, time, type Report } from '../report.ts'
import { missing, onDesk, type Desk, type Timed } from './desk.ts'

const DETAILS = { bounds: true, actions: true, value: true }

/** Reading applications' trees from nothing, beside pyatspi; finding in the mirror, beside dogtail. */
export async function trees(report: Report): Promise<void> {
  await onDesk(report, 'GTK3', async (desk) => {
    desk.rows('gtk3', 200)
    await compare(report, desk, { toolkit: 'GTK3', app: 'rows.py', whole: 8, structure: 25 })
  })
  await onDesk(report, 'GTK4', async (desk) => {
    desk.rows('gtk4', 200)
    await compare(report, desk, { toolkit: 'GTK4', app: 'rows.py', whole: 5 })
  })
  await onDesk(report, 'Qt5', async (desk) => {
    desk.rows('qt5', 100)
    await compare(report, desk, { toolkit: 'Qt5', app: 'rows.py', whole: 2 })
  })
  await onDesk(report, 'Chromium', (desk) => chromium(report, desk))
  await onDesk(report, 'LibreOffice', (desk) => calc(report, desk))
  await onDesk(report, 'find', (desk) => find(report, desk))
}

async function chromium(report: Report, desk: Desk): Promise<void> {
  const absent = missing('chromium')
  if (absent !== undefined) return report.note(`whole tree, Chromium: ${absent}`)
  const page = join(desk.sandbox.env['HOME'] ?? '', 'page.html')
  const line = (n: number) =>
    `<tr><td>Invoice ${n}<td><input type=checkbox aria-label="Paid ${n}"><td><input value="${n}"><td><button>Delete ${n}</button>`
  writeFileSync(page, `<!doctype html><title>Rows</title><table>${Array.from({ length: 250 }, (_, n) => line(n)).join('')}</table>`)
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
  ]
  desk.start('chromium', ['--no-sandbox', '--disable-gpu', '--force-renderer-accessibility', ...quiet, `file://${page}`])
  await compare(report, desk, { toolkit: 'Chromium', app: 'chromium', whole: 5, atLeast: 1_500 })
}

async function calc(report: Report, desk: Desk): Promise<void> {
  const absent = missing('soffice')
  if (absent !== undefined) return report.note(`whole tree, LibreOffice: ${absent}`)
  desk.start('soffice', ['--calc', '--norestore', '--nologo', '--nofirststartwizard'])
  await compare(report, desk, { toolkit: 'LibreOffice Calc', app: 'soffice', whole: 3, atLeast: 500 })
}

interface Case {
  toolkit: string
  app: string
  /** The ratios to reach. */
  whole: number
  structure?: number
  /** How many elements it has once it is ready. */
  atLeast?: number
}

async function compare(report: Report, desk: Desk, { toolkit, app, whole, structure, atLeast = 300 }: Case): Promise<void> {
  await desk.appears(app)
  const address = desk.sandbox.env['AT_SPI_BUS_ADDRESS'] ?? ''
  const bus = await Bus.connect(address)
  try {
    const place = await settled(bus, app, atLeast)
    const times = { structure: [] as number[], whole: [] as number[] }
    let nodes = 0
    for (let i = 0; i < 7; i++) {
      const read = await fresh(bus, place)
      times.structure.push(read.structure)
      times.whole.push(read.whole)
      nodes = read.nodes
    }
    const plain = await desk.atspi.ask<Timed<number>>({ do: 'tree', app, what: 'structure', runs: 1 })
    // Of containers that make their cells on demand, both read the visible ones.
    const theirs = await desk.atspi.ask<Timed<number>>({
      do: 'tree',
      app,
      what: 'whole',
      runs: 3,
      cells: Math.max(0, nodes - plain.result),
    })
    if (Math.abs(nodes - theirs.result) > 0.02 * nodes) throw new Error(`${toolkit}: ${nodes} elements, but pyatspi sees ${theirs.result}`)
    const peer = { peer: theirs.ms, peerName: `pyatspi, ${theirs.result} elements` }
    report.add({
      name: `whole tree, ${toolkit}, ${nodes} elements`,
      unit: 'ms',
      ours: median(times.whole),
      ...peer,
      bar: { of: 'ratio', atLeast: whole },
    })
    if (structure === undefined) return
    const theirStructure = await desk.atspi.ask<Timed<number>>({ do: 'tree', app, what: 'structure', runs: 3 })
    report.add({
      name: `structure, ${toolkit}: names, roles, states, order`,
      unit: 'ms',
      ours: median(times.structure),
      peer: theirStructure.ms,
      peerName: 'pyatspi, the same',
    })
    report.add({
      name: `structure, ${toolkit}`,
      unit: 'ms',
      ours: median(times.structure),
      ...peer,
      bar: { of: 'ratio', atLeast: structure },
    })
  } finally {
    bus.close()
  }
}

interface Place {
  name: string
  path: string
  toolkit: string
}

/** Where an application is on the bus, once two readings in a row find the same. */
async function settled(bus: Bus, wanted: string, atLeast: number): Promise<Place> {
  const end = performance.now() + 60_000
  for (let before = 0; performance.now() < end;) {
    const place = await placeOf(bus, wanted)
    const { nodes } = await fresh(bus, place)
    if (nodes >= atLeast && nodes === before) return place
    before = nodes
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`${wanted} does not come to rest`)
}

async function placeOf(bus: Bus, wanted: string): Promise<Place> {
  const [found] = await bus.call(REGISTRY, ROOT_PATH, ACCESSIBLE, 'GetChildren', '', [], 'a(so)')
  for (const [name, path] of found) {
    const called = await bus.get(name, path, ACCESSIBLE, 'Name', 's').catch(() => '')
    if (!called.toLowerCase().includes(wanted)) continue
    return { name, path, toolkit: await bus.get(name, path, APPLICATION, 'ToolkitName', 's').catch(() => '') }
  }
  throw new Error(`there is no ${wanted} on the bus`)
}

/** Everything from nothing, as for an application that was never seen before. */
async function fresh(bus: Bus, { name, path, toolkit }: Place): Promise<{ structure: number; whole: number; nodes: number }> {
  const app = new App(bus, new NodeIndex(), name, path, identify('app', undefined, name, toolkit))
  const structure = await spent(() => seed(app, () => Promise.resolve()))
  const details = await spent(() => loadDetails(app, app.nodes.values(), DETAILS))
  const nodes = app.nodes.size
  app.close()
  return { structure, whole: structure + details, nodes }
}

/** One element among 4,000: in the mirror, through the whole path of a call, and by dogtail. */
async function find(report: Report, desk: Desk): Promise<void> {
  desk.rows('gtk3', 800)
  await desk.appears('rows.py')
  const session = await open({ config: { state: desk.state, desktop: { kind: 'sandbox', sandbox: desk.sandbox.record.id } } })
  try {
    const selector = 'role=button && name="Delete 700"'
    const theirs = await desk.atspi.ask<Timed<string>>({ do: 'find', app: 'rows.py', name: 'Delete 700', role: 'push button', runs: 3 })
    const found = await session.call('ui.query', { selector })
    if (!JSON.stringify(found.data).includes('Delete 700') || theirs.result !== 'Delete 700') throw new Error('it was not found')
    const tree = session.session.see({ id: 'operator', role: 'operator' })
    const size = [...walk(tree.roots)].length
    const inMirror = await time(200, () => match(selector, tree))
    const peer = { peer: theirs.ms, peerName: 'dogtail' }
    report.add({
      name: `find in the mirror, ${size} elements`,
      unit: 'ms',
      ours: inMirror,
      ...peer,
      bar: { of: 'ratio', atLeast: 200 },
    })
    report.add({ name: 'the same', unit: 'ms', ours: inMirror, bar: { of: 'ours', atMost: 1 } })
    report.add({
      name: 'find by ui.query, decided and recorded',
      unit: 'ms',
      ours: await time(50, () => session.call('ui.query', { selector })),
      ...peer,
    })
  } finally {
    await session.close()
  }
}
