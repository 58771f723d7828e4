import { Bell, type Change, type Changes } from '@deskhand/core/driver'

/** So much is told at a time: an application with thousands of elements must hold nobody up. */
const MOST = 2000

/** What happened, in order, for readers that each keep their own place. Who is too slow starts over. */
export class ChangeLog {
  private readonly keep: number
  private first = 0
  private entries: Change[] = []
  private readonly bell = new Bell()

  constructor(keep = 20_000) {
    this.keep = keep
  }

  get cursor(): string {
    return String(this.first + this.entries.length)
  }

  add(change: Change): void {
    this.entries.push(change)
    if (this.entries.length > 2 * this.keep) {
      this.first += this.entries.length - this.keep
      this.entries = this.entries.slice(-this.keep)
    }
  }

  /** Tells whoever waits that something was added. */
  wake(): void {
    this.bell.ring()
  }

  since(cursor: string): Changes {
    const at = /^\d{1,15}$/.test(cursor) ? Number(cursor) - this.first : -1
    if (at < 0 || at > this.entries.length) return { reset: true }
    const end = Math.min(at + MOST, this.entries.length)
    return { cursor: String(this.first + end), changes: this.entries.slice(at, end), more: end < this.entries.length }
  }

  /** Until `wake`, or until the time or the caller's patience is up. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.bell.wait(signal, ms)
  }

  get isWaitedFor(): boolean {
    return this.bell.isHeard
  }
}
