import { setTimeout as sleep } from 'node:timers/promises'
import type { Sent } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { MODIFIERS, type Action, type Condition, type FlatNode } from '../model/index.ts'
import { closedEffect } from './apps.ts'
import type { Job } from './carry-out.ts'
import { implied, unproven, type Implied } from './effect.ts'
import { judge, type Before } from './judge.ts'
import type { Call } from './ports.ts'
import { checkAll } from './ready.ts'
import type { Outcome } from './record.ts'
import type { Resolved } from './resolve.ts'
import type { Session } from './session.ts'
import type { LiveNode } from './tree.ts'

/** How long an action waits for its own effect, and for a stated condition. */
const EFFECT_MS = 400
const VERIFY_MS = 3_000
/** The target alone is looked at so often, and so long in between, before everything is. */
const GLANCES = 3
const GLANCE_MS = 3

/** The action's own target in the replica, while it lives. */
export function ownNode(s: Session, job: Job): LiveNode | undefined {
  const key = job.targets[0]?.facts.key
  return key === undefined ? undefined : s.tree.node(key)
}

/** The caller said what must hold afterwards. */
export async function stated(
  s: Session,
  condition: Condition,
  job: Job,
  before: Before,
): Promise<Pick<Outcome, 'effect' | 'verification' | 'failure' | 'evidence' | 'text'>> {
  const judgement = await s.until(() => judge(condition, s.scene(job.call, ownNode(s, job), before)), VERIFY_MS, job.signal)
  const verification = { passed: judgement.holds === true, details: judgement.details }
  if (judgement.holds === true) return { effect: 'confirmed', verification }
  const fresh = s.snapshot(job.call, { scope: 'window' })
  return {
    effect: 'unverified',
    verification,
    evidence: { snapshotId: fresh.snapshotId },
    text: fresh.text,
    failure: new DeskhandError('VERIFY_FAILED', `it was done, but afterwards: ${judgement.details}`),
  }
}

/** A rule demands proof: an action that is meant to be seen and was not is a failure, though nothing was stated about it. */
export function demanded(s: Session, action: Action, call: Call, targets: readonly Resolved[], outcome: Outcome): Outcome {
  // Nobody looks into a password field, so there is no proof to ask for.
  if (outcome.verification !== undefined || (action.do === 'type' && targets.some((t) => t.facts.states?.password))) return outcome
  const passed = outcome.effect === 'confirmed' || outcome.effect === 'changed'
  const details = SEEN[outcome.effect]
  const verification = { passed, details }
  if (passed || !(SHOWS.has(action.do) || letsGo(action))) return { ...outcome, verification }
  const fresh = s.snapshot(call, { scope: 'window' })
  const failure = new DeskhandError('VERIFY_FAILED', `it was done, but a rule demands proof: ${details}`)
  return { ...outcome, verification, failure, text: fresh.text, evidence: { ...outcome.evidence, snapshotId: fresh.snapshotId } }
}

const SEEN: { [E in Outcome['effect']]: string } = {
  confirmed: 'what it implies was seen on its target',
  changed: 'something changed',
  no_effect: 'nothing was seen to change',
  unverified: 'nobody could look',
  refused: 'nothing was sent',
  none: 'nothing was sent',
}
/** Raw events that press, write or drag, to their end: what is only pressed down has not acted yet. */
const letsGo = (action: Action): boolean =>
  (action.do === 'pointer' && action.events.some((e) => e.type === 'up')) ||
  (action.do === 'keys' && action.events.some((e) => e.type === 'up' && !isModifier(e.key)))

/** Where a rule demands proof, raw events look for it as long as any action does. */
export const patient = (action: Action): Action =>
  action.do === 'pointer' || action.do === 'keys' ? { ...action, settleMs: EFFECT_MS } : action

/** Copying, scrolling or pointing may rightly change nothing. */
const SHOWS: ReadonlySet<Action['do']> = new Set<Action['do']>(['click', 'click_xy', 'type', 'drag', 'window', 'launch', 'close'])

const isModifier = (key: string): boolean => MODIFIERS.some((m) => m === key)

/** Nothing was stated: look for what the action implies on its own target, then for any change at all. */
export async function observed(
  s: Session,
  action: Action,
  job: Job,
  before: FlatNode | undefined,
  text: string | undefined,
  generation: number,
  sent: Sent,
): Promise<Pick<Outcome, 'effect' | 'text'>> {
  if (action.do === 'close') return closedEffect(s, action, job)
  if (action.do === 'launch') return { effect: await launched(s, sent, job.signal) }
  const raw = action.do === 'pointer' || action.do === 'keys'
  // No time to look was given: a simulated desktop has changed by now, a real one not yet. The pointer alone changes nothing.
  const unlooking = raw && action.settleMs === undefined
  if (unlooking && (s.ports.desktop !== 'virtual' || (action.do === 'pointer' && job.targets.length === 0))) return { effect: 'unverified' }
  const sure = implied(action, before, text)
  const watching = s.info.can.push.ok
  const patience = Date.now() + (raw ? (action.settleMs ?? 0) : EFFECT_MS)
  const looked = watching && !unlooking && !(action.do === 'type' && before?.states?.password)
  let over = false
  for (let looks = 1; ; looks++) {
    if (sure !== undefined && (await holds(s, sure, job))) return { effect: 'confirmed' }
    if (sure !== undefined && looks < GLANCES) {
      await sleep(GLANCE_MS)
      continue
    }
    await s.tree.sync()
    const changed = s.tree.generation !== generation
    const left = patience - Date.now()
    if ((changed && sure === undefined) || over || left <= 0 || !watching) return { effect: unproven(sent.sent, changed, looked) }
    over = !(await s.tree.changed(left, job.signal))
  }
}

async function holds(s: Session, sure: Implied, job: Job): Promise<boolean> {
  const key = job.targets[0]?.facts.key
  return sure(key === undefined ? undefined : (await checkAll(s, [key]))[0])
}

async function launched(s: Session, sent: Sent, signal: AbortSignal): Promise<Outcome['effect']> {
  const pid = sent.detail?.['pid']
  if (pid === undefined) return 'unverified'
  const there = await s.until(() => ({ holds: s.tree.apps.some((a) => a.pid === pid), details: '' }), VERIFY_MS, signal)
  return there.holds === true ? 'confirmed' : 'unverified'
}
