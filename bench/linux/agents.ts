import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokens } from '../../packages/core/src/session/outline.ts'
import { npmPeers } from '../peers/install.ts'
import { Lines } from '../peers/lines.ts'
import { median, spent, type Report } from '../report.ts'
import { onDesk, type Desk } from './desk.ts'
import { Ours, peerClient } from './mcp.ts'

const UNICODE = 'äöü é漢字かなЖЯ→€😀 '.repeat(15).slice(0, 200)
const ASCII = 'The quick brown fox (a+b)*c jumps; over {it} @ 50% & more. '.repeat(4).slice(0, 200)

/** What a model has of it: our tools through MCP, beside the tools of cua-driver and computer-use-mcp, on mousepad and gtk3-widget-factory. */
export async function agents(report: Report): Promise<void> {
  const peers = await Promise.resolve()
    .then(npmPeers)
    .catch((error: unknown) => report.note(`the peers from npm: ${String(error)}`))
  await onDesk(report, 'agents', async (desk) => {
    const file = join(desk.sandbox.env['HOME'] ?? '', 'text.txt')
    writeFileSync(file, '')
    desk.start('mousepad', [file])
    desk.start('gtk3-widget-factory')
    await desk.appears('mousepad')
    await desk.appears('widget-factory')
    const ours = await Ours.open(desk)
    const cua = peers === undefined ? undefined : await Cua.open(report, peers, desk)
    try {
      await looks(report, ours, cua)
      await clicks(report, desk, ours, cua)
      await types(report, desk, file, ours, cua)
      await limits(report, ours)
      if (peers !== undefined) await computerUse(report, peers, desk, ours)
    } finally {
      await cua?.close()
      await ours.close()
    }
  })
}

async function looks(report: Report, ours: Ours, cua: Cua | undefined): Promise<void> {
  await ours.use('ui.window', { op: 'activate', target: 'role=window && app~="mousepad"' })
  const look = { root: 'role=window && app~="mousepad"' }
  const { text } = await ours.use('ui.snapshot', look)
  const { text: all } = await ours.use('ui.snapshot', { ...look, all: true, budget: 100_000 })
  const mousepad = await cua?.window('Mousepad')
  const tree = mousepad && (await cua?.repeat(7, 'get_window_state', { ...mousepad, include_screenshot: false }))
  const found = mousepad && (await cua?.repeat(7, 'get_window_state', { ...mousepad, include_screenshot: false, query: 'Save As' }))
  const peerName = 'cua'
  const times: number[] = []
  for (let i = 0; i < 25; i++) times.push(await spent(() => ours.use('ui.snapshot', look)))
  report.add({
    name: 'mousepad: tree with its outline, by MCP',
    unit: 'ms',
    ours: median(times),
    peer: tree?.ms,
    peerName,
    bar: { of: 'ratio', atLeast: 5 },
  })
  const markdown = tree && tokens(tree.text)
  report.add({
    name: 'mousepad: outline',
    unit: 'tokens',
    ours: tokens(text),
    peer: markdown,
    peerName,
    bar: { of: 'ratio', atLeast: 1 / 0.7 },
  })
  report.add({
    name: 'mousepad: outline with everything in it',
    unit: 'tokens',
    ours: tokens(all),
    peer: markdown,
    peerName,
    bar: { of: 'ratio', atLeast: 1 / 0.7 },
  })
  const query = { selector: 'name~="Save As" && app~="mousepad"' }
  if (!(await ours.use('ui.query', query)).text.includes('Save As')) throw new Error('Save As was not found')
  const finds: number[] = []
  for (let i = 0; i < 50; i++) finds.push(await spent(() => ours.use('ui.query', query)))
  report.add({
    name: 'mousepad: find, by MCP',
    unit: 'ms',
    ours: median(finds),
    peer: found?.ms,
    peerName,
    bar: { of: 'ratio', atLeast: 50 },
  })
  const { tools } = await ours.client.listTools()
  const theirs = cua && tokens((await cua.ask('tools/list', {})).text)
  report.add({
    name: `the list of our ${tools.length} tools`,
    unit: 'tokens',
    ours: tokens(JSON.stringify(tools)),
    peer: theirs,
    peerName,
    bar: { of: 'ours', atMost: 6_000 },
  })
}

