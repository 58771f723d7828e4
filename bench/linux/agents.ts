import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { npmPeers, tokenizer } from '../peers/install.ts'
import { Cua } from '../peers/cua.ts'
import { median, spent, time, type Report } from '../report.ts'
import { onDesk, type Desk } from './desk.ts'
import { computerUse } from './computer-use.ts'
import { jobs } from './jobs.ts'
import { Ours } from './mcp.ts'

/** The jobs of agents alone, with which `agents` ends. */
export async function jobsAlone(report: Report): Promise<void> {
  await jobs(report, await peersOf(report))
}

const peersOf = (report: Report): Promise<string | undefined> =>
  Promise.resolve()
    .then(npmPeers)
    .catch((error: unknown) => {
      report.note(`the peers from npm: ${String(error)}`)
      return undefined
    })

const UNICODE = 'äöü é漢字かなЖЯ→€😀 '.repeat(15).slice(0, 200)

/** What a model has of it: our tools through MCP, beside the tools of cua-driver and computer-use-mcp, on mousepad and gtk3-widget-factory. */
export async function agents(report: Report): Promise<void> {
  const peers = await peersOf(report)
  const part = (name: string, work: (at: Place) => Promise<void>): Promise<void> =>
    onDesk(report, name, async (desk) => {
      const file = join(desk.sandbox.env['HOME'] ?? '', 'text.txt')
      writeFileSync(file, '')
      desk.start('mousepad', [file])
      desk.start('gtk3-widget-factory')
      await desk.appears('mousepad')
      await desk.appears('widget-factory')
      const ours = await Ours.open(desk)
      try {
        await work({ report, desk, file, ours, peers })
      } finally {
        await ours.close()
      }
    })
  await part('looking and clicking', async (at) => {
    const [look, click] = [await looks(at), await clicks(at)]
    await limits(at)
    // Only now: it lays a window of its own over all the others.
    const cua = peers === undefined ? undefined : await Cua.open(report, peers, at.desk.sandbox.env)
    try {
      await look(cua)
      await click(cua)
    } finally {
      await cua?.close()
    }
  })
  // Keyboards that peers have remapped slow everything down for a while: each types on a desktop of its own.
  await part('typing', types)
  await part('computer-use-mcp', computerUse)
  await jobs(report, peers)
}

export interface Place {
  report: Report
  desk: Desk
  /** What mousepad has open. */
  file: string
  ours: Ours
  /** Where the peers from npm are. */
  peers: string | undefined
}

export const MOUSEPAD = 'role=window && app~="mousepad"'
export const AREA = 'role=textbox && visible=true && app~="mousepad"'

/** What we did, to be told beside what a peer does then. */
type Beside = (cua: Cua | undefined) => Promise<void>

async function looks({ report, ours, peers }: Place): Promise<Beside> {
  await ours.use('ui.window', { op: 'activate', target: MOUSEPAD })
  const look = { root: MOUSEPAD }
  const { text } = await ours.use('ui.snapshot', look)
  const query = { selector: 'name~="Save As" && app~="mousepad"' }
  if (!text.includes('textbox') || !(await ours.use('ui.query', query)).text.includes('Save As')) throw new Error('we do not see mousepad')
  const trees = await time(25, () => ours.use('ui.snapshot', look))
  const finds = await time(50, () => ours.use('ui.query', query))
  const { tools } = await ours.client.listTools()
  const tokens = await tokenizer(peers)
  return async (cua) => {
    const mousepad = cua && { ...(await cua.window('Mousepad')), include_screenshot: false }
    const tree = mousepad && (await cua.repeat(7, 'get_window_state', mousepad))
    const found = mousepad && (await cua.repeat(7, 'get_window_state', { ...mousepad, query: 'Save As' }))
    const list = await cua?.ask('tools/list', {})
    const beside = (peer: number | undefined, atLeast: number) => ({ peer, peerName: 'cua', bar: { of: 'ratio', atLeast } as const })
    report.add({ name: 'mousepad: tree with its outline, by MCP', unit: 'ms', ours: trees, ...beside(tree?.ms, 5) })
    report.add({ name: 'mousepad: outline', unit: 'tokens', ours: tokens(text), ...beside(tree && tokens(tree.text), 1.43) })
    report.add({ name: 'mousepad: find, by MCP', unit: 'ms', ours: finds, ...beside(found?.ms, 50) })
    const ourList = { name: `the list of our ${tools.length} tools`, unit: 'tokens', ours: tokens(JSON.stringify(tools)) }
    report.add({ ...ourList, peer: list && tokens(list.text), peerName: 'cua', bar: { of: 'ours', atMost: 6_000 } })
  }
}

