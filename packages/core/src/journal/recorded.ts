import type { JournalEntry } from '../model/index.ts'
import { readEntries } from './read.ts'

type Of<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>

/** One call as the journal has it. Without `done` it was interrupted; if it was `acting`, what it sent is unknown. */
export interface RecordedCall {
  decided: Of<'decided'>
  answered?: Of<'answered'>
  acting?: Of<'acting'>
  done?: Of<'done'>
}

/** Above this many calls without an outcome, the oldest is yielded without one. */
const MOST_OPEN = 10_000

/** The recorded calls in the order of their decisions, each with its outcome, for replay. */
export async function* recordedCalls(dir: string, range: { fromSeq?: number; toSeq?: number } = {}): AsyncGenerator<RecordedCall> {
  const open = new Map<string, RecordedCall>()
  const next = function* (all: boolean): Generator<RecordedCall> {
    for (const [op, call] of open) {
      if (!all && call.done === undefined && open.size <= MOST_OPEN) return
      open.delete(op)
      yield call
    }
  }
  for await (const entry of readEntries(dir, range)) {
    const call = 'op' in entry ? open.get(entry.op) : undefined
    switch (entry.type) {
      case 'decided':
        // A rehearsal has no outcome to wait for.
        // One more decision of the same call is about another way for it.
        if (!entry.dryRun) open.set(entry.op, { ...call, decided: entry })
        break
      case 'answered':
        if (call !== undefined) call.answered = entry
        break
      case 'acting':
        if (call !== undefined) call.acting = entry
        break
      case 'done':
        if (call !== undefined) call.done = entry
        break
      case 'checkpoint':
        // A new writer: calls that the last one left open have no outcome.
        if (entry.why === 'opened') yield* next(true)
        break
      case 'operator':
      case 'human':
      case 'rejected':
        break
      default:
        entry satisfies never
    }
    yield* next(false)
  }
  yield* next(true)
}
