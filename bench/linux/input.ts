import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { within, type Driver, type NodeKey } from '@deskhand/core/driver'
import { center, type FlatNode, type Point } from '@deskhand/core/model'
import { XWindows } from '../../packages/driver-linux/src/x11/windows.ts'
import { Display, openLinux } from '../../packages/driver-linux/src/index.ts'
import { median, spent, time, type Report } from '../report.ts'
import { missing, onDesk, run, type Desk } from './desk.ts'

export const TEXT = 'The quick brown fox (a+b)*c jumps; over {it} @ 50% & more. '.repeat(4).slice(0, 200)
export const UNICODE = 'é漢字かなЖЯ→€😀ß '.repeat(17).slice(0, 200)

/** The driver's own hands beside xdotool's: what a click and a text cost until they are there. */
export async function input(report: Report): Promise<void> {
  const absent = missing('xdotool')
  if (absent !== undefined) return report.note(`input: ${absent}`)
  await onDesk(report, 'clicking', async (desk) => {
    desk.start('gtk3-widget-factory')
    await desk.appears('widget-factory')
    await withDriver(desk, (driver) => clicks(report, desk, driver))
  })
  await onDesk(report, 'typing', async (desk) => {
    const file = join(desk.sandbox.env['HOME'] ?? '', 'text.txt')
    writeFileSync(file, '')
    desk.start('mousepad', [file])
    await desk.appears('mousepad')
    await withDriver(desk, (driver) => types(report, desk, driver, file))
  })
  await onDesk(report, 'windows', (desk) => windows(report, desk))
}

export async function withDriver(desk: Desk, work: (driver: Driver) => Promise<void>): Promise<void> {
  const driver = await openLinux(desk.sandbox.env)
  try {
    await work(driver)
  } finally {
    await driver.close()
  }
}

/** Guarded, from the call until the X server has delivered it; pyatspi says whether it landed. */
async function clicks(report: Report, desk: Desk, driver: Driver): Promise<void> {
  const { nodes } = await driver.observe.read({}, within(10_000))
  const { key, at } = spot(nodes, (n) => n.role === 'togglebutton' && n.name === 'togglebutton' && n.states?.enabled === true)
  const isChecked = async (): Promise<boolean> =>
    (await desk.atspi.ask<{ checked: boolean }>({ do: 'look', app: 'widget-factory', role: 'toggle button', name: 'togglebutton' })).checked
  const lands = async (click: () => Promise<unknown>): Promise<number> => {
    const before = await isChecked()
    const ms = await spent(click)
    for (let i = 0; (await isChecked()) === before; i++, await sleep(20)) if (i > 50) throw new Error('a click did not land')
    return ms
  }
  const lease = await driver.act.take(60_000, within(1_000))
  const [guarded, plain, theirs]: [number[], number[], number[]] = [[], [], []]
  for (let i = 0; i < 20; i++) {
    guarded.push(await lands(() => click(driver, lease, at, key)))
    plain.push(await lands(() => click(driver, lease, at)))
    theirs.push(await lands(() => run('xdotool', ['mousemove', String(at.x), String(at.y), 'click', '1'], desk.sandbox.env)))
  }
  await driver.act.drop(lease)
  const peer = { peer: median(theirs), peerName: 'xdotool, spawned' }
  report.add({ name: 'click a pixel, delivered', unit: 'ms', ours: median(plain), ...peer, bar: { of: 'ratio', atLeast: 8 } })
  report.add({ name: 'click an element that is sure to be there', unit: 'ms', ours: median(guarded), ...peer })
}

export async function click(driver: Driver, lease: string, at: Point, key?: NodeKey): Promise<void> {
  const events = [
    { type: 'move' as const, ...at },
    { type: 'down' as const, button: 'left' as const },
    { type: 'up' as const, button: 'left' as const },
  ]
  const { sent } = await driver.act.step(lease, { do: 'pointer', events }, key === undefined ? {} : { hit: { at, key } }, within(10_000))
  if (sent !== 'all') throw new Error('the click was not sent')
}

/** What types into mousepad, and how it is measured: until the application has it; right is what it saves. */
interface Typist {
  lease: string
  measure(wanted: string, runs: number, type: () => Promise<unknown>): Promise<{ ms: number; right: number }>
  step(words: string): () => Promise<unknown>
}

