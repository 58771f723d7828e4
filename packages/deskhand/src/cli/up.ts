import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { endpointOf, lockHolder, makeOwnerFolder, takeLock, writeOwnerOnly } from '@deskhand/core/platform'
import { DesktopState } from '../broker/desktop-state.ts'
import { TokenFiles } from '../broker/token-files.ts'
import { type Config, nameOf } from '../config.ts'
import { stateDir } from '../defaults.ts'
import { BrokerProcess, DidNotComeUp } from '../http/brokers.ts'
import { Desktops, type DesktopSpec } from '../http/desktops.ts'
import { Log } from '../http/log.ts'
import { tellOfQuestions } from '../http/notify.ts'
import { askAsOwner } from '../http/owner-socket.ts'
import { HttpServer } from '../http/server.ts'
import type { BrokerFlags } from './broker.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'

export interface UpFlags extends BrokerFlags {
  port?: string
  host?: string
  tlsCert?: string
  tlsKey?: string
  log?: string
}

/** Where the server is looked for first. */
const PORT = 8423

/** Serves desktops at one address, each in a process of its own, until an operator or a signal ends it, or its last desktop ends. */
export async function up(common: Common, options: UpFlags): Promise<void> {
  const config = configOf(common, { flags: flagsOf(options) })
  mustBeSafe(config)
  const place = new ServerState(stateDir(config))
  const running = place.running()
  if (running !== undefined) return again(common, options, config, place, running)
  const unlock = await place.lock()
  const log = new Log(config.server.log)
  const brokers = new Set<BrokerProcess>()
  const ended = new AbortController()
  // From here on: a server that a service manager ends while it comes up ends in order, too.
  const signal = signalled()
  let server: HttpServer | undefined
  const url = (): string => server?.url ?? ''
  const bring = async (name: string, args: readonly string[]): Promise<BrokerProcess> => {
    const command = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args, '--no-http', '--json', '--front', url()]
    const broker = await BrokerProcess.start({ command, place: new DesktopState(stateDir(config), name) })
    brokers.add(broker)
    void broker.ended.then(() => brokers.delete(broker))
    desktops.add(broker.desktop)
    const ways = config.server.notify.map((way) => ({
      ...way,
      secret: way.secretEnv === undefined ? undefined : process.env[way.secretEnv],
    }))
    if (ways.length > 0) void tellOfQuestions(broker.desktop, url(), ways, log, ended.signal)
    return broker
  }
  const desktops = new Desktops((spec) => bring(spec.name, argsOf(common, spec)).then(() => {}))
  let code = 0
  const untilAllEnded = async (): Promise<number> => {
    server = await serve(config, place, desktops, log)
    const first = await bring(nameOf(config), process.argv.slice(2))
    place.announce(url())
    tell(options, { ...first.ready, ...addresses(url(), server.openingLink()) })
    const worst = await allEnded(brokers)
    log[worst === 0 ? 'info' : 'error'](`the last desktop ended with ${worst}, and so does the server`)
    return worst
  }
  try {
    code = await Promise.race([
      untilAllEnded(),
      signal.then((name) => {
        // The end of a terminal is not always meant.
        log[name === 'SIGHUP' ? 'error' : 'info'](`${name} ends the server`)
        return 0
      }),
    ])
  } catch (thrown) {
    if (!(thrown instanceof DidNotComeUp)) throw thrown
    code = thrown.exit
  } finally {
    ended.abort()
    // Calls under way are answered by their desktops as these end.
    const brokersEnded = Promise.all([...brokers].map((broker) => broker.end()))
    await server?.close(brokersEnded)
    await brokersEnded
    unlock()
  }
  process.exit(code)
}

/** A second start finds the first: it adds its desktop where that is another one, and prints an address that opens the console. */
async function again(common: Common, options: UpFlags, config: Config, place: ServerState, url: string): Promise<void> {
  const ask = (verb: string, path: string, body?: unknown): Promise<unknown> => askAsOwner(place.socket, url, verb, path, body)
  const name = nameOf(config)
  const there = (await ask('GET', '/desktops')) as { name: string; desktop: string }[]
  const { kind, ui, sandbox } = config.desktop
  if (!there.some((d) => d.name === name)) {
    if (ui !== undefined || sandbox !== undefined || options.policy !== undefined || options.agentGroup !== undefined)
      throw new DeskhandError('BROKER_BUSY', `a server runs at ${url} already`, {
        next: 'A desktop that is added to it takes --desktop, --name and --preset; or end it first: deskhand down',
      })
    await ask('POST', '/desktops', { name, kind, preset: options.preset ?? config.policy.preset })
  }
  const { open } = (await ask('POST', '/links')) as { open: string }
  const state = new DesktopState(stateDir(config), name)
  tell(options, { name, desktop: state.desktop(), socket: state.socket, journal: state.journal, found: true, ...addresses(url, open) })
}

