import { DeskhandError } from '../../errors.ts'
import type { Action, Approval, Point, TargetFacts } from '../../model/index.ts'
import type { Progress } from '../call.ts'
import type { Decider, Verdict } from '../decide/decide.ts'
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
  const { tree, resolver, decider, recorder } = on
  const { decided, consent, signal } = underway
  const { action, call } = decided
  const before = from[0]?.facts.key
  await tree.sync()
  if (tree.focus === before) await tree.changed(MOVE_MS, signal)
  const [now] = await resolver.resolve({ do: 'keys', events: [] }, call, signal)
  if (now === undefined || now.facts.key === before) return from
  const targets = resolver.withReached(action, [now], call.principal, { held: call.lease?.held, later: true })
  const verdict = decider.decide(call, action, targets)
  const secret = action.do === 'type' && (action.secret !== undefined || now.facts.states?.password === true)
  mustBeAllowed(on, underway, { now, verdict, moved: 'the focus moved to', needsCall: secret })
  await recorder.acting(decided, targets, consent?.digest)
  return targets
}

/** Where a button is let go, what was judged to lie there, and everything that was judged. */
interface Release {
  at: Point
  instead: Resolved | undefined
  judged: readonly Resolved[]
}

/**
 * A drag may have brought something under the pointer that was not there when it was judged, or not under this name: that is judged before the
 * button is let go. What was dragged along was judged already.
 */
export async function followRelease(on: FollowNeeds, underway: Underway, { at, instead, judged }: Release): Promise<Resolved> {
  const { tree, resolver, decider, recorder } = on
  const { decided, consent } = underway
  const { action, call } = decided
  const pixel: Action = { do: 'click_xy', ...at, coordinateSpace: 'desktop', button: 'left', clickCount: 1 }
  const [now] = await resolver.now(pixel, call.principal, { synced: tree.sync() })
  if (now === undefined) throw new DeskhandError('INTERNAL', 'a pixel without a target')
  if (judged.some((t) => isSame(t.facts, now.facts))) return now
  const targets = judged.map((t) => (t === instead ? now : t))
  mustBeAllowed(on, underway, { now, verdict: decider.judge(call, action, targets), moved: 'under the pointer came' })
  await recorder.acting(decided, targets, consent?.digest)
  return now
}

const isSame = (then: TargetFacts, now: TargetFacts): boolean => then.key === now.key && then.role === now.role && then.name === now.name

interface Reached {
  now: Resolved
  verdict: Verdict
  moved: string
  /** It is never reached in the course of another call. */
  needsCall?: boolean
}

function mustBeAllowed(on: FollowNeeds, { decided, progress }: Underway, { now, verdict, moved, needsCall = false }: Reached): void {
  const isAllowed = verdict.decision.verdict === 'allow' || verdict.consent !== undefined
  if (isAllowed && !needsCall) return
  progress.sent = 'partial'
  const why = isAllowed ? 'which needs a call of its own' : verdict.decision.reason
  const known = on.see(decided.call.principal).see(now.facts.key)
  throw new DeskhandError('GUARD_BROKEN', `${moved} ${known === undefined ? 'something else' : label(known)}: ${why}`, {
    next: 'Send what is left in a call of its own.',
  })
}
