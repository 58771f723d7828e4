import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError, schemaProblem } from '../errors.ts'
import { type EntryType, JournalEntry } from '../model/index.ts'
import type { Notifier } from '../notifier.ts'
import { type ParsedLine, parseLine, unreadableEntry } from './line.ts'
import { Lines } from './lines.ts'
import { seek } from './seek.ts'

/** An entry passes when every given part holds. */
export interface EntryFilter {
  types?: readonly EntryType[]
  op?: string
  /** Calls of this tool: their decision and everything that followed it. */
  tool?: string
  fromSeq?: number
  toSeq?: number
  /** Times as ISO strings, both inclusive. */
  since?: string
  until?: string
}

/**
 * The entries of a journal in order, not verified: that is `verifyJournal`. With `follow` it continues with what another process writes,
 * until that signal.
 */
export async function* readEntries(dir: string, filter: EntryFilter = {}, follow?: AbortSignal): AsyncGenerator<JournalEntry> {
  for await (const { line } of matching(dir, filter, follow)) yield toEntry(line)
}

/** The first `limit` of these entries; all of them without a limit. */
export async function* first(entries: AsyncIterable<JournalEntry>, limit = Infinity): AsyncGenerator<JournalEntry> {
  let left = limit
  if (left <= 0) return
  for await (const entry of entries) {
    yield entry
    if (--left <= 0) return
  }
}

/** The same as raw lines, byte for byte, for an export that can be checked elsewhere. */
export async function* readRaw(dir: string, filter: EntryFilter = {}): AsyncGenerator<Buffer> {
  for await (const { raw } of matching(dir, filter)) yield raw
}

/** Every entry after `after`, those to come included: `notifier` rings for new ones, and `written` is the last that is whole in the file. */
export async function* followEntries(
  dir: string,
  after: number,
  notifier: Notifier,
  written: () => number,
  signal?: AbortSignal,
): AsyncGenerator<JournalEntry> {
  let seq = after
  let lines: Lines | undefined
  try {
    while (!signal?.aborted) {
      if (written() <= seq) {
        if (notifier.closed) return
        await notifier.wait(signal)
        continue
      }
      lines ??= new Lines(dir, await seek(dir, seq + 1))
      if (lines.ready === 0) await lines.fill(1)
      const raw = lines.take()?.raw
      if (raw === undefined) throw new DeskhandError('JOURNAL_BROKEN', `Entry ${seq + 1} is gone from ${dir}.`)
      const line = read(raw, seq + 1)
      if (line.seq <= seq) continue
      seq = line.seq
      yield toEntry(line)
    }
  } finally {
    await lines?.close()
  }
}

/** How often a file that another process writes is looked at. */
const POLL_MS = 200

async function* matching(dir: string, filter: EntryFilter, follow?: AbortSignal): AsyncGenerator<{ raw: Buffer; line: ParsedLine }> {
  const lines = new Lines(dir, await seek(dir, filter.fromSeq ?? 1))
  const accepts = acceptor(filter)
  let expected = filter.fromSeq ?? 1
  try {
    for (;;) {
      if (lines.ready === 0) await lines.fill(1)
      const raw = lines.take()?.raw
      if (raw === undefined) {
        if (follow === undefined || follow.aborted) return
        await sleep(POLL_MS, undefined, { signal: follow }).catch(() => {})
        continue
      }
      const line = read(raw, expected)
      if (filter.toSeq !== undefined && line.seq > filter.toSeq) return
      expected = line.seq + 1
      if (accepts(line)) yield { raw, line }
    }
  } finally {
    await lines.close()
  }
}

/** A test for lines in their order; it keeps the ids of calls that are still open. */
export function acceptor(filter: EntryFilter): (line: ParsedLine) => boolean {
  const types = filter.types === undefined ? undefined : new Set<string>(filter.types)
  const calls = new Set<unknown>()
  const { tool, op, fromSeq = 1, toSeq = Infinity, since = '', until } = filter
  return ({ seq, type, fields }) => {
    let ofTool = tool === undefined || fields.tool === tool
    if (tool !== undefined && fields.op !== undefined) {
      if (type === 'decided' && ofTool) calls.add(fields.op)
      ofTool ||= calls.has(fields.op)
      if (type === 'done') calls.delete(fields.op)
    }
    const time = String(fields.time)
    return (
      ofTool &&
      seq >= fromSeq &&
      seq <= toSeq &&
      (types === undefined || types.has(type)) &&
      (op === undefined || fields.op === op) &&
      time >= since &&
      (until === undefined || time <= until)
    )
  }
}

function read(raw: Buffer, expected: number): ParsedLine {
  const line = parseLine(raw)
  if ('bad' in line) throw unreadableEntry(expected, line)
  return line
}

function toEntry(line: ParsedLine): JournalEntry {
  const entry = JournalEntry.safeParse(line.fields)
  if (entry.success) return entry.data
  throw new DeskhandError('JOURNAL_BROKEN', `Entry ${line.seq} cannot be read: ${schemaProblem(entry.error)}.`)
}
