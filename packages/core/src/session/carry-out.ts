import { within, type Sent } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import type { Action, Approval, Condition, FlatNode } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import { act } from './act.ts'
import { digest as digestOf, samePlace } from './approvals.ts'
import { implied, unproven, type Implied } from './effect.ts'
import { faceOf, judge, windowKeys, type Before } from './judge.ts'
import type { Call } from './ports.ts'
import { summary, type Outcome } from './record.ts'
import type { Resolved } from './resolve.ts'
import type { Session } from './session.ts'

/** How long an action waits for its target to become operable, for its own effect, and for a stated condition. */
const READY_MS = 1_000
const EFFECT_MS = 400
const VERIFY_MS = 3_000
const CHECK_MS = 3_000

interface Job {
  call: Call
  op: string
  targets: Resolved[]
  consent?: Approval
  signal: AbortSignal
}

/** From the decision to the verified effect: under one lease, from re-check to verify. */
export async function carryOut(s: Session, action: Action, job: Job): Promise<Outcome> {
  const text = await textOf(s, action, job)
  await ready(s, action, job)
  return s.withHands(job.call, job.signal, async (hands) => {
    const fresh = await recheck(s, job)
    await s.tree.sync()
    const before: Before = { face: own(s, job) && faceOf(own(s, job)!), windows: windowKeys(s.tree) }
    const generation = s.tree.generation
    await s.journal.append({ type: 'acting', op: job.op, steps: [summary(action, job.targets.map((t) => t.facts))], digest: job.consent?.digest }, { durable: s.ports.durable })
    job.signal.throwIfAborted()
    s.lastActor = job.call.principal
    const sent = await deliver(s, () =>
      act(action, { hands, info: s.info, targets: job.targets, fresh, text, signal: job.signal, check: async (key) => (await checkAll(s, [key]))[0] }),
    )
    if (sent.broken !== undefined) throw new DeskhandError('GUARD_BROKEN', `the ${sent.broken} was no longer the target's`, { details: { sent: sent.sent } })
    if (sent.sent === 'partial') throw new DeskhandError('LEASE_LOST', `only ${sent.units} events were sent`, { details: { sent: 'partial' } })
    const proof = 'verify' in action && action.verify ? stated(s, action.verify, job, before) : observed(s, action, job, fresh[0], text, generation, sent)
    return { sent: sent.sent, via: sent.via, data: sent.detail, ...(await proof) }
  })
}

async function textOf(s: Session, action: Action, job: Job): Promise<string | undefined> {
  if (action.do !== 'type') return undefined
  if (action.secret === undefined) return action.text
  if (s.ports.secret === undefined) throw new DeskhandError('UNKNOWN_SECRET', `no secret ${action.secret} is known here`)
  return s.ports.secret(action.secret, job.targets[0]?.facts)
}

/** Waits, without the lease, until every target is enabled and visible. */
async function ready(s: Session, action: Action, job: Job): Promise<void> {
  const patience = Date.now() + (('timeoutMs' in action ? action.timeoutMs : undefined) ?? READY_MS)
  for (;;) {
    const obstacle = job.targets.map((t) => obstacleOf(t.node?.states)).find((o) => o !== undefined)
    if (obstacle === undefined) return
    const left = patience - Date.now()
    if (left <= 0 || !(await s.tree.changed(left, job.signal))) {
      throw new DeskhandError('NOT_ACTIONABLE', `${summary(action, job.targets.map((t) => t.facts))}: the element is ${obstacle}`)
    }
  }
}

const obstacleOf = (states: FlatNode['states']): string | undefined =>
  states?.enabled === false ? 'disabled' : states?.visible === false ? 'not visible' : undefined

/** The targets as the application has them now; what differs from what was decided ends the call. */
async function recheck(s: Session, job: Job): Promise<(FlatNode | undefined)[]> {
  const keys = job.targets.map((t) => t.facts.key)
  let fresh = await checkAll(s, keys)
  for (let i = 0; i < 10 && moved(job.targets, fresh); i++) {
    for (const [n, t] of job.targets.entries()) t.facts = { ...t.facts, bounds: fresh[n]?.bounds }
    await new Promise((r) => setTimeout(r, 16))
    fresh = await checkAll(s, keys)
  }
  for (const [i, { facts }] of job.targets.entries()) {
    const now = fresh[i]
    if (facts.key === undefined) continue
    if (now === undefined) throw new DeskhandError('STALE_REF', `${label(facts)} is gone`)
    if (now.role !== facts.role || now.name !== facts.name) {
      throw new DeskhandError('TARGET_CHANGED', `it was ${label(facts)} and is ${label(now)} now`)
    }
    const obstacle = obstacleOf(now.states)
    if (obstacle !== undefined) throw new DeskhandError('NOT_ACTIONABLE', `${label(facts)} is ${obstacle}`)
  }
  if (job.consent !== undefined) await stillApproved(s, job, job.consent)
  return fresh
}

