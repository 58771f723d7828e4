import { DeskhandError } from '../../errors.ts'
import type { Approval } from '../../model/index.ts'
import type { Progress } from '../call.ts'
import type { Decider } from '../decide/decide.ts'
import type { Decided, Recorder } from '../record.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Resolver } from '../see/resolve.ts'
import type { See } from '../see/see.ts'
import type { Resolved } from '../see/targets.ts'
import { label } from '../words.ts'

/** How long an application may take to tell that the focus moved. */
const MOVE_MS = 40

export interface FollowNeeds {
  tree: LiveTree
  see: See
  resolver: Resolver
  decider: Decider
  recorder: Recorder
}

/** A call in the middle of its input. */
export interface Underway {
  decided: Decided
  consent?: Approval
  progress: Progress
  signal: AbortSignal
}

/**
 * Keys go where the focus is. When it moved in the middle of a call, what has it now is judged like the target of a call of its own, and
 * what is not simply allowed ends the call: what was decided is what is touched.
 */
export async function followFocus(on: FollowNeeds, underway: Underway, from: readonly Resolved[]): Promise<readonly Resolved[]> {
  const { tree, see, resolver, decider, recorder } = on
  const { decided, consent, progress, signal } = underway
  const { action, call } = decided
  const before = from[0]?.facts.key
  await tree.sync()
  if (tree.focus === before) await tree.changed(MOVE_MS, signal)
  const [now] = await resolver.resolve({ do: 'keys', events: [] }, call, signal)
  if (now === undefined || now.facts.key === before) return from
  const targets = resolver.withReached(action, [now], call.principal, { held: call.lease?.held, later: true })
  const verdict = decider.decide(call, action, targets)
  const allowed = verdict.decision.verdict === 'allow' || verdict.consent !== undefined
  const secret = action.do === 'type' && (action.secret !== undefined || now.facts.states?.password === true)
  if (!allowed || secret) {
    progress.sent = 'partial'
    const why = allowed ? 'which needs a call of its own' : verdict.decision.reason
    const known = see(call.principal).see(now.facts.key)
    throw new DeskhandError('GUARD_BROKEN', `the focus moved to ${known === undefined ? 'something else' : label(known)}: ${why}`, {
      next: 'Send what is left in a call of its own.',
    })
  }
  await recorder.acting(decided, targets, consent?.digest)
  return targets
}
