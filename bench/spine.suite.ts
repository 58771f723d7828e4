import { spawn, spawnSync } from 'node:child_process'
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parse } from '@deskhand/core/selector'
import { open, type Opened } from 'deskhand'
import { rate, time, type Report } from './report.ts'
import { starts } from './starts.ts'

const BIN = fileURLToPath(new URL('../packages/deskhand/dist/cli/main.js', import.meta.url))

/** Calls after which the engine has compiled what it will. */
const WARM_CALLS = 15_000

/** The path of a call: what it costs through each face, with and without the disk, and on a real application beside the peers. */
export default async function spine(report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  try {
    await selectors(report)
    await performs(report)
    await large(report, dir)
    await durable(report, dir)
    await starts(report, dir)
    await mcp(report, dir)
    await mousepad(report, dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function selectors(report: Report): Promise<void> {
  const samples = [
    'any:role=Button && name="Submit"',
    'window="Print" >> role=textbox && name~="copies"',
    'any:text="Invoice Total" >> right-of >> any:role=Edit',
  ]
  const rounds = 300
  const ms = await time(50, () => {
    for (let i = 0; i < rounds; i++) for (const s of samples) parse(s)
  })
  report.add({ name: 'parse a selector', unit: 'µs', ours: (ms * 1000) / (rounds * samples.length), bar: { of: 'ours', atMost: 20 } })
}

/** The engine compiles for the first ten thousand calls or so: the rate of a new process and that of one at work are told apart. */
async function performs(report: Report): Promise<void> {
  const desk = await open()
  const click = () => confirmed(desk, 'ui.click', { target: 'name="Already paid"' })
  report.add({ name: 'perform a click, virtual, no durability, first 3 s', unit: '/s', ours: await rate(3_000, click) })
  for (let i = 0; i < WARM_CALLS; i++) await click()
  report.add({
    name: 'perform a click, virtual, no durability, warm',
    unit: '/s',
    ours: await rate(3_000, click),
    bar: { of: 'ours', atLeast: 5_000 },
  })
  report.add({
    name: 'the same with what changed in the answer',
    unit: '/s',
    ours: await rate(3_000, () => confirmed(desk, 'ui.click', { target: 'name="Already paid"' }, true)),
  })
  report.add({
    name: 'perform a query, virtual',
    unit: '/s',
    ours: await rate(2_000, () => desk.call('ui.query', { selector: 'role=textbox && name="Amount"' })),
  })
  await desk.close()
}

const ROWS = 25_000

/** A simulated window of 100,000 elements: until all of it is known, and questions then. */
async function large(report: Report, dir: string): Promise<void> {
  const ui = join(dir, 'large.ui.json')
  const element = (element_type: string, element_id: string, label_text: string) => ({ element_type, element_id, label_text })
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    ...element('row', `row ${n}`, ''),
    children: [
      element('cell', `invoice ${n}`, `Invoice ${n}`),
      element('cell', `amount ${n}`, `Amount ${n}`),
      element('button', `pay ${n}`, `Pay ${n}`),
    ],
  }))
  const table = { ...element('table', 'table', 'Invoices'), children: rows }
  writeFileSync(ui, JSON.stringify([{ ...element('window', 'window', 'Ledger'), bounds_relative: [0, 0, 1, 1], children: [table] }]))
  const started = performance.now()
  const desk = await open({ config: { desktop: { ui } } })
  const ask = (selector: string) => desk.call('ui.query', { selector, limit: 5 })
  await ask(`role=cell && name="Amount ${ROWS - 1}"`)
  const whole = performance.now() - started
  report.add({ name: '100,000 simulated elements: whole', unit: 'ms', ours: whole, bar: { of: 'ours', atMost: 2_000 } })
  for (const selector of ['role=cell && name="Amount 777"', 'role=button && name*="24997"', 'role=row >> role=cell && name="Invoice 3"'])
    report.add({
      name: `100,000 simulated elements: ${selector}`,
      unit: 'ms',
      ours: await time(15, () => ask(selector)),
      bar: { of: 'ours', atMost: 20 },
    })
  await desk.close()
}

