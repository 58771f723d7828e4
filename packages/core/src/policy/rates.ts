import type { ActionKind } from '../model/index.ts'
import { meanings } from './meaning.ts'
import type { Rates, Subject } from './policy.ts'

/** What a call counts as: its action, whichever tool asked for it, and each application it touches. */
export function rateKeys(subject: Subject): { tool: string; apps: readonly string[] } {
  const apps = subject.targets.flatMap((t) => (t.app ? [`app:${t.app.executable ?? t.app.id}`] : []))
  return { tool: toolKey(subject.kind), apps: [...new Set(apps)] }
}

const toolKey = (kind: ActionKind): string => `tool:${kind}`

/** A sliding window over the calls that were let through, by what they mean too. The session owns one per desktop. */
export class RateCounter implements Rates {
  readonly #times = new Map<string, number[]>()

  record(subject: Subject, now: number): void {
    const { tool, apps } = rateKeys(subject)
    const meant = meanings(subject).flatMap(({ kind, times }) => Array<string>(Math.min(times, MOST)).fill(toolKey(kind)))
    for (const key of [tool, ...meant, ...apps]) {
      const times = this.#times.get(key) ?? []
      times.push(now)
      this.#times.set(key, times.length > 2 * MOST ? times.slice(-MOST) : times)
    }
    if (this.#times.size > MOST_KEYS) this.#forget(now)
  }

  count(key: string, since: number): number {
    const times = this.#times.get(key) ?? []
    return times.length - times.findLastIndex((t) => t <= since) - 1
  }

  #forget(now: number): void {
    for (const [key, times] of this.#times) if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.#times.delete(key)
  }
}

/** As long and as many as a rule may ask for. */
const WINDOW_MS = 3_600_000
const MOST = 10_000
const MOST_KEYS = 1000
