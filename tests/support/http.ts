import { duplexPair } from 'node:stream'
import { request } from 'node:http'
import { ServedDesktop } from '../../packages/deskhand/src/http/desktop.ts'
import { Desktops } from '../../packages/deskhand/src/http/desktops.ts'
import { Log } from '../../packages/deskhand/src/http/log.ts'
import { HttpServer, type ServerOptions } from '../../packages/deskhand/src/http/server.ts'
import { TokenFiles } from '../../packages/deskhand/src/broker/token-files.ts'
import { Config, type ConfigInput } from '../../packages/deskhand/src/config.ts'
import { served, type Served } from './served.ts'

type Role = 'agent' | 'viewer' | 'operator'

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  bytes: Buffer
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any
}

export interface AskOptions {
  as?: Role
  body?: unknown
  headers?: Record<string, string>
  /** Sent as they are, instead of `body`. */
  raw?: Buffer
}

const MCP = { waitMs: 20_000, toolsets: Config.parse({}).toolsets }

/** Simulated desktops behind a real HTTP server, in this process. */
export interface HttpWorld {
  url: string
  server: HttpServer
  desktops: Desktops
  desks: Served[]
  token(role: Role, desktop?: string): string
  /** Asks below `/api/v1`; a path that begins with `//` is taken as it is, without the first slash. */
  ask(verb: string, path: string, options?: AskOptions): Promise<Reply>
  close(): Promise<void>
}

export async function httpWorld(configs: ConfigInput[] = [{}], options: Partial<ServerOptions> = {}): Promise<HttpWorld> {
  const desktops = new Desktops()
  const desks: Served[] = []
  const tokens = new Map<string, Readonly<Record<Role, string>>>()
  for (const config of configs) {
    const desk = await served(config)
    desks.push(desk)
    const [ours, theirs] = duplexPair()
    const [shown, drawn] = duplexPair()
    const name = config.desktop?.name ?? 'virtual'
    const files = new TokenFiles(`${desk.state}/desktops/${name}/tokens`)
    const issue = (role: Role): string => files.issue(role, role)
    tokens.set(name, { agent: issue('agent'), viewer: issue('viewer'), operator: issue('operator') })
    desk.broker.serveFront(theirs, drawn)
    desktops.add(await ServedDesktop.open(name, [ours, shown], files))
  }
  const own = new TokenFiles(`${desks[0]?.state}/server`)
  const server = await HttpServer.start({ host: '127.0.0.1', port: 0, tokens: own, desktops, log: new Log('silent'), mcp: MCP, ...options })
  const token = (role: Role, desktop = [...tokens.keys()][0] ?? ''): string => tokens.get(desktop)?.[role] ?? ''
  return {
    url: server.url,
    server,
    desktops,
    desks,
    token,
    ask: (verb, path, { as, body, headers = {}, raw } = {}) =>
      send(verb, path.startsWith('//') ? `${server.url}${path.slice(1)}` : `${server.url}/api/v1${path}`, {
        headers: {
          ...(as !== undefined && { authorization: `Bearer ${token(as)}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: raw ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body))),
      }),
    close: async () => {
      await server.close()
      for (const desktop of desktops.all()) await desktop.close()
      for (const desk of desks) await desk.close()
    },
  }
}

/** One request, with the headers exactly as given: `fetch` forbids some of those that an attacker sends. */
export function send(verb: string, url: string, options: { headers?: Record<string, string>; body?: Buffer } = {}): Promise<Reply> {
  return new Promise((done, fail) => {
    const { origin } = new URL(url)
    const req = request(origin, { method: verb, path: url.slice(origin.length), headers: options.headers }, (res) => {
      const parts: Buffer[] = []
      res.on('data', (part: Buffer) => parts.push(part))
      res.on('end', () => {
        const bytes = Buffer.concat(parts)
        const text = bytes.toString('utf8')
        const isJson = /json/.test(res.headers['content-type'] ?? '')
        done({ status: res.statusCode ?? 0, headers: res.headers, text, bytes, json: isJson ? JSON.parse(text) : undefined })
      })
      res.on('error', fail)
    })
    req.on('error', fail)
    req.end(options.body)
  })
}
