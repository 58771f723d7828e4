import { randomUUID } from 'node:crypto'
import { Notifier } from '../../notifier.ts'
import type { Change, Changes } from '../driver.ts'

/** So many changes go into one answer: an application with thousands of elements must not hold up other calls. */
const MOST = 2000
/** Characters of all names and values that are kept: an editor's whole text is in each of its changes. */
const MOST_TEXT = 16 * 2 ** 20

/**
 * Changes in order, for readers that each keep their own place. The oldest fall out; a reader that needs them starts over, and so does
 * one whose place is in the log of an earlier driver: what it knows by the same keys are other things here.
 */
export class ChangeLog {
  readonly #epoch = randomUUID()
  readonly #keep: number
  #first = 0
  #entries: Change[] = []
  #text = 0
  readonly #added = new Notifier()

  constructor(keep = 20_000) {
    this.#keep = keep
  }

  get cursor(): string {
    return this.#placeAt(this.#first + this.#entries.length)
  }

  /** Wakes the readers that wait; they see all that is added before the current turn ends. */
  add(change: Change): void {
    this.#entries.push(change)
    this.#text += textOf(change)
    if (this.#entries.length > 2 * this.#keep || this.#text > 2 * MOST_TEXT) this.#forget()
    this.#added.notify()
  }

  since(cursor: string): Changes {
    const [epoch, place = ''] = cursor.split('/')
    const at = epoch === this.#epoch && /^\d{1,15}$/.test(place) ? Number(place) - this.#first : -1
    if (at < 0 || at > this.#entries.length) return { reset: true }
    const end = Math.min(at + MOST, this.#entries.length)
    return { cursor: this.#placeAt(this.#first + end), changes: this.#entries.slice(at, end), more: end < this.#entries.length }
  }

  get isAwaited(): boolean {
    return this.#added.isAwaited
  }

  /** Resolves when something is added, on `wake`, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.#added.wait(signal, ms)
  }

  /** Makes waiting readers look again for another reason than a change: the desktop closed, or a timer was set. */
  wake(): void {
    this.#added.notify()
  }

  #placeAt(count: number): string {
    return `${this.#epoch}/${count}`
  }

  #forget(): void {
    let count = Math.max(0, this.#entries.length - this.#keep)
    this.#text -= this.#entries.slice(0, count).reduce((sum, change) => sum + textOf(change), 0)
    for (; this.#text > MOST_TEXT; count++) this.#text -= textOf(this.#entries[count])
    this.#first += count
    this.#entries = this.#entries.slice(count)
  }
}

function textOf(change: Change | undefined): number {
  if (change?.type !== 'put') return 0
  const { name = '', value = '', description = '' } = change.node
  return name.length + value.length + description.length
}