const label = (n: { role: string; name?: string }): string => (n.name === undefined ? n.role : `${n.role} ${clip(n.name)}`)

async function stillApproved(s: Session, job: Job, consent: Approval): Promise<void> {
  if (s.now() >= Date.parse(consent.expiresAt)) throw new DeskhandError('APPROVAL_EXPIRED', `${consent.id} was allowed, but could not be used in time`)
  const windows = await checkAll(s, job.targets.map((t) => t.facts.window?.key))
  const facts = job.targets.map(({ facts: f }, i) => (f.window === undefined ? f : { ...f, window: { ...f.window, bounds: windows[i]?.bounds } }))
  const same = digestOf(job.call.tool, job.call.args, facts, s.policy.version) === consent.digest
  const place = facts.every((f, i) => samePlace(consent.targets[i] ?? f, f, consent.tolerancePx))
  if (!same || !place) throw new DeskhandError('TARGET_CHANGED', 'what was approved has changed since; the approval is void')
}

/** Bounds that differ from the last look mean that something is still moving. */
const moved = (targets: readonly Resolved[], fresh: readonly (FlatNode | undefined)[]): boolean =>
  targets.some((t, i) => {
    const [a, b] = [t.facts.bounds, fresh[i]?.bounds]
    return a !== undefined && b !== undefined && (a.x !== b.x || a.y !== b.y || a.w !== b.w || a.h !== b.h)
  })

async function checkAll(s: Session, keys: readonly (string | undefined)[]): Promise<(FlatNode | undefined)[]> {
  const real = keys.filter((k) => k !== undefined)
  if (real.length === 0) return keys.map(() => undefined)
  const nodes = await s.observe.check(real, within(CHECK_MS))
  const byKey = new Map(real.map((k, i) => [k, nodes[i] ?? undefined]))
  return keys.map((k) => (k === undefined ? undefined : byKey.get(k)))
}

/** A driver that fails in the middle of a step leaves open what arrived. */
async function deliver(s: Session, run: () => Promise<Sent>): Promise<Sent> {
  try {
    return await run()
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    const clean = error.code === 'NOT_CAPABLE' || error.code === 'NOT_ACTIONABLE' || error.code === 'BAD_ARGS' || error.code === 'UNKNOWN_APP' || error.code === 'NOT_FOUND'
    if (clean || error.details !== undefined) throw error
    throw new DeskhandError(s.stopped ? 'STOPPED' : error.code, error.message, { details: { sent: 'unknown' }, cause: thrown })
  }
}

const own = (s: Session, job: Job) => (job.targets[0]?.facts.key === undefined ? undefined : s.tree.node(job.targets[0].facts.key))

/** The caller said what must hold afterwards. */
async function stated(s: Session, condition: Condition, job: Job, before: Before): Promise<Pick<Outcome, 'effect' | 'verification' | 'failure' | 'evidence' | 'text'>> {
  const judgement = await s.until(() => judge(condition, s.scene(job.call, own(s, job), before)), VERIFY_MS, job.signal)
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

/** Nothing was stated: look for what the action implies on its own target, then for any change at all. */
async function observed(s: Session, action: Action, job: Job, before: FlatNode | undefined, text: string | undefined, generation: number, sent: Sent): Promise<Pick<Outcome, 'effect'>> {
  if (action.do === 'launch') return { effect: await launched(s, sent, job.signal) }
  const sure = implied(action, before, text)
  const watching = s.info.can.push.ok
  const patience = Date.now() + EFFECT_MS
  let over = false
  for (;;) {
    if (sure !== undefined && (await holds(s, sure, job))) return { effect: 'confirmed' }
    await s.tree.sync()
    const changed = s.tree.generation !== generation
    const left = patience - Date.now()
    if ((changed && sure === undefined) || over || left <= 0 || !watching) return { effect: unproven(sent.sent, changed, watching) }
    over = !(await s.tree.changed(left, job.signal))
  }
}

async function holds(s: Session, sure: Implied, job: Job): Promise<boolean> {
  const key = job.targets[0]?.facts.key
  return sure(key === undefined ? undefined : (await checkAll(s, [key]))[0])
}

async function launched(s: Session, sent: Sent, signal: AbortSignal): Promise<Outcome['effect']> {
  const pid = sent.detail?.['pid']
  const there = await s.until(() => ({ holds: s.tree.apps.some((a) => a.pid === pid), details: '' }), VERIFY_MS, signal)
  return there.holds === true ? 'confirmed' : 'unverified'
}
