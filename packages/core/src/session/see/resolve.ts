import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { TRAITS, type Action, type Principal, type Target, type UiNode } from '../../model/index.ts'
import type { Match } from '../../selector/index.ts'
import type { Call } from '../call.ts'
import { aim } from './aim.ts'
import { appNamed } from './apps.ts'
import type { DriverState } from './driver-state.ts'
import type { LiveTree } from './live-tree.ts'
import { isDown } from './missing-driver.ts'
import { Names, type InPixels } from './names.ts'
import { Pixels, type ImagePlaces } from './pixels.ts'
import { pressTargets } from './press-targets.ts'
import { Reach, type KeysUnderway } from './reach.ts'
import type { Refs } from './refs.ts'
import type { Screens } from './screens.ts'
import { mustTakeText } from './takes-text.ts'
import { Targets, type Resolved } from './targets.ts'
import type { See } from './see.ts'

/** How long an element that is not there yet is waited for, where the call does not say. */
const RESOLVE_MS = 1_000
const LAUNCH_MS = 2_000

/** What is older than this may have changed without a word, such as the rules. */
const STILL_MS = 100

/** When something was looked at, by the clock that only goes forward, how often the tree had changed by then, and what was held down. */
export interface Moment {
  at: number
  substance: number
  held: string
}

export interface ResolverNeeds {
  tree: LiveTree
  see: See
  refs: Refs
  observe: Observe
  screens: Screens
  driver: DriverState
  images: ImagePlaces
  inPixels: InPixels
}

/** Finds what an action would touch. Nothing is guessed: several matches are an error that lists them. */
export class Resolver {
  readonly #tree: LiveTree
  readonly #see: See
  readonly #targets: Targets
  readonly #names: Names
  readonly #pixels: Pixels
  readonly #reach: Reach
  readonly #observe: Observe

  constructor(needs: ResolverNeeds) {
    this.#tree = needs.tree
    this.#observe = needs.observe
    this.#see = needs.see
    this.#targets = new Targets(needs)
    this.#reach = new Reach(this.#targets, needs.tree)
    this.#pixels = new Pixels({ ...needs, targets: this.#targets })
    this.#names = new Names({ ...needs, targets: this.#targets, pixels: this.#pixels })
  }

