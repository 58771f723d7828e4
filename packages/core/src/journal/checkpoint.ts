import type { EntryBody } from '../model/index.ts'
import { type Signer, signedBy } from './keys.ts'
import { fieldsJson, type ParsedLine, writeLine } from './line.ts'

export type Why = Extract<EntryBody, { type: 'checkpoint' }>['why']

interface Checkpoint {
  seq: number
  time: string
  prev: string
  desktop: string
  why: Why
  detail?: unknown
}

/** A checkpoint's line. Its signature stands last and covers every byte of the line before it, and by `prev` the whole chain. */
export function writeCheckpoint({ seq, time, prev, desktop, why, detail }: Checkpoint, signer: Signer): string {
  const fields = fieldsJson({ type: 'checkpoint', why, entries: seq - 1, head: prev, key: signer.key, detail }, desktop)
  const unsigned = writeLine(seq, time, prev, fields).slice(0, -1)
  return `${unsigned}${MARK}${signer.sign(Buffer.from(unsigned))}"}`
}

/** The key that signed this checkpoint; undefined when the signature or a number in it is not right. */
export function checkpointKey(raw: Buffer, line: ParsedLine): string | undefined {
  const { key, signature, entries, head } = line.fields
  if (typeof key !== 'string' || typeof signature !== 'string') return undefined
  if (entries !== line.seq - 1 || head !== line.prev) return undefined
  const end = raw.length - `${MARK}${signature}"}\n`.length
  if (end < 0 || raw.toString('latin1', end) !== `${MARK}${signature}"}\n`) return undefined
  return signedBy(key, raw.subarray(0, end), signature) ? key : undefined
}

const MARK = ',"signature":"'
