import type { ReadableJournal } from '../journal/index.ts'
import type { DesktopInfo, Handlers, JournalEntry, MethodParams } from '../model/index.ts'
import type { Approvals } from './decide/approvals.ts'
import type { Operations } from './operations.ts'

interface WatchingNeeds {
  approvals: Approvals
  operations: Operations
  journal: ReadableJournal
  info(): DesktopInfo
}

type WatchingMethod = 'info' | 'approvals.list' | 'approvals.picture' | 'grants.list' | 'operations.list' | 'journal.read'

/** What can be seen of a desktop without doing anything on it. */
export function watching({ approvals, operations, journal, info }: WatchingNeeds): Handlers<WatchingMethod> {
  return {
    info: () => info(),
    'approvals.list': () => approvals.list(),
    'approvals.picture': ({ id }) => ({ png: approvals.picture(id) }),
    'grants.list': () => approvals.grants(),
    'operations.list': (_, { who }) => operations.list(who),
    'journal.read': (params) => entries(journal, params),
  }
}

async function entries(journal: ReadableJournal, query: MethodParams<'journal.read'>): Promise<JournalEntry[]> {
  const found: JournalEntry[] = []
  for await (const entry of journal.entries(query)) found.push(entry)
  return found
}
