import { DeskhandError } from '../../errors.ts'
import type { Observe } from '../../driver/driver.ts'
import {
  strokesOf,
  type Action,
  type Approval,
  type FlatNode,
  type Point,
  type Route,
  type Stroke,
  type TargetFacts,
} from '../../model/index.ts'
import { sameRule, type Decider, type Verdict } from '../decide/decide.ts'
import type { Decided, Recorder } from '../record.ts'
import { check } from '../see/check.ts'
import type { LiveTree } from '../see/live-tree.ts'
import { hasMenus, openEntries } from '../see/open-menus.ts'
import type { Resolver } from '../see/resolve.ts'
import type { See } from '../see/see.ts'
import type { Resolved } from '../see/targets.ts'
import { label } from '../words.ts'
import type { Again, Pause } from './act-context.ts'

/** How long an application may take to tell that the focus moved. */
const MOVE_MS = 40
/** How long a busy one may take to open a menu. */
const MENU_MS = 1_000

/** A press has taken effect when nothing more is told for so long, or after so many looks. */
const QUIET_MS = 60
const LOOKS = 8
/** Two clicks that are less than 400 ms apart are a double click in every toolkit. */
const MOMENT_MS = 150

/** A call in the middle of its input, with its targets as they were right before it. */
export interface Underway {
  decided: Decided
  consent?: Approval
  signal: AbortSignal
}

interface AgainNeeds {
  tree: LiveTree
  see: See
  observe: Observe
  resolver: Resolver
  decider: Decider
  recorder: Recorder
  /** Input of the call goes to these targets from now on. */
  entering(decided: Decided, targets: readonly Resolved[]): void
}

/** Judges what a call comes to reach beside what was decided about. */
export class JudgeAgain {
  readonly #on: AgainNeeds

  constructor(needs: AgainNeeds) {
    this.#on = needs
  }

  /** Input is about to be sent; what it reaches in its course is judged as it goes. */
  during(underway: Underway): Again {
    const course = new Course(this.#on, underway)
    course.enter(underway.decided.targets)
    return course
  }

  /**
   * The route that was judged cannot be taken: the next one is judged and recorded like the first. A question that was answered for this call is
   * not put again; another one needs a call of its own.
   */
  async routes({ decided, consent }: Underway, routes: readonly Route[]): Promise<Decided> {
    const { decider, recorder } = this.#on
    const { call, action, targets } = decided
    const verdict = decider.judge(call, action, targets, routes)
    const next = await recorder.decided(decided, action, targets, verdict, routes[0])
    const { decision } = verdict
    if (decision.verdict === 'deny') throw new DeskhandError(decision.code ?? 'DENIED', decision.reason)
    const isAnswered = consent !== undefined && sameRule(decision, decided.decision)
    // What a person allowed beforehand counts once for a call: at its first decision.
    const isCovered = verdict.consent !== undefined && decided.decision.verdict === 'ask_user'
    if (decision.verdict === 'allow' || isCovered || isAnswered) return next
    throw new DeskhandError('GUARD_BROKEN', `what was decided cannot be carried out, and the other way asks: ${decision.reason}`, {
      next: 'Send it as a call of its own: click with delivery "semantic", or click the field before typing.',
    })
  }
}

/** One call, from its first event to its last. */
class Course implements Again {
  readonly #on: AgainNeeds
  readonly #underway: Underway

  constructor(needs: AgainNeeds, underway: Underway) {
    this.#on = needs
    this.#underway = underway
  }

  enter(targets: readonly Resolved[]): void {
    this.#on.entering(this.#underway.decided, targets)
  }

