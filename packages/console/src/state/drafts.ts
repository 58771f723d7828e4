import type { Result } from '@deskhand/core/model'

/** What a person is at in a view and has not finished. */
export interface DraftKinds {
  script: { code: string; language: 'script' | 'python'; isWriting: boolean }
  /** A script that runs since an entry of the record, or what came of the last one. */
  run: { since: number } | { result: Result; of: string; isRehearsal: boolean }
  /** Rules, and the saved ones that they were written upon. */
  rules: { text: string; upon: string }
  /** What is looked for in the timeline. */
  search: { words: string; filters: Partial<Record<'verdict' | 'effect' | 'risk', string>> }
  /** The selector that is tried in Inspect. */
  selector: string
  /** The call that Policy is asked about. */
  explain: Record<'tool' | 'target' | 'more' | 'agent', string>
}

type Kept = { [K in keyof DraftKinds]?: DraftKinds[K] | undefined }

const NONE: Kept = {}

/** Drafts of every desktop. They are kept as long as the page: views come and go, and so do connections and sign-ins. */
export class Drafts {
  readonly #kept = new Map<string, Kept>()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  of(desktop: string): Kept {
    return this.#kept.get(desktop) ?? NONE
  }

  keep<K extends keyof DraftKinds>(desktop: string, kind: K, draft: DraftKinds[K] | undefined): void {
    this.#kept.set(desktop, { ...this.of(desktop), [kind]: draft })
    for (const listener of this.#listeners) listener()
  }
}