/** A checkbox of gtk3-widget-factory, which never stands still; pyatspi says whether each click landed. */
async function clicks(report: Report, desk: Desk, ours: Ours, cua: Cua | undefined): Promise<void> {
  const isChecked = async (): Promise<boolean> =>
    (await desk.atspi.ask<{ checked: boolean }>({ do: 'look', app: 'widget-factory', role: 'toggle button', name: 'togglebutton' })).checked
  await ours.use('ui.window', { op: 'activate', target: 'role=window && app~="widget-factory"' })
  const [target] =
    /e\d+/.exec((await ours.use('ui.query', { selector: 'role=togglebutton && name="togglebutton" && enabled=true >> nth=0' })).text) ?? []
  const times: number[] = []
  for (let i = 0; i < 15; i++) {
    const before = await isChecked()
    times.push(
      await spent(async () => {
        const { effect } = await ours.use('ui.click', { target })
        if (effect !== 'confirmed') throw new Error(`the click was ${String(effect)}`)
      }),
    )
    if ((await isChecked()) === before) throw new Error('our click did not land')
  }
  const theirs: number[] = []
  const window = await cua?.window('Gtk3-widget-factory')
  for (let i = 0; window !== undefined && cua !== undefined && i < 5; i++) {
    const { data } = await cua.ask('get_window_state', { ...window, include_screenshot: false })
    const token = data.elements?.find((e) => e.label === 'togglebutton' && e.enabled === true)?.element_token
    const before = await isChecked()
    const { ms } = await cua.ask('click', { pid: window.pid, window_id: window.window_id, element_token: token })
    if ((await isChecked()) === before) report.note('a click of cua did not land')
    theirs.push(ms)
  }
  const peer = theirs.length === 0 ? undefined : median(theirs)
  report.add({
    name: 'click an element, effect confirmed, by MCP',
    unit: 'ms',
    ours: median(times),
    peer,
    peerName: 'cua',
    bar: { of: 'ratio', atLeast: 10 },
  })
}

/** Right is what mousepad saves. */
async function types(report: Report, desk: Desk, file: string, ours: Ours, cua: Cua | undefined): Promise<void> {
  await ours.use('ui.window', { op: 'activate', target: 'role=window && app~="mousepad"' })
  const area = 'role=textbox && visible=true && app~="mousepad"'
  const saved = async (): Promise<string> => {
    await ours.use('ui.key', { keys: 'ctrl+s' })
    for (let i = 0, last = ''; i < 40; i++, await sleep(50)) {
      const now = readFileSync(file, 'utf8')
      if (now !== '' && now === last) return now.replace(/\n$/, '')
      last = now
    }
    return ''
  }
  const clear = async (): Promise<void> => {
    await ours.use('ui.key', { keys: ['ctrl+a', 'Delete'] })
    writeFileSync(file, '')
  }
  const times: number[] = []
  let right = 0
  for (let i = 0; i < 10; i++) {
    await clear()
    times.push(await spent(() => ours.use('ui.type', { text: UNICODE, target: area })))
    if ((await saved()) === UNICODE) right++
  }
  let theirs: number | undefined
  const theirTimes: number[] = []
  const window = await cua?.window('Mousepad')
  for (let i = 0; window !== undefined && cua !== undefined && i < 5; i++) {
    await clear()
    const { data } = await cua.ask('get_window_state', { ...window, include_screenshot: false })
    const token = data.elements?.find((e) => e.role === 'text')?.element_token
    const { ms } = await cua.ask('type_text', { pid: window.pid, window_id: window.window_id, element_token: token, text: UNICODE })
    theirTimes.push(ms)
    theirs = (theirs ?? 0) + ((await saved()) === UNICODE ? 2 : 0)
  }
  await clear()
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
async function limits(report: Report, ours: Ours): Promise<void> {
  const one = async (name: string, most: number, tool: string, args: Record<string, unknown>): Promise<void> => {
    const times: number[] = []
    for (let i = 0; i < 15; i++) times.push(await spent(() => ours.use(tool, args)))
    report.add({ name: `${name}, by MCP`, unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: most } })
  }
  await one('a screenshot, 1920x1080', 100, 'gui_screenshot', {})
  await one('input: a key', 50, 'ui.key', { keys: 'Right' })
  await one('a query of the tree', 500, 'ui.query', { selector: 'role=button' })
  await one('the whole desktop as an outline', 500, 'ui.snapshot', { scope: 'desktop', all: true })
}

