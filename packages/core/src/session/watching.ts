import { isAboutCalls, RuleUses, searchCalls, searchEntries, traceOf, type ReadableJournal } from '../journal/index.ts'
import type { DesktopInfo, Handlers } from '../model/index.ts'
import type { Counters } from './counters.ts'
import type { Approvals } from './decide/approvals.ts'
import type { Operations } from './operations.ts'

interface WatchingNeeds {
  approvals: Approvals
  counters: Counters
  operations: Operations
  journal: ReadableJournal
  info(): DesktopInfo
}

type WatchingMethod =
  | 'info'
  | 'approvals.list'
  | 'approvals.picture'
  | 'grants.list'
  | 'counters'
  | 'operations.list'
  | 'operations.result'
  | 'journal.read'
  | 'trace'
  | 'policy.uses'

/** What can be seen of a desktop without doing anything on it. */
export function watching({ approvals, counters, operations, journal, info }: WatchingNeeds): Handlers<WatchingMethod> {
  const uses = new RuleUses(journal)
  return {
    info: () => info(),
    'approvals.list': () => approvals.list(),
    'approvals.picture': ({ id }) => ({ png: approvals.picture(id) }),
    'grants.list': () => approvals.grants(),
    counters: () => counters.read(),
    'operations.list': (_, { who }) => operations.list(who),
    'operations.result': ({ callId, waitMs }, { who }) => operations.resultOf(callId, who, waitMs),
    'journal.read': (query, { signal }) =>
      query.calls || isAboutCalls(query) ? searchCalls(journal, query, signal) : searchEntries(journal, query, signal),
    'policy.uses': (_, { signal }) => uses.read(signal),
    trace: ({ limit, before }, { signal }) => traceOf(journal, limit, before, signal),
  }
}