export async function typist(desk: Desk, driver: Driver, file: string): Promise<Typist> {
  const { nodes } = await driver.observe.read({}, within(10_000))
  const { at } = spot(nodes, (n) => n.role === 'textbox' && n.states?.visible === true && n.states.multiline === true)
  const lease = await driver.act.take(600_000, within(1_000))
  await click(driver, lease, at)
  const chord = async (...keys: string[]): Promise<void> => {
    const events = [
      ...keys.map((key) => ({ type: 'down' as const, key })),
      ...keys.toReversed().map((key) => ({ type: 'up' as const, key })),
    ]
    await driver.act.step(lease, { do: 'keys', events }, {}, within(10_000))
  }
  const text = async (): Promise<string> => (await desk.atspi.ask<{ text: string }>({ do: 'look', app: 'mousepad', role: 'text' })).text
  const right = async (wanted: string): Promise<boolean> => {
    for (let i = 0; i < 20 && (await text()) !== wanted; i++) await sleep(50)
    await chord('Control', 's')
    for (let i = 0; i < 40 && readFileSync(file, 'utf8').trimEnd() !== wanted.trimEnd(); i++) await sleep(50)
    return readFileSync(file, 'utf8').trimEnd() === wanted.trimEnd()
  }
  const measure: Typist['measure'] = async (wanted, runs, type) => {
    const times: number[] = []
    let good = 0
    for (let i = 0; i < runs; i++) {
      await chord('Control', 'a')
      await chord('Delete')
      times.push(await spent(type))
      if (await right(wanted)) good++
    }
    return { ms: median(times), right: good }
  }
  return { lease, measure, step: (words) => () => driver.act.step(lease, { do: 'text', text: words }, {}, within(60_000)) }
}

async function types(report: Report, desk: Desk, driver: Driver, file: string): Promise<void> {
  const { lease, measure, step } = await typist(desk, driver, file)
  const xdotool = (words: string) => () => run('xdotool', ['type', '--', words], desk.sandbox.env)
  const ascii = await measure(TEXT, 5, step(TEXT))
  const unicode = await measure(UNICODE, 5, step(UNICODE))
  const theirs = await measure(TEXT, 2, xdotool(TEXT))
  const theirUnicode = await measure(UNICODE, 2, xdotool(UNICODE))
  await driver.act.drop(lease)
  if (ascii.right < 5) throw new Error(`our ASCII was right ${ascii.right} of 5 times`)
  const peerName = `xdotool, right ${theirs.right} of 2`
  report.add({
    name: '200 ASCII characters by keys',
    unit: 'ms',
    ours: ascii.ms,
    peer: theirs.ms,
    peerName,
    bar: { of: 'ratio', atLeast: 3 },
  })
  const uPeer = { peer: theirUnicode.ms, peerName: `xdotool, right ${theirUnicode.right} of 2` }
  report.add({ name: '200 Unicode characters by keys', unit: 'ms', ours: unicode.ms, ...uPeer, bar: { of: 'ratio', atLeast: 3 } })
  report.add({ name: '200 Unicode characters by keys, right of 5', unit: 'times', ours: unicode.right, bar: { of: 'ours', atLeast: 5 } })
}

export function spot(nodes: readonly FlatNode[], wanted: (n: FlatNode) => boolean): { key: NodeKey; at: Point } {
  const node = nodes.find(wanted)
  if (node?.bounds === undefined) throw new Error('there is nothing to operate')
  const { x, y } = center(node.bounds)
  return { key: node.key, at: { x: Math.floor(x), y: Math.floor(y) } }
}

/** Seventeen windows with title, pid and place. */
async function windows(report: Report, desk: Desk): Promise<void> {
  desk.rows('windows', 17, 'Window')
  await desk.appears('rows.py')
  const display = await Display.open(desk.sandbox.env)
  try {
    const list = await XWindows.open(display)
    for (let i = 0; (await list.list()).length < 17; i++, await sleep(100)) if (i > 100) throw new Error('the windows did not open')
    const ours = await time(30, () => list.list())
    const script =
      'for w in $(xdotool search --onlyvisible --name "^Window "); do xdotool getwindowname $w; xdotool getwindowpid $w; xdotool getwindowgeometry $w; done'
    const theirs = await time(3, () => run('sh', ['-c', script], desk.sandbox.env), 0)
    report.add({
      name: '17 windows: title, pid, place',
      unit: 'ms',
      ours,
      peer: theirs,
      peerName: 'an xdotool loop',
      bar: { of: 'ratio', atLeast: 100 },
    })
  } finally {
    display.close()
  }
}