function tell({ json }: UpFlags, ready: Record<string, unknown>): void {
  if (json) return void process.stdout.write(`${JSON.stringify(ready)}\n`)
  const { name, desktop, driver, open, mcp, found } = ready
  process.stdout.write(
    `${String(name)}: ${found === true ? 'is up already' : `${String(driver)} is up`} (${String(desktop)})\nconsole: ${String(open)}\n` +
      `agents:  deskhand mcp, deskhand call, or MCP at ${String(mcp)} (deskhand token add)\nyou:     deskhand approvals --watch, deskhand stop, deskhand down\n`,
  )
}

const addresses = (url: string, open: string): Record<string, string> => ({ url, open, mcp: `${url}/mcp` })

async function serve(config: Config, { tokens, socket: owner }: ServerState, desktops: Desktops, log: Log): Promise<HttpServer> {
  const { host, port, hosts, origins, tlsCert, tlsKey } = config.server
  const tls = tlsCert === undefined || tlsKey === undefined ? undefined : { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) }
  const mcp = { waitMs: config.approvals.waitSeconds * 1000, toolsets: config.toolsets }
  const start = (at: number): Promise<HttpServer> =>
    HttpServer.start({ host, port: at, owner, tls, hosts, origins, tokens, desktops, log, mcp })
  if (port !== undefined) return start(port)
  return start(PORT).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE') return start(0)
    throw thrown
  })
}

function mustBeSafe({ server: { host, tlsCert, hosts } }: Config): void {
  if (['127.0.0.1', '::1', 'localhost'].includes(host) || tlsCert !== undefined || hosts.length > 0) return
  throw new DeskhandError('BAD_CONFIG', `${host} can be reached by others, and what they send can be read`, {
    next: 'Add --tls-cert and --tls-key, or name the proxy in front of it under [server] hosts in deskhand.toml.',
  })
}

/** What the command line of one more desktop is. */
const argsOf = ({ config }: Common, { name, kind, preset }: DesktopSpec): string[] => [
  ...(config === undefined ? [] : ['--config', config]),
  ...['--name', name, 'up', '--desktop', kind],
  ...(preset === undefined ? [] : ['--preset', preset]),
]

const flagsOf = ({
  port,
  host,
  tlsCert,
  tlsKey,
  log,
  desktop,
  ui,
  sandbox,
  preset,
}: UpFlags): NonNullable<Parameters<typeof configOf>[1]>['flags'] => ({
  desktop: { kind: desktop as 'virtual' | undefined, ui, sandbox },
  policy: { preset },
  server: { port: port === undefined ? undefined : Number(port), host, tlsCert, tlsKey, log: log as 'error' | undefined },
})

/** Resolves with the worst of their exit codes when no broker is left. */
async function allEnded(brokers: ReadonlySet<BrokerProcess>): Promise<number> {
  let worst = 0
  while (brokers.size > 0) worst = Math.max(worst, await Promise.race([...brokers].map((b) => b.ended)))
  return worst
}

function signalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, resolve)
  })
}

/** The files of the server: its lock, its address and its tokens, readable by their owner only. */
class ServerState {
  readonly tokens: TokenFiles
  readonly #dir: string

  constructor(state: string) {
    this.#dir = join(state, 'server')
    for (const dir of [state, this.#dir, join(this.#dir, 'tokens')]) makeOwnerFolder(dir)
    this.tokens = new TokenFiles(join(this.#dir, 'tokens'))
    this.tokens.hash()
  }

  /** Where programs of this user come in. */
  get socket(): string {
    return endpointOf(join(this.#dir, 'socket'))
  }

  /** Where the server of this state folder listens, while it lives. */
  running(): string | undefined {
    if (lockHolder(this.#dir, 'server') === undefined) return undefined
    try {
      return readFileSync(join(this.#dir, 'url'), 'utf8').trim()
    } catch {
      return undefined
    }
  }

  async lock(): Promise<() => void> {
    return (await takeLock(this.#dir, 'server', 'The server')).release
  }

  announce(url: string): void {
    writeOwnerOnly(join(this.#dir, 'url'), `${url}\n`)
  }
}
