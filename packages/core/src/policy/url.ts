import { glob } from './glob.ts'

/** An address taken apart the way a browser does, so that nothing in it can pose as its host. */
export interface UrlParts {
  /** Scheme, host, path and query; no user, no fragment. */
  whole: string
  host: string
  /** Host, path and query. */
  rest: string
}

export function urlParts(url: string): UrlParts | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, pathname, search } = new URL(url)
  const rest = `${host}${pathname}${search}`
  return { whole: `${protocol}//${rest}`, host, rest }
}

/** `https://*.example.org/**` is matched whole, `example.org/app/**` from the host on, and `*.example.org` against the host alone. */
export function urlGlob(pattern: string): (url: UrlParts) => boolean {
  const lower = lowerHost(pattern)
  const test = glob(lower, { path: true })
  if (lower.includes('://')) return (url) => test(url.whole)
  return lower.includes('/') ? (url) => test(url.rest) : (url) => test(url.host)
}

/** Scheme and host have no case, the rest has. */
export function lowerHost(pattern: string): string {
  return pattern.replace(/^[^/]*:\/\/[^/]*|^[^/]*/, (start) => start.toLowerCase())
}

/** Whether an address leads to one of these servers; every name of the loopback counts as the same machine. */
export function sameServer(url: string, servers: readonly string[]): boolean {
  const here = server(url)
  return here !== undefined && servers.some((s) => server(s) === here)
}

/** The host and port behind an address. */
export function server(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  const standard = protocol === 'https:' || protocol === 'wss:' ? '443' : '80'
  return `${LOOPBACK.test(hostname) ? 'loopback' : hostname}:${port === '' ? standard : port}`
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/