/** A button of gtk3-widget-factory, which never stands still; pyatspi says whether each click landed. */
async function clicks({ report, desk, ours }: Place): Promise<Beside> {
  const isPressed = async (): Promise<boolean> =>
    (await desk.atspi.ask<{ checked: boolean }>({ do: 'look', app: 'widget-factory', role: 'toggle button', name: 'togglebutton' })).checked
  const lands = async (whose: string, click: () => Promise<number>): Promise<number> => {
    const before = await isPressed()
    const ms = await click()
    if ((await isPressed()) === before) report.note(`a click of ${whose} did not land`)
    return ms
  }
  await ours.use('ui.window', { op: 'activate', target: 'role=window && app~="widget-factory"' })
  const selector = 'role=togglebutton && name="togglebutton" && enabled=true >> nth=0'
  const [target] = /e\d+/.exec((await ours.use('ui.query', { selector })).text) ?? []
  const click = async (): Promise<void> => {
    const { effect } = await ours.use('ui.click', { target })
    if (effect !== 'confirmed') throw new Error(`the click was ${String(effect)}`)
  }
  const times: number[] = []
  for (let i = 0; i < 25; i++) times.push(await lands('ours', () => spent(click)))
  return async (cua) => {
    const theirs: number[] = []
    for (let i = 0; cua !== undefined && i < 7; i++) {
      const window = await cua.window('Gtk3-widget-factory')
      const { data } = await cua.ask('get_window_state', { ...window, include_screenshot: false })
      const token = data.elements?.find((e) => e.label === 'togglebutton' && e.enabled === true)?.element_token
      theirs.push(await lands('cua', async () => (await cua.ask('click', { ...window, element_token: token })).ms))
    }
    const peer = theirs.length === 0 ? undefined : median(theirs)
    const name = 'click an element, effect confirmed, by MCP'
    report.add({ name, unit: 'ms', ours: median(times), peer, peerName: 'cua', bar: { of: 'ratio', atLeast: 10 } })
  }
}

/** Right is what mousepad saves. */
async function types({ report, desk, file, ours, peers }: Place): Promise<void> {
  await ours.use('ui.window', { op: 'activate', target: MOUSEPAD })
  const clear = () => ours.use('ui.key', { keys: ['ctrl+a', 'Delete'] })
  const isSaved = async (): Promise<boolean> => {
    await ours.use('ui.key', { keys: 'ctrl+s' })
    const right = () => readFileSync(file, 'utf8').replace(/\n$/, '') === UNICODE
    for (let i = 0; i < 40 && !right(); i++) await sleep(50)
    return right()
  }
  const forget = async (): Promise<void> => {
    await clear()
    await ours.use('ui.type', { text: '.', target: AREA })
    await ours.use('ui.key', { keys: 'ctrl+s' })
    for (let i = 0; i < 40 && readFileSync(file, 'utf8').trim() !== '.'; i++) await sleep(50)
    await clear()
  }
  const times: number[] = []
  let right = 0
  for (let i = 0; i < 10; i++) {
    await forget()
    times.push(await spent(() => ours.use('ui.type', { text: UNICODE, target: AREA })))
    if (await isSaved()) right++
  }
  let theirs: number | undefined
  const theirTimes: number[] = []
  const cua = peers === undefined ? undefined : await Cua.open(report, peers, desk.sandbox.env)
  try {
    for (let i = 0; cua !== undefined && i < 3; i++) {
      await forget()
      const window = await cua.window('Mousepad')
      const { data } = await cua.ask('get_window_state', { ...window, include_screenshot: false })
      const token = data.elements?.find((e) => e.role === 'text')?.element_token
      const { ms } = await cua.ask('type_text', { ...window, element_token: token, text: UNICODE })
      theirTimes.push(ms)
      theirs = (theirs ?? 0) + ((await isSaved()) ? 10 / 3 : 0)
    }
  } finally {
    await cua?.close()
  }
  report.add({
    name: '200 Unicode characters, right of 10',
    unit: 'times',
    ours: right,
    peer: theirs,
    peerName: 'cua',
    better: 'higher',
    bar: { of: 'ours', atLeast: 10 },
  })
  const peer = theirTimes.length === 0 ? undefined : median(theirTimes)
  report.add({ name: '200 Unicode characters, by MCP', unit: 'ms', ours: median(times), peer, peerName: 'cua, right or wrong' })
}

/** What the specification asks of one call. */
async function limits({ report, ours }: Place): Promise<void> {
  await ours.use('ui.window', { op: 'activate', target: MOUSEPAD })
  await ours.use('ui.focus', { target: AREA })
  const one = async (name: string, most: number, tool: string, args: Record<string, unknown>): Promise<void> => {
    const times: number[] = []
    for (let i = 0; i < 15; i++) times.push(await spent(() => ours.use(tool, args)))
    report.add({ name: `${name}, by MCP`, unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: most } })
  }
  await one('a screenshot, 1920x1080', 100, 'gui_screenshot', {})
  await one('input: a key', 50, 'ui.key', { keys: 'x' })
  await one('a query of the tree', 500, 'ui.query', { selector: 'role=button' })
  await one('the whole desktop as an outline', 500, 'ui.snapshot', { scope: 'desktop', all: true })
}