async function computerUse(report: Report, dir: string, desk: Desk, ours: Ours): Promise<void> {
  const client = await peerClient(dir, desk).catch((error: unknown) => report.note(`computer-use-mcp: ${String(error)}`))
  if (client === undefined) return
  try {
    const use = (args: Record<string, unknown>) =>
      spent(async () => {
        const { isError, content } = await client.callTool({ name: 'computer', arguments: args })
        if (isError === true) throw new Error(`computer-use-mcp: ${JSON.stringify(content).slice(0, 200)}`)
      })
    const peerName = 'computer-use-mcp'
    const repeat = async (runs: number, work: () => Promise<number>): Promise<number> => {
      const times: number[] = []
      for (let i = 0; i < runs; i++) times.push(await work())
      return median(times)
    }
    const shot = await repeat(3, () => use({ action: 'get_screenshot' }))
    report.add({
      name: 'a screenshot, by MCP',
      unit: 'ms',
      ours: await repeat(9, () => spent(() => ours.use('gui_screenshot'))),
      peer: shot,
      peerName,
    })
    const spot = await desk.atspi.ask<{ x: number; y: number }>({ do: 'look', app: 'mousepad', role: 'text' })
    const click = await repeat(5, () => use({ action: 'left_click', coordinate: [Math.round(spot.x * 0.7), Math.round(spot.y * 0.7)] }))
    const target = 'role=textbox && visible=true && app~="mousepad"'
    report.add({
      name: 'a click, by MCP',
      unit: 'ms',
      ours: await repeat(9, () => spent(() => ours.use('ui.click', { target }))),
      peer: click,
      peerName,
    })
    const typed = await repeat(2, () => use({ action: 'type', text: ASCII }))
    report.add({
      name: '200 ASCII characters, by MCP',
      unit: 'ms',
      ours: await repeat(5, () => spent(() => ours.use('ui.type', { text: ASCII, target }))),
      peer: typed,
      peerName,
    })
  } finally {
    await client.close()
  }
}

interface CuaAnswer {
  ms: number
  text: string
  data: { windows?: CuaWindow[]; elements?: { element_token: string; label?: string; role: string; enabled?: boolean }[] }
}

interface CuaWindow {
  pid: number
  window_id: number
  app_name: string
}

/** The same tools that its MCP server has, called in its own process: no pipe in its times. */
class Cua {
  readonly #lines: Lines

  static async open(report: Report, dir: string, desk: Desk): Promise<Cua | undefined> {
    const host = new URL('../peers/cua-host.mjs', import.meta.url)
    const entry = join(dir, 'node_modules', '@trycua', 'cua-driver', 'dist', 'index.js')
    const lines = new Lines(process.execPath, [host.pathname, entry], { ...desk.sandbox.env, CUA_TELEMETRY_ENABLED: 'false' })
    const cua = new Cua(lines)
    try {
      await cua.ask('list_windows', {})
      return cua
    } catch (error) {
      report.note(`cua-driver does not run here: ${String(error)}`)
      await lines.close()
      return undefined
    }
  }

  private constructor(lines: Lines) {
    this.#lines = lines
  }

  ask(name: string, args: object): Promise<CuaAnswer> {
    return this.#lines.ask<CuaAnswer>({ name, args })
  }

  async repeat(runs: number, name: string, args: object): Promise<{ ms: number; text: string }> {
    const answers: CuaAnswer[] = []
    for (let i = 0; i < runs; i++) answers.push(await this.ask(name, args))
    return { ms: median(answers.map((a) => a.ms)), text: answers.at(-1)?.text ?? '' }
  }

  async window(app: string): Promise<{ pid: number; window_id: number }> {
    const { data } = await this.ask('list_windows', {})
    const found = data.windows?.find((w) => w.app_name === app)
    if (found === undefined) throw new Error(`cua sees no window of ${app}`)
    return { pid: found.pid, window_id: found.window_id }
  }

  close(): Promise<void> {
    return this.#lines.close()
  }
}
