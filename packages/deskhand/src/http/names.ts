import { isIP } from 'node:net'

export interface Named {
  scheme: 'http' | 'https'
  /** Where it listens. */
  host: string
  port: number
  /** Names under which a proxy shows it, with their port or without. */
  further: readonly string[]
}

/** What clients may call a server, as `host:port`, and where its own pages come from. Browsers leave out the port that a scheme has anyway. */
export function namesOf({ scheme, host, port, further }: Named): { url: string; hosts: ReadonlySet<string>; origins: ReadonlySet<string> } {
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(host)
  const own = (isLoopback ? ['127.0.0.1', 'localhost', '::1'] : [host]).map((name) => `${bracketed(name)}:${port}`)
  const shown = further.map((name) => name.toLowerCase())
  const hosts = new Set([...own, ...shown].flatMap((name) => [name, bare(name)]))
  // A proxy may speak TLS with clients where it does not with the server.
  const origins = new Set([
    ...[...own, ...shown].flatMap((name) => originsOf(scheme, name)),
    ...shown.flatMap((name) => originsOf('https', name)),
  ])
  return { url: `${scheme}://${bracketed(host)}:${port}`, hosts, origins }
}

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host).toLowerCase()

const PORTS = { http: ':80', https: ':443' } as const

const bare = (name: string): string => name.replace(/:(?:80|443)$/, '')

/** Without its port a name is the scheme's that has this port anyway: with the other scheme it is another place. */
const originsOf = (scheme: Named['scheme'], name: string): string[] =>
  (name.endsWith(PORTS[scheme]) ? [name, bare(name)] : [name]).map((spelled) => `${scheme}://${spelled}`)
