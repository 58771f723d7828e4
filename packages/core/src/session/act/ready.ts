import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { center, TRAITS, type Action, type Approval, type FlatNode, type Principal } from '../../model/index.ts'
import type { Policy } from '../../policy/index.ts'
import type { Call } from '../call.ts'
import { samePlace } from '../decide/approvals.ts'
import type { BoundApprovals } from '../decide/bound-approvals.ts'
import type { Decider } from '../decide/decide.ts'
import { bind } from '../decide/digest.ts'
import type { Decided } from '../record.ts'
import { checkAll } from '../see/check.ts'
import { closedAround, howToReach } from '../see/closed-around.ts'
import type { LiveTree } from '../see/live-tree.ts'
import { modalOver } from '../see/modal-over.ts'
import { isOffScreen } from '../see/out-of-view.ts'
import { isAnother, type Refs } from '../see/refs.ts'
import type { Moment, Resolver } from '../see/resolve.ts'
import type { See } from '../see/see.ts'
import { saysOf } from '../see/target-facts.ts'
import type { Resolved } from '../see/targets.ts'
import { isNamed, label, summary } from '../words.ts'

const HIT_MS = 2_000
const FRESH_MS = 100
/** How often a moving element is looked at again, and how long in between. */
const LOOKS = 20
const BETWEEN_MS = 16

interface ReadinessNeeds {
  tree: LiveTree
  observe: Observe
  see: See
  refs: Refs
  resolver: Resolver
  decider: Decider
  policy(): Policy
  bound: BoundApprovals
}

/** A call whose targets are to be looked at once more. */
export interface Rechecking {
  decided: Decided
  /** When the targets were resolved. */
  resolved: Moment
  consent?: Approval
  signal: AbortSignal
}

/** The targets where they are now, and as the application has them, in the same order. */
export interface Checked {
  targets: readonly Resolved[]
  fresh: readonly (FlatNode | undefined)[]
}

/** Makes sure, right before input is sent, that the targets can take it and are still what was decided about. */
export class Readiness {
  readonly #on: ReadinessNeeds

  constructor(needs: ReadinessNeeds) {
    this.#on = needs
  }

