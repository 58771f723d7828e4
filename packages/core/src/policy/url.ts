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

/** An address as it is, for an allow, and as it may be read where it leads, for a deny and a question. */
export interface Address {
  exact: UrlParts
  read: UrlParts
}

export function addressOf(url: string): Address | undefined {
  const exact = urlParts(url)
  const inner = url.replace(/^(?:(?:blob|filesystem|view-source):)+/i, '')
  const parts = inner === url ? exact : urlParts(inner)
  if (exact === undefined || parts === undefined) return exact && { exact, read: exact }
  const { whole, host, rest } = parts
  const plain = withoutDots(host)
  const path = asRead(rest.slice(host.length))
  return { exact, read: { whole: `${whole.slice(0, -rest.length)}${plain}${path}`, host: plain, rest: `${plain}${path}` } }
}

/** A name with a dot at its end is the same server. */
export const withoutDots = (host: string): string => host.replace(/\.+(?=:|$)/, '')

/** Servers take letters that are spelled as bytes for letters, many slashes for one, some no case, and what stands behind a semicolon for nothing. */
function asRead(path: string): string {
  const plain = path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes)
    } catch {
      return bytes
    }
  })
  const parts: string[] = []
  for (const part of plain.replaceAll('\\', '/').split('/')) {
    const name = part.replace(/;[^?]*/, '')
    if (name === '..') parts.pop()
    else if (name !== '.') parts.push(name)
  }
  return `/${parts.join('/')}`.replaceAll(/\/{2,}/g, '/').toLowerCase()
}

/** Whether an address is one of those that a rule is about; what is let through has to be so in every reading. */
export function urlTest(pattern: string, letsThrough: boolean): (url: Address) => boolean {
  const isExact = urlGlob(pattern)
  const isRead = urlGlob(patternAsRead(pattern))
  return letsThrough ? ({ exact, read }) => isExact(exact) && isRead(read) : ({ exact, read }) => isExact(exact) || isRead(read)
}

function patternAsRead(pattern: string): string {
  const [, scheme = '', host = '', path = ''] = /^([^/]*:\/\/)?([^/]*)(.*)$/s.exec(pattern) ?? []
  const start = `${scheme.toLowerCase()}${withoutDots(lowerHost(host))}`
  return path === '' ? start : `${start}${asRead(path)}`
}

/** `https://*.example.org/**` is matched whole, `example.org/app/**` from the host on, and `*.example.org` against the host alone. */
export function urlGlob(pattern: string): (url: UrlParts) => boolean {
  const lower = lowerHost(pattern)
  const test = glob(lower, { path: true })
  if (lower.includes('://')) return (url) => test(url.whole)
  return lower.includes('/') ? (url) => test(url.rest) : (url) => test(url.host)
}

/** Scheme and host have no case, the rest has; a host's letters beyond ASCII are those that browsers make of them. */
export function lowerHost(pattern: string): string {
  return pattern.replace(/^[^/]*:\/\/[^/]*|^[^/]*/, (start) =>
    start.toLowerCase().replaceAll(/[^./:*?[\]{},]*[^\x00-\x7f][^./:*?[\]{},]*/g, inAscii),
  )
}

function inAscii(label: string): string {
  return URL.canParse(`http://${label}`) ? new URL(`http://${label}`).host : label
}

/** Whether an address leads to one of these servers; every name of the loopback counts as the same machine. */
export function sameServer(url: string, servers: readonly string[]): boolean {
  const here = server(url)
  return here !== undefined && servers.some((s) => server(s) === here)
}

/** The host and port behind an address. */
export function server(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname: told, port } = new URL(url)
  const hostname = withoutDots(told)
  const standard = protocol === 'https:' || protocol === 'wss:' ? '443' : '80'
  return `${LOOPBACK.test(hostname) ? 'loopback' : hostname}:${port === '' ? standard : port}`
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/