/** A lone action pays two syncs of this disk; overlapping ones share them. */
async function durable(report: Report, dir: string): Promise<void> {
  const file = openSync(join(dir, 'sync'), 'w')
  const sync = await time(200, () => {
    writeSync(file, Buffer.alloc(512))
    fdatasyncSync(file)
  })
  closeSync(file)
  report.add({ name: "the disk's own fdatasync", unit: 'ms', ours: sync })
  const desk = await open({ config: { state: join(dir, 'state'), journal: { durability: 'real' } }, keep: true })
  const click = () => confirmed(desk, 'ui.click', { target: 'name="Already paid"' })
  const ms = await time(300, click)
  report.add({ name: 'perform a click, virtual, durable', unit: 'ms', ours: ms, peer: 2 * sync, peerName: 'two syncs' })
  await desk.close()
}

async function mcp(report: Report, dir: string): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, DESKHAND_STATE: join(dir, 'mcp') }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, cwd: dir }))
  report.add({
    name: 'a call through MCP stdio',
    unit: 'ms',
    ours: await time(300, () => client.callTool({ name: 'ui.query', arguments: { selector: 'name="Amount"' } })),
  })
  await client.close()
}

/** mousepad in a sandbox: a whole look and a click, beside a pyatspi walk and a spawned xdotool. */
async function mousepad(report: Report, dir: string): Promise<void> {
  const desk = await open({ config: { state: join(dir, 'sandbox'), desktop: { kind: 'sandbox' }, human: { mode: 'off' } } })
  try {
    const launched = await desk.call('desktop.launch', { app: 'mousepad' })
    if (launched.status !== 'success') throw new Error(JSON.stringify(launched.error))
    const env = desk.env ?? {}
    const look = await time(30, () => desk.call('ui.snapshot', { scope: 'desktop', all: true }))
    report.add({
      name: 'snapshot of mousepad with its outline',
      unit: 'ms',
      ours: look,
      peer: pyatspi(env),
      peerName: 'pyatspi walk',
      bar: { of: 'ratio', atLeast: 5 },
    })
    const target = 'role=textbox && visible=true'
    const click = await time(30, () => confirmed(desk, 'ui.click', { target }))
    report.add({
      name: 'click in mousepad, effect confirmed',
      unit: 'ms',
      ours: click,
      peer: await xdotool(env),
      peerName: 'xdotool, blind',
      bar: { of: 'ratio', atLeast: 1 },
    })
    const told = await time(30, () => confirmed(desk, 'ui.click', { target }, true))
    report.add({
      name: 'until mousepad is quiet and what changed is told, beside that',
      unit: 'ms',
      ours: told - click,
      bar: { of: 'ours', atMost: 150 },
    })
  } finally {
    await desk.close()
  }
}

/** An action up to its verified effect; `changes` also waits for quiet and tells what changed. */
async function confirmed(desk: Opened, tool: string, args: unknown, changes = false): Promise<void> {
  const result = await desk.call(tool, args, { changes })
  if (result.effect !== 'confirmed') throw new Error(`${tool} was ${result.effect}: ${result.error?.message ?? ''}`)
}

const WALK = `
import pyatspi, time
def walk(a):
    n = 1
    a.name, a.getRoleName(), a.getState().getStates(), a.description
    try: a.queryComponent().getExtents(0)
    except NotImplementedError: pass
    try:
        t = a.queryText(); t.getText(0, -1)
    except NotImplementedError: pass
    for i in range(a.childCount):
        c = a.getChildAtIndex(i)
        if c: n += walk(c)
    return n
d = pyatspi.Registry.getDesktop(0)
times = []
for _ in range(5):
    s = time.perf_counter(); walk(d); times.append((time.perf_counter() - s) * 1000)
print(sorted(times)[2])
`

function pyatspi(env: NodeJS.ProcessEnv): number {
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', WALK], { env, encoding: 'utf8' })
  const ms = Number(stdout.trim())
  if (!(ms > 0)) throw new Error(`pyatspi did not walk: ${stderr}`)
  return ms
}

function xdotool(env: NodeJS.ProcessEnv): Promise<number> {
  return time(
    20,
    () => new Promise((done) => spawn('xdotool', ['mousemove', '300', '300', 'click', '1'], { env, stdio: 'ignore' }).once('exit', done)),
  )
}
