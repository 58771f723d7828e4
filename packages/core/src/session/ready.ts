import { within } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { center, type Action, type Approval, type FlatNode } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import { samePlace } from './approvals.ts'
import type { Job } from './carry-out.ts'
import { stillLet } from './deciding.ts'
import { bind } from './digest.ts'
import { saysOf } from './facts.ts'
import { summary } from './record.ts'
import { resolve, type Resolved } from './resolve.ts'
import type { Session } from './session.ts'

const CHECK_MS = 3_000
const HIT_MS = 2_000
const FRESH_MS = 100
/** How often a moving element is looked at again, and how long in between. */
const LOOKS = 20
const BETWEEN_MS = 16

/** Waits, without the lease, until every target is enabled and visible; says which of these it was not. */
export async function ready(s: Session, action: Action, job: Job, patience: number): Promise<void> {
  for (;;) {
    const obstacle = job.targets.map((t) => obstacleOf(action, t.node?.states)).find((o) => o !== undefined)
    if (obstacle === undefined) return
    const left = patience - Date.now()
    if (left <= 0 || !(await s.tree.changed(left, job.signal))) {
      throw new DeskhandError(
        'NOT_ACTIONABLE',
        `${summary(
          action,
          job.targets.map((t) => t.facts),
        )}: the element is ${obstacle}`,
      )
    }
  }
}

/** A window manager reaches windows that nobody sees; everything else needs an element that can be operated. */
function obstacleOf(action: Action, states: FlatNode['states']): string | undefined {
  if (action.do === 'window' || action.do === 'close') return undefined
  return states?.enabled === false ? 'disabled' : states?.visible === false ? 'not visible' : undefined
}

/** The targets as the application has them now; what differs from what was decided ends the call. */
export async function recheck(s: Session, action: Action, job: Job): Promise<(FlatNode | undefined)[]> {
  const keys = job.targets.map((t) => t.facts.key)
  let fresh = await checkAll(s, keys)
  for (let looks = 1; moved(job.targets, fresh); looks++) {
    if (looks > LOOKS)
      throw new DeskhandError('NOT_ACTIONABLE', `${label(job.targets[0]?.facts ?? { role: 'the element' })} is still moving`)
    for (const [n, t] of job.targets.entries()) t.facts = { ...t.facts, bounds: fresh[n]?.bounds }
    await new Promise((r) => setTimeout(r, BETWEEN_MS))
    fresh = await checkAll(s, keys)
  }
  for (const [i, { facts }] of job.targets.entries()) {
    const now = fresh[i]
    if (facts.key === undefined) continue
    if (now === undefined) throw new DeskhandError('STALE_REF', `${label(facts)} is gone`)
    if (now.role !== facts.role || now.name !== facts.name) {
      throw new DeskhandError('TARGET_CHANGED', `it was ${label(facts)} and is ${label(now)} now`)
    }
    const obstacle = obstacleOf(action, now.states)
    if (obstacle !== undefined) throw new DeskhandError('NOT_ACTIONABLE', `${label(facts)} is ${obstacle}`)
  }
  if (!isFresh(action, job)) await sameAgain(s, action, job)
  if (job.consent !== undefined) {
    stillLet(s, job.call, action, job.targets)
    await stillApproved(s, job, job.consent)
  }
  return fresh
}

/**
 * Whether a press was resolved a moment ago and nobody was waited for since. The driver asks what lies under the pixel right before it
 * presses, so here nobody needs to ask the same once more.
 */
export function isFresh(action: Action, job: Job): boolean {
  if (job.consent !== undefined || (action.do !== 'pointer' && action.do !== 'click_xy')) return false
  return performance.now() - job.resolvedAt < FRESH_MS
}

/** What was reached by a pixel or by the focus has no name to check: it is reached for once more, and must be the same. */
async function sameAgain(s: Session, action: Action, job: Job): Promise<void> {
  if (action.do === 'launch' || job.targets.every((t) => t.facts.source === 'structure')) return
  const again = await resolve(action, s.looking(job.call))
  const same = again.length === job.targets.length && again.every((t, i) => t.facts.key === job.targets[i]?.facts.key)
  if (!same) throw new DeskhandError('TARGET_CHANGED', 'something else has the focus or lies under the pixel by now')
}

/** What lies over the first target, as far as the caller may know it. */
export async function coverOf(s: Session, job: Job): Promise<string> {
  const { bounds } = job.targets[0]?.facts ?? {}
  const hit = bounds && (await s.observe.hit(center(bounds), within(HIT_MS)))
  const over = s.tree.node(hit?.node ?? hit?.window ?? '')
  const known = s.seen(job.call).see(over?.key)
  return known === undefined ? 'something else' : label(known)
}

export const label = (n: { role: string; name?: string }): string => (n.name === undefined ? n.role : `${n.role} ${clip(n.name)}`)

async function stillApproved(s: Session, job: Job, consent: Approval): Promise<void> {
  if (s.now() >= Date.parse(consent.expiresAt))
    throw new DeskhandError('APPROVAL_EXPIRED', `${consent.id} was allowed, but could not be used in time`)
  const windows = await checkAll(
    s,
    job.targets.map((t) => t.facts.window?.key),
  )
  const facts = job.targets.map(({ node, facts: f }, i) => ({
    ...f,
    says: node === undefined ? f.says : saysOf(node),
    window: f.window && { ...f.window, bounds: windows[i]?.bounds },
  }))
  const same = bind(job.call.tool, job.call.args, facts, s.policy.version) === consent.digest
  const place = facts.every((f, i) => samePlace(consent.targets[i] ?? f, f, consent.tolerancePx))
  if (!same || !place) throw new DeskhandError('TARGET_CHANGED', 'what was approved has changed since; the approval is void')
}

/** Bounds that differ from the last look mean that something is still moving. */
const moved = (targets: readonly Resolved[], fresh: readonly (FlatNode | undefined)[]): boolean =>
  targets.some((t, i) => {
    const [a, b] = [t.facts.bounds, fresh[i]?.bounds]
    return a !== undefined && b !== undefined && (a.x !== b.x || a.y !== b.y || a.w !== b.w || a.h !== b.h)
  })

/** What the application itself says of these nodes, in the same order. */
export async function checkAll(s: Session, keys: readonly (string | undefined)[]): Promise<(FlatNode | undefined)[]> {
  const real = keys.filter((k) => k !== undefined)
  if (real.length === 0) return keys.map(() => undefined)
  const nodes = await s.observe.check(real, within(CHECK_MS))
  const byKey = new Map(real.map((k, i) => [k, nodes[i] ?? undefined]))
  return keys.map((k) => (k === undefined ? undefined : byKey.get(k)))
}
