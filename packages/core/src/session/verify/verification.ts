import { setTimeout as sleep } from 'node:timers/promises'
import type { Observe, Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { clip } from '../../selector/index.ts'
import {
  isModifier,
  TRAITS,
  type Action,
  type ActionOf,
  type Condition,
  type DesktopKind,
  type FlatNode,
  type Point,
  type UiNode,
} from '../../model/index.ts'
import type { AppCloser } from '../act/close-app.ts'
import type { Outcome } from '../outcome.ts'
import type { Decided } from '../record.ts'
import type { Selected } from '../act/heeded.ts'
import { check } from '../see/check.ts'
import { ENTRIES } from '../see/out-of-view.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { LiveNode, LiveTree } from '../see/live-tree.ts'
import type { Snapshots } from '../see/snapshots.ts'
import type { Waiter } from '../see/waiter.ts'
import { answeredBy, answerOf, type Answered } from './answered.ts'
import { ambiguity, faceOf, windowKeys, type Before } from './conditions.ts'
import { implied, unproven } from './effect.ts'
import { Drawing, isBlind, placeOf, type Canvas, type Drawn } from './drawing.ts'
import type { Scene } from './scene.ts'

/** How long an action waits for its own effect, and for a stated condition. */
const EFFECT_MS = 400
const VERIFY_MS = 3_000
/** How long a drag of raw events looks for anything that moved. */
const DRAG_MS = 300
/** How long an application takes to draw what it has taken in. */
const DRAW_MS = 60
/** … and by how much longer than it takes to answer. */
const SLOWER = 4
/** The target alone is looked at so often, and so long in between, before everything is. */
const GLANCES = 3
const GLANCE_MS = 3
/** How often and how long an application that renews a field when it is idle is waited for. */
const IDLE = { looks: 4, eachMs: 150 }
/** File managers say in their status bars what was selected, a while after it was. */
const LATE_STATUS_MS = 600

const VALUE_CHARS = 200
/** How it is told what an application made of a text. */
export const HOLDS = 'it holds '
/** A pointer that moves no further while a button is down still clicks. */
const CLICK_PX = 3

const ONE_ELEMENT = 'Name one element in verify, by its id or a narrower selector.'

interface VerifierNeeds {
  tree: LiveTree
  driver: DriverState
  observe: Observe
  desktop: DesktopKind
  scene: Scene
  snapshots: Snapshots
  waiter: Waiter
  closer: AppCloser
}

/** What is known of an action that was just carried out. */
export interface Acted {
  decided: Decided
  /** The first target as the application had it right before. */
  fresh: FlatNode | undefined
  text: string | undefined
  sent: Sent
  before: Situation
  signal: AbortSignal
}

/** How things were before an action. */
export interface Situation extends Before {
  generation: number
  /** How often status bars had changed, and whether they may still have to tell of what was selected just before. */
  statusTexts: number
  isStatusLate: boolean
  /** Absent where the pixels will not be asked. */
  canvas?: Canvas
  /** What had the focus. */
  focus?: UiNode
  /** The dialog that the action answers. */
  answered?: Answered
}

type Proof = Pick<Outcome, 'effect' | 'verification' | 'failure' | 'evidence' | 'text'>

/** Looks for the effect of an action. Only what can be observed is claimed. */
export class Verifier {
  readonly #on: VerifierNeeds
  readonly #drawing: Drawing
  /** The last click on an entry of a list, and how often status bars had changed by then. */
  selected?: Selected

  constructor(needs: VerifierNeeds) {
    this.#on = needs
    this.#drawing = new Drawing(needs)
  }

  /** What the action's own target and everything its condition speaks of look like before it. */
  async before(decided: Decided): Promise<Situation> {
    const { tree, scene } = this.#on
    const { action, call } = decided
    const own = this.#own(decided)
    const named =
      'verify' in action && action.verify !== undefined ? await scene.named(action.verify, call.principal) : new Map<never, UiNode[]>()
    const several = 'verify' in action && action.verify !== undefined ? ambiguity(action.verify, named) : undefined
    if (several !== undefined) throw new DeskhandError('AMBIGUOUS_TARGET', `verify: ${several}; nothing was sent`, { next: ONE_ELEMENT })
    const nodes = [...(own === undefined ? [] : [own]), ...[...named.values()].flat()]
    const canvas = this.#on.desktop !== 'virtual' && mayLook(action) ? await this.#drawing.before() : undefined
    const focused = tree.focus
    const focus = focused === undefined ? undefined : tree.node(focused)
    return {
      faces: new Map(nodes.map((n) => [n.key, faceOf(n)])),
      windows: windowKeys(tree),
      generation: tree.generation,
      statusTexts: tree.statusTexts,
      isStatusLate: this.selected !== undefined && performance.now() < this.selected.at + LATE_STATUS_MS,
      canvas,
      focus,
      answered: this.#on.desktop === 'virtual' ? undefined : answeredBy(action, decided.targets, tree),
    }
  }

  verify(acted: Acted): Promise<Proof> {
    const { action, targets } = acted.decided
    if (action.do === 'click' && ENTRIES.has(targets[0]?.facts.role ?? 'unknown'))
      this.selected = { at: performance.now(), statusTexts: acted.before.statusTexts }
    return 'verify' in action && action.verify ? this.#stated(action.verify, acted) : this.#answer(acted)
  }

  /** What can be seen of an action; of a dialog that it answers, once that has closed or stays. */
  async #answer(acted: Acted): Promise<Proof> {
    const { decided, before, signal } = acted
    const proof = await this.#observed(acted)
    const { tree, observe, snapshots } = this.#on
    const { answered } = before
    if (answered === undefined || proof.effect === 'refused') return proof
    const answer = await answerOf(answered, { tree, observe }, signal)
    if (answer === 'closed') return { ...proof, effect: proof.effect === 'confirmed' ? 'confirmed' : 'changed' }
    const dialog = snapshots.nameOf(answered.key, decided.call.principal)
    if (dialog === undefined || answer === 'asks' || (answer === 'changed' && !answered.ends)) return proof
    const open = `${dialog} is still open`
    const text = [proof.text, answer === 'changed' ? open : `${open}, as it was`].filter(Boolean).join('\n')
    return answer === 'same' && proof.effect === 'changed' ? { ...proof, effect: 'no_effect', text } : { ...proof, text }
  }

  /** A rule demands proof: an action that is meant to be seen and was not is a failure, though nothing was stated about it. */
  demanded({ action, call, targets }: Decided, outcome: Outcome): Outcome {
    // The text of a password field is hidden from Deskhand, so there is no proof to ask for.
    if (outcome.verification !== undefined || (action.do === 'type' && targets.some((t) => t.facts.states?.password))) return outcome
    const passed = outcome.effect === 'confirmed' || outcome.effect === 'changed'
    const details = SEEN[outcome.effect]
    const verification = { passed, details }
    if (passed || !(TRAITS[action.do].provesEffect && letsGo(action))) return { ...outcome, verification }
    const fresh = this.#on.snapshots.take(call.principal, { scope: 'window' })
    const failure = new DeskhandError('VERIFY_FAILED', `it was done, but a rule demands proof: ${details}`)
    return { ...outcome, verification, failure, text: fresh.text, evidence: { ...outcome.evidence, snapshotId: fresh.snapshotId } }
  }

  /** The caller said what must hold afterwards. */
  async #stated(condition: Condition, { decided, before, signal }: Acted): Promise<Proof> {
    const { principal } = decided.call
    const about = () => ({ own: this.#own(decided), before })
    const { holds, details } = await this.#on.scene.until(condition, principal, { timeoutMs: VERIFY_MS, signal }, about)
    const verification = { passed: holds === true, details }
    if (holds === true) return { effect: 'confirmed', verification }
    const fresh = this.#on.snapshots.take(principal, { scope: 'window' })
    return {
      effect: 'unverified',
      verification,
      evidence: { snapshotId: fresh.snapshotId },
      text: fresh.text,
      failure: new DeskhandError('VERIFY_FAILED', `it was done, but afterwards: ${details}`),
    }
  }

  /** Nothing was stated: look for what the action implies on its own target, then for any change at all. */
  async #observed(acted: Acted): Promise<Proof> {
    const { decided, fresh, text, sent, before, signal } = acted
    const { action, targets } = decided
    if (action.do === 'close') return this.#closed(action, decided, signal)
    if (action.do === 'launch') return { effect: await this.#launched(sent, signal) }
    const { tree, driver } = this.#on
    const raw = action.do === 'pointer' || action.do === 'keys'
    // No time to look was given: a simulated desktop has changed by now, a real one not yet. The pointer alone changes nothing.
    const isReal = this.#on.desktop !== 'virtual'
    const unlooking = raw && action.settleMs === undefined && !(isReal && isDrag(action))
    if (unlooking && (isReal || (action.do === 'pointer' && targets.length === 0))) return { effect: 'unverified' }
    const blind = isReal && isBlind(targets, tree.completeness)
    const sure = targets[0]?.facts.region === undefined && !blind ? implied(action, fresh, text) : undefined
    const watching = driver.can('push')
    const end = Date.now() + (raw ? (action.settleMs ?? (isReal && isDrag(action) ? DRAG_MS : 0)) : EFFECT_MS)
    const looked = watching && !unlooking && !blind && !(action.do === 'type' && fresh?.states?.password)
    const place = placeOf(action, targets, before.focus, blind)
    let over = false
    let asked = !isReal
    let seen: string | undefined
    for (let looks = 1; ; looks++) {
      const own = sure && (await check(this.#on.observe, targets[0]?.facts.key))
      if (sure?.(own) === true) return { effect: 'confirmed' }
      // A text that a busy application takes in bit by bit is still on its way.
      const isUnderWay = own !== undefined && seen !== undefined && seen !== lookOf(own) && Date.now() < end + VERIFY_MS
      if (own !== undefined) seen = lookOf(own)
      if (sure !== undefined && looks < GLANCES) {
        await sleep(GLANCE_MS)
        continue
      }
      await tree.sync()
      const isAnyChange = tree.generation !== before.generation
      const late = before.isStatusLate ? tree.statusTexts - before.statusTexts : 0
      const changed = tree.generation - late !== before.generation
      const left = end - Date.now()
      const ends = (changed && sure === undefined) || over || left <= 0 || !watching
      // What no tree tells of shows in pixels alone, and as soon as they change.
      const drawn: Drawn = !changed && (ends || blind) ? await this.#drawing.drawn(before.canvas, place, ends ? 0 : left) : 'nothing'
      const isUnseen = sure !== undefined || (!changed && drawn === 'nothing')
      if (ends && isUnseen && looked && (!asked || isUnderWay)) {
        // A busy application may not have got round to it; once it answers, it has.
        asked = true
        const since = performance.now()
        await check(this.#on.observe, targets[0]?.facts.key).catch(() => undefined)
        over = !(await tree.changed((isUnderWay ? EFFECT_MS : DRAW_MS) + SLOWER * Math.round(performance.now() - since), signal))
        continue
      }
      if (ends || drawn === 'effect') {
        const isChanged = changed || drawn === 'effect'
        const isKnown = looked && drawn !== 'doubtful' && (isChanged || !isAnyChange)
        return { effect: unproven(sent.sent, isChanged, isKnown), text: await this.#became(acted) }
      }
      over = blind || !(await tree.changed(left, signal))
    }
  }

  /** What an application made of a text, where that is something else. */
  async #became({ decided: { action, targets }, fresh, text, signal }: Acted): Promise<string | undefined> {
    if (action.do !== 'type' || action.target === undefined || fresh?.value === undefined || fresh.states?.password === true)
      return undefined
    const key = targets[0]?.facts.key
    let now = await check(this.#on.observe, key)
    // What it held before is either back for good or not renewed yet: applications tell the outcome of Enter when they are idle.
    for (let looks = 0; looks < IDLE.looks && action.submit !== undefined && now?.value !== '' && now?.value === fresh.value; looks++) {
      await this.#on.tree.changed(IDLE.eachMs, signal)
      now = await check(this.#on.observe, key)
    }
    return now?.value === undefined || now.value === text?.trimEnd() ? undefined : `${HOLDS}${clip(now.value, VALUE_CHARS)} now`
  }

  async #launched(sent: Sent, signal: AbortSignal): Promise<Outcome['effect']> {
    const { tree, waiter } = this.#on
    const pid = sent.detail?.['pid']
    if (pid === undefined) return 'unverified'
    const isThere = () => ({ holds: tree.apps.some((a) => a.pid === pid), details: '' })
    const { holds } = await waiter.until(isThere, { timeoutMs: VERIFY_MS, signal })
    return holds === true ? 'confirmed' : 'unverified'
  }

  /** An application that is still there says what it shows, often a question about unsaved work. */
  async #closed(action: ActionOf<'close'>, { call, targets }: Decided, signal: AbortSignal): Promise<Proof> {
    const { closer, snapshots } = this.#on
    const { app } = targets[0]?.facts ?? {}
    if (await closer.isGone(app, action, signal)) return { effect: 'confirmed' }
    return { effect: 'unverified', text: `it is still there and shows:\n${snapshots.windowsOf(app, call.principal)}` }
  }

  /** The action's own target in the replica, while it lives. */
  #own({ targets }: Decided): LiveNode | undefined {
    const key = targets[0]?.facts.key
    return key === undefined ? undefined : this.#on.tree.node(key)
  }
}

/** What of a target changes while it takes in what was sent. */
const lookOf = ({ value, states }: FlatNode): string => JSON.stringify([value, states])

/** Where a rule demands proof, raw events look for it as long as any action does. */
export const patient = (action: Action): Action =>
  action.do === 'pointer' || action.do === 'keys' ? { ...action, settleMs: EFFECT_MS } : action

/** Raw events look for their effect where the caller gives them time, and a drag always: one that moved nothing must not pass for one that did. */
const mayLook = (action: Action): boolean =>
  !(action.do === 'pointer' || action.do === 'keys') || action.settleMs !== undefined || isDrag(action)

function isDrag(action: Action): boolean {
  if (action.do !== 'pointer') return false
  let at: Point | undefined
  let from: Point | undefined
  return action.events.some((event) => {
    if (event.type === 'down') from = at
    if (event.type === 'up') from = undefined
    if (event.type !== 'move') return false
    at = event
    return from !== undefined && Math.hypot(event.x - from.x, event.y - from.y) > CLICK_PX
  })
}

const SEEN: { [E in Outcome['effect']]: string } = {
  confirmed: 'what it implies was seen on its target',
  changed: 'something changed',
  no_effect: 'nothing was seen to change',
  unverified: 'the effect could not be observed',
  refused: 'nothing was sent',
  none: 'nothing was sent',
}

/** Raw events that only press down have not acted yet. */
function letsGo(action: Action): boolean {
  if (action.do === 'pointer') return action.events.some((e) => e.type === 'up')
  return action.do !== 'keys' || action.events.some((e) => e.type === 'up' && !isModifier(e.key))
}
