import type { Anchor } from './anchor.ts'
import { checkpointKey } from './checkpoint.ts'
import type { BadLine, ParsedLine } from './line.ts'

export type ProblemKind =
  | 'changed'
  | 'removed'
  | 'inserted'
  | 'swapped'
  | 'duplicated'
  | 'cut'
  | 'emptied'
  | 'rewritten'
  | 'unknown_version'
  | 'forged_checkpoint'
  | 'other_key'
  | 'other_desktop'
  | 'unanchored'
  | 'evidence_changed'
  | 'evidence_missing'

/** What was done to a journal, at which entry, in a sentence. */
export interface Problem {
  kind: ProblemKind
  seq: number
  detail: string
}

/** A raw line, what it says and what it hashes to. */
export interface Look {
  raw: Buffer
  entry: ParsedLine | BadLine
  hash: string
}

/** The last line that was taken; `before` is the hash of the one before it. */
export interface Last {
  seq: number
  hash: string
  before: string
  bad: boolean
}

export interface Diagnosis {
  problem: Problem
  /** `take` the line in spite of it, as the entry `as`; `skip` it; or `swap` it with the line that follows. */
  then: 'take' | 'skip' | 'swap'
  as: number
}

/** Says why `line` does not follow `last`, from the two lines after it and the anchor. */
export function diagnose(last: Last, line: Look, next: Look | undefined, third: Look | undefined, anchor: Anchor | undefined): Diagnosis {
  const place = last.seq + 1
  const found = (kind: ProblemKind, seq: number, detail: string, then: Diagnosis['then'] = 'take', as = place): Diagnosis => ({
    problem: { kind, seq, detail },
    then,
    as,
  })
  const { entry } = line
  if (line.hash === last.hash) return found('duplicated', last.seq, `Entry ${last.seq} stands there twice.`, 'skip')
  if (follows(last, next)) {
    if (links(next, entry)) return found('swapped', place, `Entries ${place} and ${place + 1} have changed places.`, 'swap')
    return found('inserted', place, `A line was inserted before entry ${place}.`, 'skip')
  }
  if (follows(last, third)) return found('inserted', place, `Lines were inserted before entry ${place}.`, 'skip')
  if ('bad' in entry) {
    const kind = entry.bad === 'version' ? 'unknown_version' : 'changed'
    // Two bad lines in a row may be one that was broken in two.
    const seq = last.bad ? last.seq : place
    return found(kind, seq, `Entry ${seq} cannot be read: ${entry.detail}.`, 'take', seq)
  }
  if (entry.prev === last.before && entry.seq === last.seq) {
    return found('inserted', last.seq, `The first of two lines that call themselves entry ${last.seq} was inserted.`, 'take', last.seq)
  }
  if (entry.seq === place || entry.prev === last.hash) {
    const changed = entry.seq === place && last.seq > 0 && intact(line, entry, next, anchor) ? last.seq : place
    return found('changed', changed, `Entry ${changed} was changed.`)
  }
  if (next !== undefined && !('bad' in next.entry) && next.entry.seq === place + 1) {
    return found('swapped', place, `Entry ${entry.seq} stands in the place of entry ${place}.`)
  }
  if (entry.seq < place)
    return found('inserted', place, `A line that calls itself entry ${entry.seq} was inserted before entry ${place}.`, 'skip')
  const gone = entry.seq === place + 1 ? `Entry ${place} was` : `Entries ${place} to ${entry.seq - 1} were`
  return found('removed', place, `${gone} removed.`, 'take', entry.seq)
}

/** Whether `look` is the entry right after `last`. */
export const follows = (last: Pick<Last, 'seq' | 'hash'>, look: Look | undefined): look is Look & { entry: ParsedLine } =>
  look !== undefined && !('bad' in look.entry) && look.entry.prev === last.hash && look.entry.seq === last.seq + 1

const links = (first: Look & { entry: ParsedLine }, second: ParsedLine | BadLine): boolean =>
  !('bad' in second) && second.prev === first.hash && second.seq === first.entry.seq + 1

/** Whether something else vouches for this line, so that the fault lies in the one before it. */
function intact(line: Look, entry: ParsedLine, next: Look | undefined, anchor: Anchor | undefined): boolean {
  if (next !== undefined) return !('bad' in next.entry) && next.entry.prev === line.hash
  if (anchor?.seq === entry.seq) return anchor.head === line.hash
  return entry.type !== 'checkpoint' || checkpointKey(line.raw, entry) !== undefined
}
