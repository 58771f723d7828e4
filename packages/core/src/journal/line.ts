import { hash } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import type { EntryBody } from '../model/index.ts'

/** The `prev` of the first entry. */
export const GENESIS = '0'.repeat(64)

/** Longer lines are refused, so that a reader's memory is bounded. */
export const MAX_LINE = 4 * 1024 * 1024

/** SHA-256 in hex over the raw bytes of a line with its newline: `sed -n 7p segment | sha256sum` is the `prev` of the line after. */
export const hashLine = (raw: Uint8Array | string): string => hash('sha256', raw)

/** What the chain needs of a line; `fields` has all of it, unchecked. */
export interface ParsedLine {
  seq: number
  prev: string
  type: string
  fields: Readonly<Record<string, unknown>>
}

/** A line that is no entry: `torn` is what a crash can leave, the others are not. */
export interface BadLine {
  bad: 'torn' | 'shape' | 'version'
  detail: string
}

/** A time as entries and operations carry it. Most of one burst share a millisecond, and writing it out is slow. */
export function timeText(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}

let lastTime = { ms: 0, text: new Date(0).toISOString() }

/** The text of an entry, without its newline. `fields` is what `fieldsJson` made of its body. */
export function writeLine(seq: number, time: string, prev: string, fields: string): string {
  return `{"v":1,"seq":${seq},"time":"${time}","prev":"${prev}",${fields}`
}

/**
 * The body of an entry of this desktop as the rest of a JSON object, taken at once: later changes to the body do not reach the record. The
 * opening brace is left to `writeLine`, so that a line is put together once.
 */
export function fieldsJson(body: EntryBody, desktop: string | undefined): string {
  for (const name of RESERVED) {
    if (name in body) throw new DeskhandError('INTERNAL', `An entry's body may not carry "${name}".`)
  }
  const json = JSON.stringify(body)
  const type = `{"type":"${body.type}"`
  if (!json.startsWith(type)) throw new DeskhandError('INTERNAL', "An entry's body starts with its type.")
  if (json.length * 3 > MAX_LINE && Buffer.byteLength(json) > MAX_LINE - HEADER_ROOM) {
    throw new DeskhandError('BAD_ARGS', `The call is too large to be recorded: ${json.length} characters.`, {
      next: 'Send less text in one call.',
    })
  }
  const where = desktop === undefined ? '' : `,"desktop":${JSON.stringify(desktop)}`
  return `"type":"${body.type}"${where}${json.slice(type.length)}`
}

/** Reads one raw line. Unknown fields are ignored, an unknown version is not. */
export function parseLine(raw: Buffer): ParsedLine | BadLine {
  if (raw.at(-1) !== NEWLINE) return { bad: 'torn', detail: 'it does not end with a newline' }
  let fields: unknown
  try {
    fields = JSON.parse(raw.toString('utf8', 0, raw.length - 1))
  } catch {
    return { bad: 'torn', detail: 'it is not JSON' }
  }
  if (!isRecord(fields)) return { bad: 'shape', detail: 'it is not a JSON object' }
  const { v, seq, prev, type } = fields
  if (v !== 1) return { bad: 'version', detail: `it has the unknown version ${JSON.stringify(v)}` }
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return { bad: 'shape', detail: 'it has no sequence number' }
  if (typeof prev !== 'string' || typeof type !== 'string') return { bad: 'shape', detail: 'it has no prev or no type' }
  return { seq, prev, type, fields }
}

/** The error for a line that is no entry; one of a newer version has its own next step. */
export function unreadableEntry(seq: number, { bad, detail }: BadLine): DeskhandError {
  const next = bad === 'version' ? 'A newer Deskhand wrote it: use that version, or a later one.' : undefined
  return new DeskhandError('JOURNAL_BROKEN', `Entry ${seq} cannot be read: ${detail}.`, { next })
}

/**
 * Reads only the head of a line as `writeLine` writes it, without looking at the body: `fields` is empty. Enough for entries
 * that an anchor covers and of which nothing else is asked; undefined for anything unusual.
 */
export function parseHead(raw: Buffer): ParsedLine | undefined {
  const [, seq, prev, type] = HEAD.exec(raw.toString('latin1', 0, HEAD_BYTES)) ?? []
  if (seq === undefined || prev === undefined || type === undefined || raw.at(-1) !== NEWLINE) return undefined
  return { seq: Number(seq), prev, type, fields: {} }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NEWLINE = 10
const HEAD = /^\{"v":1,"seq":(\d{1,15}),"time":"[^"\\]*","prev":"([0-9a-f]{64})","type":"([a-z]+)"/
const HEAD_BYTES = 200
const HEADER_ROOM = 1024
const RESERVED = ['v', 'seq', 'time', 'prev', 'desktop'] as const
