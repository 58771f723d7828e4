import { Notifier } from '../../notifier.ts'
import type { Change, Changes } from '../driver.ts'

/** So many changes go into one answer: an application with thousands of elements must not hold up other calls. */
const MOST = 2000
/** Characters of all names and values that are kept: an editor's whole text is in each of its changes. */
const MOST_TEXT = 16 * 2 ** 20

/** Changes in order, for readers that each keep their own place. The oldest fall out; a reader that needs them starts over. */
export class ChangeLog {
  readonly #keep: number
  #first = 0
  #entries: Change[] = []
  #text = 0
  readonly #added = new Notifier()

  constructor(keep = 20_000) {
    this.#keep = keep
  }

  get cursor(): string {
    return String(this.#first + this.#entries.length)
  }

  /** Wakes the readers that wait; they see all that is added before the current turn ends. */
  add(change: Change): void {
    this.#entries.push(change)
    this.#text += textOf(change)
    if (this.#entries.length > 2 * this.#keep || this.#text > 2 * MOST_TEXT) this.#forget()
    this.#added.notify()
  }

  since(cursor: string): Changes {
    const at = /^\d{1,15}$/.test(cursor) ? Number(cursor) - this.#first : -1
    if (at < 0 || at > this.#entries.length) return { reset: true }
    const end = Math.min(at + MOST, this.#entries.length)
    return { cursor: String(this.#first + end), changes: this.#entries.slice(at, end), more: end < this.#entries.length }
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
