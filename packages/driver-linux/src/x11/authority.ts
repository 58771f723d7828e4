import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Env } from '../display-server.ts'

const LOCAL = 256
const WILD = 65535

/** The number of a display on this machine: ":7" and ":7.0" are 7. Undefined for anything else. */
export function localDisplay(display: string | undefined): string | undefined {
  return /^(?:unix)?:(\d+)(?:\.\d+)?$/.exec(display ?? '')?.[1]
}

/** The cookie for a local display; an empty one when there is none, as some servers ask for none. */
export async function cookieFor(number: string, env: Env): Promise<{ name: string; data: string }> {
  const file = env.XAUTHORITY ?? (env.HOME === undefined ? undefined : join(env.HOME, '.Xauthority'))
  const none = { name: '', data: '' }
  if (file === undefined) return none
  const bytes = await readFile(file).catch(() => Buffer.alloc(0))
  const host = hostname()
  const fits = (e: Entry): boolean =>
    (e.family === WILD || (e.family === LOCAL && e.address === host)) &&
    (e.number === '' || e.number === number) &&
    e.name === 'MIT-MAGIC-COOKIE-1'
  const entry = entries(bytes).find(fits)
  return entry === undefined ? none : { name: entry.name, data: entry.data }
}

interface Entry {
  family: number
  address: string
  number: string
  name: string
  data: string
}

/** The file's whole entries; a torn end is left out. */
export function entries(bytes: Buffer): Entry[] {
  const found: Entry[] = []
  let at = 0
  const field = (): string | undefined => {
    if (at + 2 > bytes.length) return undefined
    const length = bytes.readUInt16BE(at)
    const end = at + 2 + length
    if (end > bytes.length) return undefined
    const value = bytes.toString('latin1', at + 2, end)
    at = end
    return value
  }
  while (at + 2 <= bytes.length) {
    const family = bytes.readUInt16BE(at)
    at += 2
    const [address, number, name, data] = [field(), field(), field(), field()]
    if (address === undefined || number === undefined || name === undefined || data === undefined) break
    found.push({ family, address, number, name, data })
  }
  return found
}

/** An authority file with one cookie, found by every client library: for this host by name, and for any address. */
export function authorityFile(cookie: Buffer, number = ''): Buffer {
  const field = (value: Buffer): Buffer => Buffer.concat([u16(value.length), value])
  const entry = (family: number, address: string): Buffer =>
    Buffer.concat([u16(family), ...[Buffer.from(address), Buffer.from(number), Buffer.from('MIT-MAGIC-COOKIE-1'), cookie].map(field)])
  return Buffer.concat([entry(LOCAL, hostname()), entry(WILD, '')])
}

function u16(value: number): Buffer {
  const b = Buffer.alloc(2)
  b.writeUInt16BE(value)
  return b
}
