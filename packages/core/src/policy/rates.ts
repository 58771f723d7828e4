import { appWords, type ActionKind } from '../model/index.ts'
import { meanings, timesOf } from './meaning.ts'
import { condensed, wasOf, type PastCall } from './past.ts'
import type { Rates, Subject } from './policy.ts'

/** What a call counts as: its action, whichever tool asked for it, and each application it touches; for its agent alone, or `shared` by all. */
export function rateKeys(subject: Subject, shared: boolean): { tool: string; apps: readonly string[] } {
  const scope = scopeOf(subject, shared)
  const apps = subject.targets.flatMap((t) => (t.app ? [`${scope}app:${appWords(t.app)}`] : []))
  return { tool: toolKey(scope, subject.kind), apps: [...new Set(apps)] }
}

/** Rates limit agents. What operators and viewers do is not counted, so that a live view uses up nothing of an agent's. */
export const isCounted = ({ principal }: Subject): boolean => principal.role === 'agent'

const scopeOf = ({ principal }: Subject, shared: boolean): string => (shared ? 'all\0' : `by\0${principal.id}\0`)
const toolKey = (scope: string, kind: ActionKind): string => `${scope}tool:${kind}`

/** A sliding window over the calls that were let through, by what they mean too. The session owns one per desktop. */
export class RateCounter implements Rates {
  readonly #times = new Map<string, number[]>()
  readonly #past = new Map<string, PastCall[]>()

  past(principal: string | undefined, since: number): readonly (readonly Subject[])[] {
    return this.#since(principal, since).map(wasOf)
  }

  /** For judging a call that was counted once more: rules that look back do not see itself, and no limit counts. */
  besides(own: Subject): Rates {
    const others = (calls: readonly PastCall[]): PastCall[] => calls.filter(({ subject }) => subject !== own)
    return { count: () => 0, past: (principal, since) => others(this.#since(principal, since)).map(wasOf) }
  }

  #since(principal: string | undefined, since: number): readonly PastCall[] {
    const of = principal === undefined ? [...this.#past.values()] : [this.#past.get(principal) ?? []]
    return of.flatMap((calls) => calls.slice(calls.findLastIndex(({ at }) => at <= since) + 1))
  }

  record(subject: Subject, now: number): void {
    if (!isCounted(subject)) return
    const calls = this.#past.get(subject.principal.id) ?? []
    const meaning = meanings(subject)
    calls.push({ at: now, subject, meaning, count: 1 })
    this.#past.set(subject.principal.id, condensed(calls, now - WINDOW_MS))
    for (const shared of [false, true]) {
      const { tool, apps } = rateKeys(subject, shared)
      const scope = scopeOf(subject, shared)
      for (let i = timesOf(subject); i > 0; i--) this.#add(tool, now)
      for (const { kind, times } of meaning) for (let i = Math.min(times, MOST); i > 0; i--) this.#add(toolKey(scope, kind), now)
      for (const app of apps) this.#add(app, now)
    }
    if (this.#times.size > MOST_KEYS) this.#forget(now)
  }

  count(key: string, since: number): number {
    const times = this.#times.get(key) ?? []
    return times.length - times.findLastIndex((t) => t <= since) - 1
  }

  #add(key: string, now: number): void {
    const times = this.#times.get(key) ?? []
    times.push(now)
    this.#times.set(key, times.length > 2 * MOST ? times.slice(-MOST) : times)
  }

  #forget(now: number): void {
    for (const [key, times] of this.#times) if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.#times.delete(key)
    for (const [who, calls] of this.#past) if ((calls.at(-1)?.at ?? 0) <= now - WINDOW_MS) this.#past.delete(who)
  }
}

/** As long and as many as a rule may ask for. */
const WINDOW_MS = 3_600_000
const MOST = 10_000
const MOST_KEYS = 10_000
