import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cua, type CuaElement } from '../peers/cua.ts'
import { tokenizer } from '../peers/install.ts'
import type { Report } from '../report.ts'
import { onDesk, type Desk } from './desk.ts'
import { BIN, Ours } from './mcp.ts'

const PYTHON = '/usr/bin/python3'
const fixture = (name: string): string => fileURLToPath(new URL(`../../tests/fixtures/${name}`, import.meta.url))
const CUSTOMER = 'Customer 4321'

type Args = Record<string, unknown>

/** Something that an agent is asked to do, as scripted clients do it: the same for MCP and the shell, and as a peer's own tools allow. */
interface Job {
  name: string
  app: string
  start(desk: Desk, log: string): void
  /** Calls of ours, a look first as an agent would. */
  ours: readonly (readonly [tool: string, args: Args])[]
  cua(peer: Peer): Promise<void>
  isDone(log: string, home: string): boolean
}

const has =
  (...lines: string[]) =>
  (log: string): boolean =>
    lines.every((line) => log.split('\n').includes(line))

/** Runs a program whose output goes to a file. */
const logging = (desk: Desk, log: string, ...command: string[]): void => {
  desk.start('/bin/sh', ['-c', 'exec "$@" > "$0"', log, ...command])
}
const form = (desk: Desk, log: string): void => logging(desk, log, PYTHON, fixture('form_gtk3.py'))

const FIELDS = [
  { target: 'role=textbox && name="Name"', value: 'Anna Keller' },
  { target: 'role=checkbox && name="Paid"', value: true },
  { target: 'role=radio && name="Large"', value: true },
  { target: 'role=combobox && name="Country"', value: 'Country 5' },
  { target: 'role=slider && name="Volume"', value: 70 },
  { target: 'role=spinbutton && name="Amount"', value: 42 },
  { target: 'role=tab && name="Two"', value: true },
  { target: 'role=cell && name="note 1"', value: 'milk' },
]

const JOBS: readonly Job[] = [
  {
    name: 'a form of 8 fields',
    app: 'form_gtk3',
    start: form,
    ours: [
      ['ui.snapshot', {}],
      ['ui.set', { fields: FIELDS }],
    ],
    cua: async (peer) => {
      await peer.look()
      await peer.type('Name', 'Anna Keller')
      for (const label of ['Paid', 'Large', 'Two']) await peer.click(label)
      await peer.choose('Country', 'Country 5')
      await peer.set('Volume', '70')
      await peer.set('Amount', '42')
      await peer.type('note 1', 'milk')
    },
    isDone: has('name Anna Keller', 'paid True', 'large True', 'country Country 5', 'volume 70', 'amount 42', 'tab 1', 'cell 1 milk'),
  },
  {
    name: 'a menu of three levels',
    app: 'form_gtk3',
    start: form,
    ours: [['ui.menu', { path: ['File', 'New', 'Variable…'] }]],
    cua: (peer) => peer.menu('File', 'New', 'Variable…'),
    isDone: has('menu Variable…'),
  },
  {
    name: 'a choice out of view',
    app: 'form_gtk3',
    start: form,
    ours: [
      ['ui.snapshot', {}],
      ['ui.set', { target: 'role=combobox && name="Country"', value: 'Country 55' }],
    ],
    cua: async (peer) => {
      await peer.look()
      await peer.choose('Country', 'Country 55')
    },
    isDone: has('country Country 55'),
  },
  {
    name: 'save as',
    app: 'mousepad',
    start: (desk) => void desk.start('mousepad', [join(desk.sandbox.env['HOME'] ?? '', 'notes.txt')]),
    ours: [
      ['ui.snapshot', {}],
      [
        'ui.batch',
        {
          steps: [
            { tool: 'ui.menu', args: { path: ['File', 'Save As…'] } },
            {
              tool: 'ui.type',
              args: { target: 'role=dialog >> role=textbox && name="Name:"', text: 'copy.txt', mode: 'replace', submit: 'Enter' },
            },
          ],
        },
      ],
    ],
    cua: async (peer) => {
      await peer.menu('File', 'Save As…')
      await peer.look('Save As')
      await peer.type('Name', 'copy.txt')
      await peer.click('Save')
    },
    isDone: (_, home) => existsSync(join(home, 'copy.txt')) && readFileSync(join(home, 'copy.txt'), 'utf8') === 'what was there\n',
  },
  {
    name: 'a table row among 5,000',
    app: 'table.py',
    start: (desk, log) => logging(desk, log, PYTHON, fileURLToPath(new URL('table.py', import.meta.url)), '5000'),
    ours: [['ui.set', { target: 'role=table', value: CUSTOMER }]],
    cua: async (peer) => {
      await peer.look()
      await peer.click('Customer 1')
      await peer.type('Customer 1', CUSTOMER)
    },
    isDone: has(`row ${CUSTOMER}`),
  },
]

/** What a client spent on a job: what it sent and what it read. */
class Spent {
  calls = 0
  text = ''
  ms = 0

  add(sent: string, read: string, ms: number): void {
    this.calls++
    this.text += `${sent}\n${read}\n`
    this.ms += ms
  }
}