  /** What the action would touch; waits a moment for an element that is not there yet. */
  async resolve(action: Action, call: Call, signal: AbortSignal): Promise<Resolved[]> {
    // A rehearsal must not let time pass on a simulated desktop, nor wait for what only doing would bring.
    const end = call.dryRun ? 0 : Date.now() + (('timeoutMs' in action ? action.timeoutMs : undefined) ?? RESOLVE_MS)
    for (;;) {
      const synced = touchesNothing(action) ? undefined : this.#tree.sync()
      synced?.catch(() => {})
      try {
        const found = await this.now(action, call.principal, { synced, held: call.lease?.held })
        // Scripts and rehearsals type wherever the focus will be.
        if (call.tool === 'ui.type' && !call.dryRun) this.#mustTakeText(action, found, call.principal)
        return found
      } catch (thrown) {
        const left = end - Date.now()
        const error = DeskhandError.from(thrown)
        if ((error.code !== 'NOT_FOUND' && !isDown(error)) || left <= 0 || TRAITS[action.do].reads) throw thrown
        if (!(await this.#tree.changed(left, signal))) throw thrown
      }
    }
  }

  #mustTakeText(action: Action, found: readonly Resolved[], who: Principal): void {
    const idOf = (node: UiNode): string | undefined =>
      this.#targets.of(node, who, { source: 'structure', confidence: 1, why: [] }).facts.elementId
    mustTakeText(action, found, this.#see(who), idOf)
  }

  /**
   * The same without waiting: what the action names, then what its events reach beside that. `synced` resolves when the tree is up to date;
   * what lies under a pixel is asked meanwhile. `held`: keys that are down already.
   */
  async now(
    action: Action,
    who: Principal,
    { synced, held }: { synced?: Promise<void>; held?: readonly string[] } = {},
  ): Promise<Resolved[]> {
    const own = await this.#own(action, who, synced)
    return TRAITS[action.do].sends ? this.withReached(action, own, who, { held }) : own
  }

  /** How things stand now, with what the caller holds down. */
  moment(held: readonly string[] = []): Moment {
    return { at: performance.now(), substance: this.#tree.substance, held: held.join() }
  }

  /** Whether nothing can be other than it was at that moment. */
  isStill(then: Moment, held?: readonly string[]): boolean {
    const now = this.moment(held)
    return now.substance === then.substance && now.held === then.held && now.at - then.at < STILL_MS
  }

  /** Targets of a while ago as they are now, and what the events reach from there now. */
  anew(action: Action, targets: readonly Resolved[], who: Principal, keys: KeysUnderway = {}): Resolved[] {
    const own = targets.filter(({ facts }) => facts.reached === undefined).map((t) => this.#targets.anew(t))
    return TRAITS[action.do].sends ? this.withReached(action, own, who, keys) : own
  }

  /** These targets, and what else the events of the action reach from there. */
  withReached(action: Action, own: readonly Resolved[], who: Principal, keys: KeysUnderway = {}): Resolved[] {
    return [...own, ...this.#reach.beyond(action, own, who, keys)]
  }

  async #own(action: Action, who: Principal, synced?: Promise<void>): Promise<Resolved[]> {
    switch (action.do) {
      case 'drag':
        return Promise.all(
          [action.from, action.to].map(async (end) =>
            'x' in end ? this.#pixels.under(end, who, synced) : (await synced, this.#aimed(await this.#names.one(end, who), who, 'press')),
          ),
        )
      case 'click_xy':
        return [await this.#pixels.under(action, who, synced)]
      case 'pointer':
        return this.#pixels.pressed(action.events, who, synced)
      default:
        await synced
        return await this.#named(action, who)
    }
  }

  /** A rehearsal starts nothing, so whether there is something to start is asked. */
  async mustBeThere(action: Action): Promise<void> {
    if (action.do !== 'launch' || (await this.#observe.canLaunch(action.app, within(LAUNCH_MS)))) return
    throw new DeskhandError('UNKNOWN_APP', `there is no program ${JSON.stringify(action.app)} on this desktop`)
  }

  /** An answer tells a caller what its target was and where. */
  told([first]: readonly Resolved[], who: Principal): void {
    if (first !== undefined) this.#targets.told(first, who)
  }

  /** Everything that a selector matches, elements and regions. */
  matches(selector: string, who: Principal): Promise<Match[]> {
    return this.#names.matches(selector, who)
  }

  /** Why a selector matches nothing, in a sentence. */
  miss(selector: string, who: Principal): string {
    return this.#names.miss(selector, who).sentence
  }

  /** The elements that a target names now, for conditions; an id that is gone names none. */
  find(target: Target, who: Principal): Promise<UiNode[]> {
    return this.#names.all(target, who)
  }

  async #named(action: Exclude<Action, { do: 'drag' | 'click_xy' | 'pointer' }>, who: Principal): Promise<Resolved[]> {
    switch (action.do) {
      case 'click':
        return [this.#aimed(await this.#names.one(action.target, who, 'press'), who, 'press')]
      case 'focus':
      case 'hover':
        return [await this.#names.one(action.target, who)]
      case 'scroll':
        return [
          this.#aimed(action.target === undefined ? this.#targets.focused(who) : await this.#names.one(action.target, who), who, 'wheel'),
        ]
      case 'type':
        return [action.target === undefined ? this.#targets.focused(who) : await this.#names.one(action.target, who, 'text')]
      case 'key':
        return [action.target === undefined ? this.#targets.focused(who) : this.#withKeys(await this.#names.one(action.target, who), who)]
      case 'keys':
      case 'clipboard_write':
        return [this.#targets.focused(who)]
      case 'window':
        return [action.target === undefined ? this.#targets.active(who) : await this.#names.one(action.target, who)]
      case 'launch':
        return [this.#targets.nothing('application', action.app, `launches ${action.app}`)]
      case 'close':
        return this.#windowsOf(action.app, who)
      case 'describe':
        return [await this.#names.one(action.element, who)]
      case 'capture':
        return action.target === undefined ? [] : [await this.#names.one(action.target, who)]
      case 'snapshot':
        return action.root === undefined ? [] : [await this.#names.one(action.root, who)]
      case 'capabilities':
      case 'query':
      case 'wait':
      case 'assert':
      case 'screens':
      case 'apps':
      case 'clipboard_read':
      case 'ask':
      case 'plan':
      case 'code':
      case 'simulate':
        return []
      default:
        return action satisfies never
    }
  }

  /** What gets the keys for this target: of one that holds others, what has the focus in it. */
  #withKeys(target: Resolved, who: Principal): Resolved {
    const { node, facts } = target
    if (node === undefined || facts.region !== undefined || !HOLDERS.has(node.role)) return target
    for (let n = this.#tree.node(this.#tree.focus ?? '')?.parent; n !== undefined; n = n.parent)
      if (n === node) return this.#targets.focused(who)
    return target
  }

  /** What a pointer sent to this target operates: where all of it belongs to controls inside it, the one in its middle. */
  #aimed(target: Resolved, who: Principal, by: 'press' | 'wheel'): Resolved {
    const { node, facts } = target
    if (node === undefined || facts.region !== undefined) return target
    const hit = aim(node, by)
    if (hit === node) return target
    const { confidence, selector } = facts
    return this.#targets.of(hit, who, {
      source: 'structure',
      confidence,
      selector,
      why: [...facts.why, `it lies in the middle of ${node.role}`],
    })
  }

  #windowsOf(app: string, who: Principal): Resolved[] {
    return appNamed(app, this.#see(who)).windows.map((window) =>
      this.#targets.of(window, who, { source: 'structure', confidence: 1, why: [`a window of ${window.app.name}`] }),
    )
  }
}

/** Some say that they can have the focus, and leave it to what is in them. */
const HOLDERS: ReadonlySet<string> = new Set([
  'window',
  'dialog',
  'panel',
  'group',
  'scrollpane',
  'toolbar',
  'list',
  'listbox',
  'table',
  'tree',
])

/** Whether an action touches no element at all, so that it can be decided without knowing how things are. */
function touchesNothing(action: Action): boolean {
  if (action.do === 'pointer') return pressTargets(action.events).every((touch) => touch === undefined)
  if (action.do === 'capture') return action.target === undefined
  if (action.do === 'snapshot') return action.root === undefined
  return TRAITS[action.do].targets === 'none'
}
