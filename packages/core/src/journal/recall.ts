import { z } from 'zod'
import { DoneEntry } from '../model/index.ts'
import type { ReadableJournal } from './journal.ts'
import { parseLine } from './line.ts'

/** What is taken from an entry: reading all of it would make a thousand calls slow to recall. */
const Decided = z.object({
  op: z.string(),
  callId: z.string(),
  /** The keyed digest of the call; entries of version 0.1.0 have none. */
  call: z.string().optional(),
  tool: z.string(),
  kind: z.string(),
  dryRun: z.boolean().default(false),
  principal: z.object({ id: z.string() }),
  /** When it was decided, as an ISO string. */
  time: z.string(),
})
const Done = DoneEntry.pick({ status: true, code: true, sent: true, effect: true, via: true, verification: true })

/** A call with a callId as the record has it, so that its redelivery after a crash is not carried out again. */
export interface RecalledCall extends Omit<z.output<typeof Decided>, 'principal'> {
  principal: string
  known:
    | { state: 'nothing_sent' }
    /** Input was about to be sent; what was sent is not known. */
    | { state: 'sent_unknown' }
    | ({ state: 'done' } & z.output<typeof Done>)
}

export interface RecallOptions {
  /** Only calls with an entry at or after this time, in milliseconds since 1970. */
  sinceMs: number
  max: number
  /** The rest of a longer record is not read: opening a desktop stays quick. */
  maxBytes?: number
}

/** What followed a decision. */
interface Later {
  acting: boolean
  done?: Buffer
}

const MAX_BYTES = 64 * 1024 * 1024

/** The last calls with a callId, the newest of each principal's callId, oldest first. Meant for a session that has made no call yet. */
export async function recallCalls(
  journal: ReadableJournal,
  { sinceMs, max, maxBytes = MAX_BYTES }: RecallOptions,
): Promise<RecalledCall[]> {
  const since = new Date(sinceMs).toISOString()
  const calls = new Map<string, RecalledCall>()
  /** What is known of operations whose decision, which is older, was not met yet. */
  const open = new Map<string, Later>()
  let bytes = 0
  for await (const lines of journal.backwards()) {
    for (const raw of lines) {
      bytes += raw.length
      if (calls.size >= max || bytes > maxBytes) return [...calls.values()].reverse()
      const [, time = since, type, op = ''] = HEAD.exec(raw.toString('latin1', 0, HEAD_BYTES)) ?? []
      if (time < since && open.size === 0) return [...calls.values()].reverse()
      if (type === undefined || (time < since && !open.has(op))) continue
      if (type !== 'decided') open.set(op, later(open.get(op), type, raw))
      else {
        const call = raw.includes('"callId":"') ? recalled(raw, open.get(op)) : undefined
        const name = `${call?.principal}\n${call?.callId}`
        if (call !== undefined && !calls.has(name)) calls.set(name, call)
        open.delete(op)
      }
    }
  }
  return [...calls.values()].reverse()
}

const HEAD_BYTES = 300
/** The beginning of a line that belongs to an operation. */
const HEAD =
  /^\{"v":1,"seq":\d+,"time":"([^"\\]*)","prev":"[0-9a-f]{64}"(?:,"type":"(decided|answered|acting|done)",(?:"desktop":"[^"\\]*",)?"op":"([^"\\]*)")?/

const later = (known: Later | undefined, type: string, raw: Buffer): Later => ({
  acting: type === 'acting' || known?.acting === true,
  done: type === 'done' ? raw : known?.done,
})

function recalled(raw: Buffer, after: Later | undefined): RecalledCall | undefined {
  const read = Decided.safeParse(fieldsOf(raw))
  if (!read.success) return undefined
  const { principal, ...decided } = read.data
  return { principal: principal.id, ...decided, known: knownOf(after) }
}

function knownOf(after: Later | undefined): RecalledCall['known'] {
  const done = after?.done && Done.safeParse(fieldsOf(after.done)).data
  if (done !== undefined) return { state: 'done', ...done }
  return { state: after?.acting === true ? 'sent_unknown' : 'nothing_sent' }
}

function fieldsOf(raw: Buffer): unknown {
  const line = parseLine(raw)
  return 'bad' in line ? undefined : line.fields
}
