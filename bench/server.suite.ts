import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { open } from 'deskhand'
import { TokenFiles } from '../packages/deskhand/src/broker/token-files.ts'
import { RfbClient } from '../tests/support/rfb.ts'
import { XKeys } from '../tests/support/x-keys.ts'
import { cpuOf, descendants } from './server/processes.ts'
import { screens, viewers, type Shown } from './server/screen.ts'
import { median, spent, time, type Report } from './report.ts'

const BIN = fileURLToPath(new URL('../packages/deskhand/dist/cli/main.js', import.meta.url))
const QUERY = { selector: 'name="Amount"' }
/** So many calls are made before those that count: compiled code is what answers all but an agent's first minute. */
const WARM = 300
const AGENTS = 20
const EACH_PER_SECOND = 10
const SECONDS = 10
/** So long after its start a process still tidies up its memory. */
const SETTLED_SECONDS = 15
const READERS = 1_000

/** One address for everyone: what it adds to a call, how many it serves, how soon it tells and shows, and what it costs when nothing happens. DESKHAND_BENCH names one part to run alone. */
export default async function server(report: Report): Promise<void> {
  const parts = Object.entries(PARTS).filter(([name]) => [name, undefined, ''].includes(process.env['DESKHAND_BENCH']))
  if (parts.length === 0) throw new Error(`no such part; there are ${Object.keys(PARTS).join(', ')}`)
  const dir = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  try {
    for (const kind of ['virtual', 'sandbox'] as const) {
      const ofKind = parts.filter(([, part]) => part.kind === kind)
      if (ofKind.length === 0) continue
      const up = await Up.start(dir, kind)
      try {
        for (const [, part] of ofKind) await part.run(report, up)
      } finally {
        await up.end()
      }
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Part {
  kind: 'virtual' | 'sandbox'
  run(report: Report, up: Up): Promise<void>
}

const PARTS: Readonly<Record<string, Part>> = {
  mcp: { kind: 'virtual', run: mcp },
  load: { kind: 'virtual', run: load },
  events: { kind: 'virtual', run: events },
  picture: { kind: 'sandbox', run: picture },
  viewers: { kind: 'sandbox', run: (report, up) => viewers(report, shownBy(up)) },
  screens: { kind: 'sandbox', run: (report, up) => screens(report, shownBy(up), up.display()) },
}

const shownBy = (up: Up): Shown => ({
  name: 'deskhand',
  env: up.display(),
  url: `${up.url.replace('http', 'ws')}/desktops/sandbox/vnc`,
  token: up.token('operator'),
  cpu: () => up.cpu(),
})

class Up {
  readonly kind: string
  readonly url: string
  readonly #dir: string
  readonly #sandboxes: string
  readonly #child: ChildProcess
  readonly #tokens: Partial<Record<'agent' | 'operator', string>> = {}

  static async start(dir: string, kind: 'virtual' | 'sandbox'): Promise<Up> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir, DESKHAND_STATE: join(dir, kind) }
    const child = spawn(process.execPath, [BIN, 'up', '--json', '--port', '0', '--desktop', kind], {
      env,
      cwd: dir,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return new Up(
      kind,
      child,
      (JSON.parse(line.toString('utf8')) as { url: string }).url,
      join(dir, kind, 'desktops', kind, 'tokens'),
      join(dir, kind, 'sandboxes'),
    )
  }

  private constructor(kind: string, child: ChildProcess, url: string, dir: string, sandboxes: string) {
    this.kind = kind
    this.#sandboxes = sandboxes
    this.#child = child
    this.url = url
    this.#dir = dir
  }

  token(role: 'agent' | 'operator'): string {
    return (this.#tokens[role] ??= new TokenFiles(this.#dir).issue(role, role))
  }

  /** Seconds of processor time of the server and everything below it, X and the applications left out. */
  cpu(): number {
    const nodes = descendants(this.#child.pid ?? 0).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node'))
    return nodes.reduce((sum, pid) => sum + cpuOf(pid), 0)
  }

  /** The environment of a program on its display, as the sandbox wrote it down. */
  display(): NodeJS.ProcessEnv {
    const [name = ''] = readdirSync(this.#sandboxes)
    const { env } = JSON.parse(readFileSync(join(this.#sandboxes, name), 'utf8')) as { env: Record<string, string> }
    return { PATH: process.env['PATH'], ...env }
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }
}

async function mcp(report: Report, up: Up): Promise<void> {
  const desk = await open()
  const own = await time(500, () => desk.call('ui.query', QUERY), WARM)
  await desk.close()
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${up.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${up.token('agent')}` } },
    }),
  )
  const early = await time(WARM, () => client.callTool({ name: 'ui.query', arguments: QUERY }))
  const through = await time(500, () => client.callTool({ name: 'ui.query', arguments: QUERY }))
  await client.close()
  report.add({
    name: "a call through MCP over HTTP, above the session's own time",
    unit: 'ms',
    ours: through - own,
    bar: { of: 'ours', atMost: 2 },
  })
  report.add({ name: `… of the first ${WARM} calls of a server and a client that were just started`, unit: 'ms', ours: early - own })
  const agent = new Agent({ keepAlive: true })
  const bare = await time(500, () => callTool(up, agent), WARM)
  report.add({ name: '… for a client without schemas and fetch: what the server adds', unit: 'ms', ours: bare - own })
  const plain = await time(500, () => post(up, agent), WARM)
  agent.destroy()
  report.add({ name: 'the same through the HTTP API', unit: 'ms', ours: plain - own })
}

async function load(report: Report, up: Up): Promise<void> {
  const took: number[] = []
  const warm = new Agent({ keepAlive: true })
  for (let i = 0; i < WARM; i++) await post(up, warm)
  warm.destroy()
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: AGENTS }, async (_, i) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const first = begun + (i * 1000) / EACH_PER_SECOND / AGENTS
      for (let n = 0; n < EACH_PER_SECOND * SECONDS; n++) {
        await sleep(Math.max(0, first + (n * 1000) / EACH_PER_SECOND - performance.now()))
        took.push(await spent(() => post(up, agent)))
      }
      agent.destroy()
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  took.sort((a, b) => a - b)
  report.add({ name: `calls of ${AGENTS} agents`, unit: '/s', ours: took.length / seconds })
  report.add({
    name: '… of which 99% take less than',
    unit: 'ms',
    ours: took[Math.floor(took.length * 0.99)] ?? 0,
    bar: { of: 'ours', atMost: 50 },
  })
}

async function events(report: Report, up: Up): Promise<void> {
  const one = await read(up)
  const late = await told(up, one, 100)
  one.stop()
  report.add({ name: 'from an event to its reader', unit: 'ms', ours: median(late), bar: { of: 'ours', atMost: 20 } })
  const many: Reader[] = []
  // Those who have not said yet who they are may not be too many at a time.
  while (many.length < READERS) many.push(...(await Promise.all(Array.from({ length: 100 }, () => read(up)))))
  const busy = await told(up, many[READERS - 1] ?? one, 20)
  for (const reader of many) reader.stop()
  report.add({ name: `… with ${READERS} readers, the last of them`, unit: 'ms', ours: median(busy) })
}

/** How late a reader hears of events that an operator brings about. */
async function told(up: Up, reader: Reader, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  reader.late.length = 0
  for (let i = 0; i < count; i++) await post(up, agent, i % 2 === 0 ? '/pause' : '/resume', 'operator')
  for (let i = 0; i < 100 && reader.late.length < count * 2; i++) await sleep(20)
  agent.destroy()
  return [...reader.late]
}

async function picture(report: Report, up: Up): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const viewer = await RfbClient.open(`${up.url.replace('http', 'ws')}/desktops/sandbox/vnc`, up.token('operator'))
  for (let i = 0; i < 100 && viewer.updates === 0; i++) await sleep(50)
  await sleep(1_000)
  let before = up.cpu()
  await sleep(SETTLED_SECONDS * 1_000)
  const early = ((up.cpu() - before) * 100) / SETTLED_SECONDS
  before = up.cpu()
  const sent = viewer.bytes
  await sleep(SECONDS * 1_000)
  report.add({
    name: 'processor time with one viewer where nothing happens',
    unit: '%',
    ours: ((up.cpu() - before) * 100) / SECONDS,
    bar: { of: 'ours', atMost: 1 },
  })
  report.add({ name: '… and bytes sent', unit: 'B', ours: viewer.bytes - sent })
  report.add({ name: `… in the ${SETTLED_SECONDS} seconds after everything was started`, unit: '%', ours: early })
  await post(up, agent, '/tools/desktop.launch', 'agent', { args: { app: 'mousepad' } })
  await post(up, agent, '/tools/ui.click', 'agent', { args: { target: 'role=textbox && visible=true' } })
  await sleep(2_000)
  const took: number[] = []
  for (let i = 0; i < 30; i++) {
    const drawn = new Promise<void>((done) => (viewer.onUpdate = done))
    const begun = performance.now()
    viewer.type(String.fromCodePoint(97 + (i % 26)))
    await drawn
    took.push(performance.now() - begun)
    viewer.onUpdate = () => {}
    await sleep(150)
  }
  report.add({
    name: 'from an operator’s key to the pixels that it changed',
    unit: 'ms',
    ours: median(took),
    bar: { of: 'ours', atMost: 60 },
  })
  await paused(report, up, viewer)
  viewer.close()
  agent.destroy()
}

const ESCAPE = { sym: 0xff1b, code: 9 }

/** From an operator's key in the picture to the last key of an agent that the X server heard of. */
async function paused(report: Report, up: Up, viewer: RfbClient): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const keys = await XKeys.watch(up.display())
  const late: number[] = []
  for (let i = 0; i < 10; i++) {
    await post(up, agent, '/takeover/end', 'operator')
    await post(up, agent, '/tools/ui.click', 'agent', { args: { target: 'role=textbox && visible=true' } })
    keys.heard.length = 0
    const typing = post(up, agent, '/tools/ui.type', 'agent', { args: { text: 'the agent writes. '.repeat(100) } }).catch(() => {})
    while (keys.heard.length < 20) await sleep(5)
    const begun = performance.now()
    for (const isDown of [true, false]) viewer.key(isDown, ESCAPE.sym)
    await typing
    await sleep(300)
    const last = keys.heard.findLast((k) => k.code !== ESCAPE.code)
    late.push(Math.max(0, (last?.at ?? begun) - begun))
  }
  await keys.end()
  agent.destroy()
  report.add({ name: "from an operator's key to the agent's last on X", unit: 'ms', ours: median(late) })
  report.add({ name: '… the latest of ten', unit: 'ms', ours: Math.max(...late), bar: { of: 'ours', atMost: 50 } })
}

interface Reader {
  late: number[]
  stop(): void
}

function read(up: Up): Promise<Reader> {
  return new Promise((done, fail) => {
    const late: number[] = []
    const req = request(`${up.url}/api/v1/desktops/virtual/events`, {
      headers: { authorization: `Bearer ${up.token('operator')}` },
      agent: false,
    })
    req.on('error', fail)
    req.once('response', (res) => {
      res.on('error', () => {})
      res.setEncoding('utf8').on('data', (text: string) => {
        const now = Date.now()
        for (const [, at = ''] of text.matchAll(/"time":"([^"]+)","type":"(?:journal|control)"/g)) late.push(now - Date.parse(at))
      })
      done({ late, stop: () => req.destroy() })
    })
    req.end()
  })
}

function post(up: Up, agent: Agent, path = '/tools/ui.query', as: Sent['as'] = 'agent', body: unknown = { args: QUERY }): Promise<void> {
  return send(up, agent, `/api/v1/desktops/${up.kind}${path}`, { as, body: path.startsWith('/tools') ? body : {} })
}

/** A call of the 2026 revision, as bytes. */
function callTool(up: Up, agent: Agent): Promise<void> {
  const [version, method, name] = ['2026-07-28', 'tools/call', 'ui.query']
  const meta = 'io.modelcontextprotocol/'
  const _meta = {
    [`${meta}protocolVersion`]: version,
    [`${meta}clientInfo`]: { name: 'bench', version: '1' },
    [`${meta}clientCapabilities`]: {},
  }
  return send(up, agent, '/mcp', {
    as: 'agent',
    body: { jsonrpc: '2.0', id: 1, method, params: { name, arguments: QUERY, _meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      'mcp-name': name,
    },
  })
}

interface Sent {
  as: 'agent' | 'operator'
  body: unknown
  headers?: Record<string, string>
}

function send(up: Up, agent: Agent, path: string, { as, body, headers = {} }: Sent): Promise<void> {
  return new Promise((done, fail) => {
    const req = request(`${up.url}${path}`, {
      method: 'POST',
      agent,
      headers: { authorization: `Bearer ${up.token(as)}`, 'content-type': 'application/json', ...headers },
    })
    req.once('error', fail)
    req.once('response', (res) => {
      res.resume().once('end', () => (res.statusCode === 200 ? done() : fail(new Error(`${path}: ${res.statusCode}`))))
    })
    req.end(JSON.stringify(body))
  })
}
