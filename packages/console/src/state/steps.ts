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

  /** Entries that were read, in any order; those that are known already change nothing. */
  static of(entries: readonly JournalEntry[], most?: number): Rows {
    const ordered = [...entries].toSorted((a, b) => a.seq - b.seq)
    return ordered.reduce((rows, { seq, time, ...entry }) => rows.with(seq, time, entry as EntryBody), new Rows([], most))
  }

  with(seq: number, time: string, entry: EntryBody): Rows {
    switch (entry.type) {
      case 'decided':
        return this.#added({ row: 'step', op: entry.op, seq, time, decided: entry })
      case 'answered':
        return this.#changed(entry.op, (step) => ({ ...step, answered: entry }))
      case 'acting':
        return this.#changed(entry.op, (step) => ({ ...step, acting: entry }))
      case 'done':
        return this.#changed(entry.op, (step) => ({ ...step, done: entry }))
      case 'operator':
      case 'human':
      case 'rejected':
        return this.#added({ row: 'note', seq, time, entry })
      case 'checkpoint':
        return entry.why === 'interval' ? this : this.#added({ row: 'note', seq, time, entry })
      default:
        return entry satisfies never
    }
  }

  #added(row: Row): Rows {
    if (this.list.some((known) => known.seq === row.seq)) return this
    const at = this.list.findIndex((known) => known.seq < row.seq)
    const place = at < 0 ? this.list.length : at
    return new Rows([...this.list.slice(0, place), row, ...this.list.slice(place)].slice(0, this.#most), this.#most)
  }

  #changed(op: string, change: (step: Step) => Step): Rows {
    const at = this.list.findIndex((row) => row.row === 'step' && row.op === op)
    const step = this.list[at]
    if (step?.row !== 'step') return this
    return new Rows(this.list.with(at, change(step)), this.#most)
  }
}