/** Jobs of agents by scripted clients, each on a fresh desktop: calls, tokens and time, beside cua-driver. Right is what the application says. */
export async function jobs(report: Report, peers: string | undefined): Promise<void> {
  const tokens = await tokenizer(peers)
  for (const job of JOBS) {
    const runs = new Map<string, Spent>()
    for (const client of ['MCP', 'shell', 'cua'] as const)
      await onDesk(report, `${job.name}, by ${client}`, async (desk) => {
        const home = desk.sandbox.env['HOME'] ?? ''
        const log = join(desk.state, 'said.log')
        writeFileSync(log, '')
        writeFileSync(join(home, 'notes.txt'), 'what was there\n')
        job.start(desk, log)
        await desk.appears(job.app)
        const spent = new Spent()
        if (client === 'cua') {
          const cua = peers === undefined ? undefined : await Cua.open(report, peers, desk.sandbox.env)
          if (cua === undefined) return
          await job.cua(new Peer(cua, spent, job.app)).catch((error: unknown) => report.note(`${job.name}: cua: ${String(error)}`))
          await cua.close()
        } else await byOurs(desk, job, client, spent)
        for (let i = 0; i < 60 && !job.isDone(readFileSync(log, 'utf8'), home); i++) await sleep(50)
        if (job.isDone(readFileSync(log, 'utf8'), home)) runs.set(client, spent)
        else report.note(`${job.name}: ${client} did not get it done with ${spent.calls} calls and ${tokens(spent.text)} tokens`)
      })
    const peer = runs.get('cua')
    for (const client of ['MCP', 'shell']) {
      const ours = runs.get(client)
      if (ours === undefined) continue
      const beside = (figure: (s: Spent) => number) => ({ ours: figure(ours), peer: peer && figure(peer), peerName: 'cua' })
      report.add({ name: `${job.name}, by ${client}: calls`, unit: 'calls', ...beside((s) => s.calls) })
      report.add({ name: `${job.name}, by ${client}: sent and read`, unit: 'tokens', ...beside((s) => tokens(s.text)) })
      report.add({ name: `${job.name}, by ${client}`, unit: 'ms', ...beside((s) => s.ms) })
    }
  }
}

async function byOurs(desk: Desk, { ours: calls, app }: Job, client: 'MCP' | 'shell', spent: Spent): Promise<void> {
  const ours = await Ours.open(desk)
  try {
    await ours.use('ui.wait', { until: { uiState: { target: `role=window && app~="${app.replace(/\.py$/, '')}"` } }, timeoutMs: 30_000 })
    for (const [tool, args] of calls) {
      const started = performance.now()
      const sent = JSON.stringify(args)
      const read = client === 'MCP' ? (await ours.use(tool, args)).text : shell(desk, tool, args)
      spent.add(client === 'MCP' ? `${tool} ${sent}` : `deskhand batch ${sent}`, read, performance.now() - started)
    }
  } finally {
    await ours.close()
  }
}

/** A command of an agent with a shell; whatever has no words of its own goes by `batch`. */
function shell(desk: Desk, tool: string, args: Args): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: desk.state, DESKHAND_STATE: desk.state }
  const steps = tool === 'ui.batch' ? args : { steps: [{ tool, args }] }
  const words = tool === 'ui.snapshot' ? ['snapshot'] : tool === 'ui.menu' ? ['menu', ...(args['path'] as string[])] : ['batch']
  const input = words[0] === 'batch' ? JSON.stringify(steps) : undefined
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], { env, cwd: desk.state, encoding: 'utf8', input })
  if (status !== 0) throw new Error(`deskhand ${words.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

/** cua-driver as its users have it: a look gives tokens for elements, an action takes one. */
class Peer {
  readonly #cua: Cua
  readonly #spent: Spent
  readonly #app: string
  #window: Args = {}
  #elements: readonly CuaElement[] = []

  constructor(cua: Cua, spent: Spent, app: string) {
    this.#cua = cua
    this.#spent = spent
    this.#app = app
  }

  async look(title?: string): Promise<void> {
    const { windows = [] } = await this.#ask('list_windows', {})
    const window = windows.find((w) =>
      title === undefined
        ? w.app_name.toLowerCase().includes(this.#app.replace(/\.py$/, '').toLowerCase())
        : w.title?.includes(title) === true,
    )
    if (window === undefined) throw new Error(`it sees no window of ${title ?? this.#app}`)
    this.#window = { pid: window.pid, window_id: window.window_id }
    const { elements = [] } = await this.#ask('get_window_state', { ...this.#window, include_screenshot: false })
    this.#elements = elements
  }

  async click(label: string): Promise<void> {
    await this.#ask('click', { ...this.#window, element_token: this.#token(label) })
  }

  async type(label: string, text: string): Promise<void> {
    await this.#ask('type_text', { ...this.#window, element_token: this.#token(label), text })
  }

  async set(label: string, value: string): Promise<void> {
    await this.#ask('set_value', { ...this.#window, element_token: this.#token(label), value })
  }

  async menu(...path: string[]): Promise<void> {
    if (this.#window['pid'] === undefined) await this.look()
    await this.#ask('invoke_menu', { ...this.#window, path })
  }

  /** Opens the list, looks again, and clicks the entry. */
  async choose(label: string, entry: string): Promise<void> {
    await this.click(label)
    await this.look()
    await this.click(entry)
  }

  #token(label: string): string {
    const found = this.#elements.find((e) => e.label === label)
    if (found === undefined) throw new Error(`it sees no element ${label}`)
    return found.element_token
  }

  async #ask(name: string, args: Args): Promise<Awaited<ReturnType<Cua['ask']>>['data']> {
    const { ms, text, data } = await this.#cua.ask(name, args)
    this.#spent.add(`${name} ${JSON.stringify(args)}`, text, ms)
    return data
  }
}
