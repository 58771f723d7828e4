import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import { ApiError, type Api, type NamedDesktop } from '../api/client.ts'
import { TEXT } from '../text.ts'
import type { DesktopState, DesktopStore } from '../state/desktop-store.ts'
import type { DraftKinds, Drafts } from '../state/drafts.ts'

export interface Console {
  api: Api
  desktops: readonly NamedDesktop[]
  store: DesktopStore
  drafts: Drafts
  /** Reads the list of desktops again. */
  refresh(): Promise<void>
  /** Tells the person what went wrong. */
  complain(problem: string): void
}

export const ConsoleContext = createContext<Console | undefined>(undefined)

export function useConsole(): Console {
  const found = useContext(ConsoleContext)
  if (found === undefined) throw new Error('outside of the console')
  return found
}

export function useDesktop(): DesktopState {
  const { store } = useConsole()
  return useSyncExternalStore(store.subscribe, store.get)
}

/** What the person is at in a view of this desktop, and a function that keeps another state of it; without one it is dropped. */
export function useDraft<K extends keyof DraftKinds>(kind: K) {
  const { drafts, store } = useConsole()
  const { name } = store.api
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.of(name)[kind])
  const keep = useCallback((next?: DraftKinds[K]) => drafts.keep(name, kind, next), [drafts, kind, name])
  return [draft, keep] as const
}

/** What is said in place of what was not read yet. */
export function useUnread(): string {
  const { link, refusal } = useDesktop()
  if (link !== 'offline') return TEXT.loading
  return refusal === undefined ? TEXT.offlineHere : TEXT.refusedHere
}

/** Does something on the server; what goes wrong is told to the person. */
export function useAct(): (work: () => Promise<unknown>) => void {
  const { complain } = useConsole()
  return useCallback((work) => void work().catch((thrown: unknown) => complain(wordsOf(thrown))), [complain])
}

export function wordsOf(thrown: unknown): string {
  // What `fetch` throws where there is no answer is worded by the browser.
  if (thrown instanceof TypeError) return TEXT.noAnswer
  if (thrown instanceof ApiError) return thrown.words
  return thrown instanceof Error ? thrown.message : String(thrown)
}