  /** Waits, without the lease, until every target is enabled and visible; says which of these it was not. */
  async untilOperable({ action, targets, call }: Decided, end: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const named = targets.filter((t) => isNamed(t.facts))
      const obstacle = named.map((t) => obstacleOf(action, t.node?.states)).find((o) => o !== undefined)
      if (obstacle === undefined) return
      const left = end - Date.now()
      if (left > 0 && (await this.#on.tree.changed(left, signal))) continue
      const facts = targets.map((t) => t.facts)
      if (obstacle === 'not visible' && named.some((t) => t.node !== undefined && isOffScreen(t.node)))
        throw new DeskhandError('NOT_ACTIONABLE', `${summary(action, facts)}: the element lies beyond the edge of the screen`, {
          next: 'Move its window onto the screen (ui.window), or make it smaller.',
        })
      const hidden = obstacle === 'not visible' ? targets.find((t) => t.node?.states?.visible === false)?.node : undefined
      const closed = hidden === undefined ? [] : closedAround(hidden, this.#on.see(call.principal).see)
      const inner = closed.at(-1)
      if (hidden === undefined || inner === undefined)
        throw new DeskhandError('NOT_ACTIONABLE', `${summary(action, facts)}: the element is ${obstacle}`)
      throw new DeskhandError('NOT_ACTIONABLE', `${summary(action, facts)}: it is in ${label(inner)}, which is closed`, {
        next: `Open it first: click ${closed.map(label).join(', then ')}; or ${howToReach(hidden, closed)}.`,
      })
    }
  }

  /** What differs from what was decided ends the call. */
  async recheck(job: Rechecking): Promise<Checked> {
    const { action, call, targets } = job.decided
    if (targets.length > 0 && !isFresh(job)) await this.#on.tree.sync()
    const checked = await this.#settled(targets)
    for (const [i, { facts }] of targets.entries()) {
      const now = checked.fresh[i]
      if (facts.key === undefined || !isNamed(facts)) continue
      if (now === undefined) throw new DeskhandError('STALE_REF', `${label(facts)} is gone`)
      if (facts.elementId !== undefined && facts.role !== 'region' && !this.#on.refs.names(facts.elementId, facts.key))
        throw new DeskhandError('TARGET_CHANGED', `another entry of its list stands where ${label(facts)} was`)
      if (facts.role !== 'region' && isAnother(facts, now))
        throw new DeskhandError('TARGET_CHANGED', `it was ${label(facts)} and is ${this.#told(now, call.principal)} now`)
      const obstacle = obstacleOf(action, now.states)
      if (obstacle !== undefined) throw new DeskhandError('NOT_ACTIONABLE', `${label(facts)} is ${obstacle}`)
    }
    if (!isFresh(job)) await this.#mustBeSame(action, call, checked.targets)
    const isSamePaste = await this.#on.decider.lookAtClipboard(call, action, checked.targets, job.signal)
    if (job.consent === undefined && isSamePaste && this.#on.resolver.isStill(job.resolved, call.lease?.held)) return checked
    const now = this.#on.resolver.anew(action, checked.targets, call.principal, { held: call.lease?.held })
    this.#on.decider.mustStillHold(job.decided, now, job.consent !== undefined)
    if (job.consent !== undefined) await this.#mustStillBeApproved(job.decided, now, job.consent, job.signal)
    return { ...checked, targets: now }
  }

  /** What lies over the first target, as far as the caller may know it. */
  async obstructionName({ call, targets }: Decided): Promise<string> {
    const { observe, tree, see } = this.#on
    const { bounds } = targets[0]?.facts ?? {}
    const hit = bounds && (await observe.hit(center(bounds), within(HIT_MS)))
    const over = tree.node(hit?.node ?? hit?.window ?? '')
    const known = see(call.principal).see(over?.key)
    return known === undefined ? 'something else' : label(known)
  }

  /** What it is called now, where the caller may know that: under its new name it may be hidden. */
  #told({ key, role, name }: FlatNode, who: Principal): string {
    const known = this.#on.see(who).see(key)
    return known !== undefined && known.role === role && known.name === name ? label(known) : 'something else'
  }

  /** The modal dialog that keeps the first target from taking input, as an answer names it and as far as the caller may know it. */
  modalOver({ call: { principal }, targets: [target] }: Decided): string | undefined {
    const { tree, see, refs } = this.#on
    const modal = target?.node && modalOver(target.node, tree, see(principal))
    return modal && `${refs.show(modal, principal)} ${label(modal)}`
  }

  /** Bounds that differ from the last look mean that something is still moving. */
  async #settled(targets: readonly Resolved[]): Promise<Checked> {
    const keys = targets.map(({ facts }) => (isNamed(facts) ? facts.key : undefined))
    let at = targets
    for (let looks = 0; looks <= LOOKS; looks++) {
      const fresh = await checkAll(this.#on.observe, keys)
      if (!moved(at, fresh)) return { targets: at, fresh }
      at = at.map((t, i) => (isNamed(t.facts) ? { ...t, facts: { ...t.facts, bounds: fresh[i]?.bounds } } : t))
      await new Promise((r) => setTimeout(r, BETWEEN_MS))
    }
    throw new DeskhandError('NOT_ACTIONABLE', `${label(targets[0]?.facts ?? { role: 'the element' })} is still moving`)
  }

  /** What was reached by a pixel, by the focus or by recognition has no name to check: it is reached for once more, and must be the same. */
  async #mustBeSame(action: Action, { principal, lease }: Call, targets: readonly Resolved[]): Promise<void> {
    if (action.do === 'launch' || targets.every((t) => t.facts.source === 'structure' && isNamed(t.facts))) return
    const again = await this.#on.resolver.now(action, principal, { held: lease?.held })
    const same = again.length === targets.length && again.every((t, i) => isSame(t, targets[i]))
    if (!same) throw new DeskhandError('TARGET_CHANGED', 'something else has the focus or lies under the pixel by now')
  }

  async #mustStillBeApproved({ call }: Decided, targets: readonly Resolved[], consent: Approval, signal: AbortSignal): Promise<void> {
    const { observe, policy, bound } = this.#on
    bound.mustBeInTime(consent)
    await bound.mustPasteThat(consent)
    await bound.pictures.mustBeSame(consent.id, signal)
    const changed = bound.problem(consent.id, await checkAll(observe, bound.values(consent.id)))
    if (changed !== undefined) throw changed
    const windows = await checkAll(
      observe,
      targets.map((t) => t.facts.window?.key),
    )
    const facts = targets.map(({ node, facts: f }, i) => ({
      ...f,
      says: node === undefined || f.region !== undefined ? f.says : saysOf(node),
      window: f.window && { ...f.window, bounds: windows[i]?.bounds },
    }))
    const same = bind(call.tool, call.args, facts, policy().version) === consent.digest
    const place = facts.every((f, i) => samePlace(consent.targets[i] ?? f, f, consent.tolerancePx))
    if (!same || !place) throw new DeskhandError('TARGET_CHANGED', 'what was approved has changed since; the approval is void')
  }
}

/**
 * Whether a press was resolved a moment ago and no person was waited for since. The driver asks what lies under the pixel right before it
 * presses, so the same is not asked here once more.
 */
function isFresh({ decided: { action }, resolved, consent }: Rechecking): boolean {
  if (consent !== undefined || (action.do !== 'pointer' && action.do !== 'click_xy')) return false
  return performance.now() - resolved.at < FRESH_MS
}

/** The window manager reaches windows that are hidden; everything else needs an element that can be operated. */
function obstacleOf(action: Action, states: FlatNode['states']): string | undefined {
  if (!TRAITS[action.do].operable) return undefined
  return states?.enabled === false ? 'disabled' : states?.visible === false ? 'not visible' : undefined
}

/** A region is the same while it says the same at about the same place, over the same element. */
function isSame(now: Resolved, then: Resolved | undefined): boolean {
  if (now.facts.key !== then?.facts.key) return false
  if (now.facts.region === undefined) return true
  const [a, b] = [now.facts.region, then?.facts.region]
  return b !== undefined && now.facts.name === then?.facts.name && Math.hypot(a.x - b.x, a.y - b.y) <= REGION_PX
}

/** Recognition places the same text a few pixels off from one look to the next. */
const REGION_PX = 8

const moved = (targets: readonly Resolved[], fresh: readonly (FlatNode | undefined)[]): boolean =>
  targets.some((t, i) => {
    const [a, b] = [t.facts.bounds, fresh[i]?.bounds]
    return a !== undefined && b !== undefined && (a.x !== b.x || a.y !== b.y || a.w !== b.w || a.h !== b.h)
  })
