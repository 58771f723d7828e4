import type { EntryBody, JournalEntry } from '@deskhand/core/model'

type Entry<T extends EntryBody['type']> = Extract<EntryBody, { type: T }>

/** One call, from decision to outcome, as far as the record tells it by now. */
export interface Step {
  row: 'step'
  op: string
  seq: number
  time: string
  decided: Entry<'decided'>
  answered?: Entry<'answered'>
  acting?: Entry<'acting'>
  done?: Entry<'done'>
}

/** What is no call: an operator's doing, a person's visit, a refusal before there was a call, a checkpoint. */
export interface Note {
  row: 'note'
  seq: number
  time: string
  entry: Entry<'operator' | 'human' | 'rejected' | 'checkpoint'>
  /** How often it was done, one after the other; once where nothing is said. */
  times?: number
}

export type Row = Step | Note

/** The record as rows, newest first. A new list is made for every change, and only what changed in it is new. */
export class Rows {
  readonly list: readonly Row[]
  readonly #most: number

  constructor(list: readonly Row[] = [], most = 2_000) {
    this.list = list
    this.#most = most
  }

  /** Entries that were read, in any order; in one pass, as there may be a hundred thousand of them. */
  static of(entries: readonly JournalEntry[], most?: number): Rows {
    const bySeq = new Map(entries.map((entry) => [entry.seq, entry]))
    const rows: Row[] = []
    const steps = new Map<string, number>()
    for (const { seq, time, ...rest } of [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)) {
      const entry = rest as EntryBody
      const at = 'op' in entry ? steps.get(entry.op) : undefined
      const step = at === undefined ? undefined : rows[at]
      if (at !== undefined && step?.row === 'step') rows[at] = grown(step, entry)
      else {
        const row = begun(seq, time, entry)
        if (row?.row === 'step') steps.set(row.op, rows.length)
        if (row !== undefined) rows.push(row)
      }
    }
    return new Rows(rows.reverse().slice(0, most), most)
  }

  with(seq: number, time: string, entry: EntryBody): Rows {
    const at = 'op' in entry ? this.list.findIndex((row) => row.row === 'step' && row.op === entry.op) : -1
    const step = this.list[at]
    if (step?.row === 'step') return new Rows(this.list.with(at, grown(step, entry)), this.#most)
    const row = begun(seq, time, entry)
    return row === undefined ? this : this.#added(row)
  }

  #added(row: Row): Rows {
    if (this.list.some((known) => known.seq === row.seq)) return this
    const at = this.list.findIndex((known) => known.seq < row.seq)
    const place = at < 0 ? this.list.length : at
    return new Rows([...this.list.slice(0, place), row, ...this.list.slice(place)].slice(0, this.#most), this.#most)
  }
}

/** The same rows, with pictures of evidence that one person opened one after the other in one: the strip alone opens dozens. It begins with the first. */
export function folded(rows: readonly Row[]): readonly Row[] {
  const all: Row[] = []
  for (const row of rows) {
    const newer = all.at(-1)
    if (newer !== undefined && isLook(row) && isLook(newer) && row.entry.by.id === newer.entry.by.id)
      all[all.length - 1] = { ...row, time: newer.time, times: (newer.times ?? 1) + 1 }
    else all.push(row)
  }
  return all
}

/** Whether it only tells that a person opened kept evidence. */
export const isLook = (row: Row): row is Note & { entry: Entry<'operator'> } =>
  row.row === 'note' && row.entry.type === 'operator' && row.entry.what === 'evidence'

/** The row that an entry begins; nothing where it goes on with a call that is not known here, or says nothing to a person. */
function begun(seq: number, time: string, entry: EntryBody): Row | undefined {
  switch (entry.type) {
    case 'decided':
      return entry.route === undefined ? { row: 'step', op: entry.op, seq, time, decided: entry } : undefined
    case 'operator':
    case 'human':
    case 'rejected':
      return { row: 'note', seq, time, entry }
    case 'checkpoint':
      return entry.why === 'interval' ? undefined : { row: 'note', seq, time, entry }
    case 'answered':
    case 'acting':
    case 'done':
      return undefined
    default:
      return entry satisfies never
  }
}

/** The same call with one more of its entries. */
function grown(step: Step, entry: EntryBody): Step {
  switch (entry.type) {
    case 'decided':
      // A way that was judged after another could not be taken belongs to the same call.
      return entry.route === undefined ? step : { ...step, decided: entry }
    case 'answered':
      return { ...step, answered: entry }
    case 'acting':
      return { ...step, acting: entry }
    case 'done':
      return { ...step, done: entry }
    default:
      return step
  }
}
