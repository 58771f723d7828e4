import type { ActionKind, Principal, Result } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'

/** A recorded call that is to be made again. */
export interface Reissue {
  /** Its entry in the journal it was read from. */
  seq: number
  tool: string
  kind: ActionKind
  args?: unknown
  /** The agent whose call it was. */
  as: string
  dryRun: boolean
}

/** Makes a recorded call again, on the same path and judged as the same agent's; who had it made is written down. */
export async function reissue(session: Session, by: Principal, { seq, tool, kind, args = {}, as, dryRun }: Reissue): Promise<Result> {
  if (!dryRun) await session.journal.append({ type: 'operator', what: 'replay', by, detail: { seq, tool, as } }, { durable: true })
  return session.call({ tool, kind, args, principal: { id: as, role: 'agent' }, intent: `replay of entry ${seq}`, dryRun })
}
