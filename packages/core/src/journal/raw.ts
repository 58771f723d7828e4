import { JournalEntry } from '../model/index.ts'
import { parseLine } from './line.ts'

export const TYPE = '"type":"'
export const OP = '"op":"'

/** The value after the first occurrence of this key in a line. Keys that every entry has stand before anything that a caller said. */
export function rawValue(raw: Buffer, key: string): string {
  const at = raw.indexOf(key)
  return at < 0 ? '' : raw.toString('latin1', at + key.length, raw.indexOf(QUOTE, at + key.length))
}

const QUOTE = 34

/** Whether a line has this text anywhere, whatever its case. */
export function textTest(text: string | undefined): (raw: Buffer) => boolean {
  if (text === undefined) return () => true
  const wanted = text.toLowerCase()
  // A text of ASCII alone is the same in bytes, which are read faster.
  const encoding = [...wanted].every((c) => c < '\x80') ? 'latin1' : 'utf8'
  return (raw) => raw.toString(encoding).toLowerCase().includes(wanted)
}

/** The entry of a line; nothing where it is none. */
export function entryOf(raw: Buffer): JournalEntry | undefined {
  const line = parseLine(raw)
  return 'bad' in line ? undefined : JournalEntry.safeParse(line.fields).data
}