  check(key: string): Promise<FlatNode | undefined> {
    return check(this.#on.observe, key)
  }

  settled(pause?: Pause): Promise<void> {
    return settled(this.#on.tree, this.#underway.signal, pause)
  }

  /**
   * Keys go where the focus is. When it moved in the middle of a call, or a menu opened, what the keys that are left reach now is judged like
   * the target of a call of its own, and what is not simply allowed ends the call: what was decided is what is touched.
   */
  async focus(from: readonly Resolved[], rest: readonly Stroke[]): Promise<readonly Resolved[]> {
    const { tree, resolver, decider, recorder } = this.#on
    const { decided, consent, signal } = this.#underway
    const { action, call } = decided
    const before = from[0]?.facts.key
    await tree.sync()
    const last = strokesOf(action).at(-rest.length - 1)
    if (last !== undefined && opensMenu(last)) await menuShown(tree, last, signal)
    else if (tree.focus === before) await tree.changed(MOVE_MS, signal)
    const [now] = await resolver.resolve({ do: 'keys', events: [] }, call, signal)
    if (now === undefined) return from
    const targets = resolver.withReached(action, [now], call.principal, { held: call.lease?.held, rest })
    // A menu that opened gets the keys, also where the focus is said to be where it was.
    if (targets.every(({ facts }) => from.some((t) => t.facts.key === facts.key && t.facts.reached === facts.reached))) return from
    const verdict = decider.decide(call, action, targets, decided.routes)
    const secret = action.do === 'type' && now.facts.key !== before && (action.secret !== undefined || now.facts.states?.password === true)
    const moved = now.facts.key === before ? 'the keys reach something else now, from' : 'the focus moved to'
    this.#mustBeAllowed({ now, verdict, moved, needsCall: secret })
    await recorder.acting(decided, targets, consent?.digest)
    this.enter(targets)
    return targets
  }

  /**
   * A drag may have brought something under the pointer that was not there when it was judged, or not under this name: that is judged before the
   * button is let go. What was dragged along was judged already.
   */
  async release(at: Point, instead: Resolved | undefined): Promise<Resolved> {
    const { tree, resolver, decider, recorder } = this.#on
    const { decided, consent } = this.#underway
    const { action, call, targets: judged } = decided
    const pixel: Action = { do: 'click_xy', ...at, coordinateSpace: 'desktop', button: 'left', clickCount: 1 }
    const [now] = await resolver.now(pixel, call.principal, { synced: tree.sync() })
    if (now === undefined) throw new DeskhandError('INTERNAL', 'a pixel without a target')
    if (judged.some((t) => isSame(t.facts, now.facts))) return now
    const targets = instead === undefined ? [...judged, now] : judged.map((t) => (t === instead ? now : t))
    this.#mustBeAllowed({ now, verdict: decider.judge(call, action, targets, decided.routes), moved: 'under the pointer came' })
    await recorder.acting(decided, targets, consent?.digest)
    this.enter(targets)
    return now
  }

  #mustBeAllowed({ now, verdict, moved, needsCall = false }: Reached): void {
    const isAllowed = verdict.decision.verdict === 'allow' || verdict.consent !== undefined
    if (isAllowed && !needsCall) return
    const why = isAllowed ? 'which needs a call of its own' : verdict.decision.reason
    const known = this.#on.see(this.#underway.decided.call.principal).see(now.facts.key)
    throw new DeskhandError('GUARD_BROKEN', `${moved} ${known === undefined ? 'something else' : label(known)}: ${why}`, {
      next: 'Send what is left in a call of its own.',
    })
  }
}

/** A menu may take the keys that are sent before it is told of. */
const opensMenu = ({ key, held }: Stroke): boolean => key === 'ContextMenu' || key === 'F10' || held.includes('Alt')

/** Keys that come before the menu would go to what had the focus: Enter to its default button. */
async function menuShown(tree: LiveTree, { key }: Stroke, signal: AbortSignal): Promise<void> {
  const end = Date.now() + (key === 'ContextMenu' || hasMenus(tree) ? MENU_MS : 0)
  for (let left; openEntries(tree).length === 0 && (left = end - Date.now()) > 0;) await tree.changed(left, signal)
  await settled(tree, signal)
}

/** What a press changes is told soon after it, by a page a little later than by other applications. */
export async function settled(tree: LiveTree, signal: AbortSignal, pause: Pause = 'until quiet'): Promise<void> {
  if (pause === 'a moment') return void (await tree.changed(MOMENT_MS, signal))
  for (let looks = 0; looks < LOOKS; looks++) if (!(await tree.changed(QUIET_MS, signal))) return
}

const isSame = (then: TargetFacts, now: TargetFacts): boolean => then.key === now.key && then.role === now.role && then.name === now.name

interface Reached {
  now: Resolved
  verdict: Verdict
  moved: string
  /** It is never reached in the course of another call. */
  needsCall?: boolean
}
