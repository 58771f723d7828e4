import { DeskhandError } from '../../errors.ts'
import {
  center,
  INTERACTIVE,
  isPartOf,
  TEXT_CONTROLS,
  walk,
  WINDOWS,
  type ActionOf,
  type ElementRef,
  type Principal,
  type Region,
  type Target,
  type UiNode,
  type UiTree,
} from '../../model/index.ts'
import {
  beforePixels,
  clip,
  explain,
  generator,
  labelOf,
  match,
  saidBy,
  type Explanation,
  type Match,
  type MatchOptions,
  type Selector,
} from '../../selector/index.ts'
import type { Outcome } from '../outcome.ts'
import { closedAround, howToReach } from './closed-around.ts'
import type { DriverState } from './driver-state.ts'
import { lineFor } from './outline-items.ts'
import type { LiveTree } from './live-tree.ts'
import { downFor, downOf } from './missing-driver.ts'
import type { Pixels } from './pixels.ts'
import type { Refs } from './refs.ts'
import type { Resolved, Targets } from './targets.ts'
import { isPart } from './same-parts.ts'
import type { See } from './see.ts'
import { tellApart } from './tell-apart.ts'

const MAX_CANDIDATES = 8
/** What a list was looked through for is not looked for again so soon, nor in more lists than this. */
const SOUGHT_MS = 5_000
const MOST_LISTS = 3

/** What an action asks of its target: to be pressed, or to take text. */
export type Taking = 'press' | 'text'

interface Candidate {
  elementId: string
  role: string
  name?: string
  shown: string
  selector: string
}

/**
 * Recognises what a selector asks of pixels; empty for selectors that ask for structure alone. `fallback`: no element has the text that it asks
 * for, so recognised text may answer, where a window tells nothing of itself.
 */
type FindRegions = (selector: string, who: Principal, fallback?: boolean) => Promise<readonly Region[]>

/** What pixels show beside the tree. */
export interface InPixels {
  regions: FindRegions
  /** Whether something that this principal sees tells nothing of itself and can be read. */
  isNeeded(who: Principal): boolean
  /** Brings up to date what was made out there. */
  look(who: Principal, options?: { all?: boolean; glance?: boolean }): Promise<void>
  /** Adds what is only seen to the text index of a snapshot. */
  index(outcome: Outcome, action: ActionOf<'snapshot'>, who: Principal): Promise<Outcome>
}

interface NameNeeds {
  tree: LiveTree
  see: See
  refs: Refs
  driver: DriverState
  inPixels: InPixels
  targets: Targets
  pixels: Pixels
}

/** Finds elements and regions by what agents call them: an id that was shown, or a selector. */
export class Names {
  readonly #on: NameNeeds
  /** What each list was last looked through for, and until when that holds. */
  readonly #sought = new Map<string, { text: string; until: number }>()

  constructor(needs: NameNeeds) {
    this.#on = needs
  }

  /** The one thing that a target names; what cannot take what `takes` says does not make it ambiguous. */
  async one(target: Target, who: Principal, takes?: Taking): Promise<Resolved> {
    const { tree, targets } = this.#on
    if (!('selector' in target)) {
      await this.#renew(target, who)
      const known = this.#known(target, who)
      if (isPart(known)) return this.#part(known, { why: [`the element shown as ${target.elementId}`] }, who)
      const node = tree.node(known.key)
      if (node === undefined) throw new DeskhandError('STALE_REF', `${target.elementId} is gone`)
      return targets.of(node, who, { source: 'structure', confidence: 1, why: [`the element shown as ${target.elementId}`] })
    }
    const { selector } = target
    const [one, ...others] = preferable(preferWhole(preferVisible(await this.matches(selector, who))), takes)
    if (one === undefined) throw this.#missing(selector, who)
    if (others.length > 0) throw this.#ambiguous(selector, [one, ...others], who)
    const { source, confidence, why } = one
    if (isPart(one.node)) return this.#part(one.node, { why, selector }, who)
    if (source !== 'structure') return this.#region(selector, one, who)
    const node = tree.node(one.node.key)
    if (node === undefined) throw new DeskhandError('STALE_REF', `what ${selector} named is gone`)
    return targets.of(node, who, { source, confidence, why: [...why], selector })
  }

  #known(target: ElementRef, who: Principal): UiNode {
    const { see, refs } = this.#on
    try {
      return refs.node(target, see(who).see, who)
    } catch (thrown) {
      throw downOf(refs.driverOf(target, who), target.elementId, see(who)) ?? thrown
    }
  }

  /** Every element that a target names, for looking: an id that is gone names none, and one that was given another name still itself. */
  async all(target: Target, who: Principal): Promise<UiNode[]> {
    if ('selector' in target) return preferWhole(await this.matches(target.selector, who, true)).map((m) => m.node)
    await this.#renew(target, who)
    const node = this.#on.refs.known(target, this.#on.see(who).see, who)
    return node === undefined ? [] : [node]
  }

  /** Everything that a selector matches; `isLook`: an id in it that is gone names nothing, where it is STALE_REF else. */
  async matches(selector: string, who: Principal, isLook = false): Promise<Match[]> {
    const options = (regions: readonly Region[] = []) => this.#options(who, regions, isLook)
    // Pixels are not looked at where an earlier alternative names elements.
    const plain = beforePixels(selector, this.#on.driver.prefixes)
    const named = plain === undefined ? [] : await this.#matched(plain, who, options())
    if (named.length > 0) return named
    const regions = await this.#on.inPixels.regions(selector, who)
    const found = await this.#matched(selector, who, options(regions))
    if (found.length > 0) return found
    if (!isLook && (await this.#seek(selector, who))) {
      const loaded = match(selector, this.#on.see(who), options(regions))
      if (loaded.length > 0) return loaded
    }
    const read = await this.#on.inPixels.regions(selector, who, true)
    return read.length > regions.length ? match(selector, this.#on.see(who), options(read)) : found
  }

  /** Loads rows of long lists that say what a selector asks for; false where there is nothing to look through. */
  async #seek(selector: string, who: Principal): Promise<boolean> {
    const { tree, see, driver } = this.#on
    const [text] = saidBy(selector, driver.prefixes).toSorted((a, b) => b.length - a.length)
    if (text === undefined) return false
    const isDue = ({ key }: UiNode): boolean => {
      const last = this.#sought.get(key)
      return last === undefined || last.text !== text || last.until < Date.now()
    }
    const lists = unloadedLists(see(who)).slice(0, MOST_LISTS).filter(isDue)
    for (const { key } of lists) {
      await tree.seek(key, text)
      this.#sought.set(key, { text, until: Date.now() + SOUGHT_MS })
    }
    for (const key of this.#sought.keys()) if (tree.node(key) === undefined) this.#sought.delete(key)
    return lists.length > 0
  }

  /** What a selector matches; where no element does, or what was made out in pixels, the pixels are looked at once more. */
  async #matched(selector: Selector | string, who: Principal, options: MatchOptions): Promise<Match[]> {
    const { see, inPixels } = this.#on
    const found = match(selector, see(who), options)
    if ((found.length > 0 && !found.some((m) => isPart(m.node))) || !inPixels.isNeeded(who)) return found
    await inPixels.look(who)
    return match(selector, see(who), options)
  }

  #options(who: Principal, regions: readonly Region[] = [], isLook = false): MatchOptions {
    const { driver, refs, see } = this.#on
    const element = (elementId: string): UiNode | undefined =>
      isLook ? refs.known({ elementId }, see(who).see, who) : refs.node({ elementId }, see(who).see, who)
    return { driver: driver.info.kind, prefixes: driver.prefixes, regions, element }
  }

  /** Why a selector matches nothing, in a sentence, and what comes close. Throws DRIVER_DEAD where it asks only for elements of drivers that are down. */
  miss(selector: string, who: Principal): Explanation {
    const seen = this.#on.see(who)
    const down = downFor(selector, seen, this.#on.driver.prefixes)
    if (down !== undefined) throw down
    return explain(selector, seen, this.#options(who, [], true))
  }

  /**
   * A place that was recognised is judged and guarded as the element under its middle, which also says what is written there; where no
   * element lies but a window, it is a region of that window.
   */
  async #region(selector: string, { node, source, confidence, why }: Match, who: Principal): Promise<Resolved> {
    const { bounds, name, attributes } = node
    if (bounds === undefined) throw new DeskhandError('NOT_CAPABLE', `what ${selector} named does not tell where it is`)
    const at = center(bounds)
    const { node: under, facts } = await this.#on.pixels.under(at, who)
    const isElement = under !== undefined && !WINDOWS.has(under.role)
    // What was really read counts, too: it may say more than what was looked for.
    const texts = [name, attributes?.['read']].filter((text) => typeof text === 'string')
    const says = [...(facts.says ?? []), ...texts]
    const what = isElement ? { says } : { role: 'region', name, says }
    return { node: under, facts: { ...facts, ...what, region: bounds, at, source, confidence, why: [...why], selector } }
  }

  /** What an id stands for that was made out in pixels may have been drawn over since. */
  async #renew({ elementId }: ElementRef, who: Principal): Promise<void> {
    const key = this.#on.refs.key(elementId)
    if (key !== undefined && isPart({ key })) await this.#on.inPixels.look(who)
  }

  /** A part that was made out in pixels is judged as a place in its window or area, with what is written there; anything lying over it is in the way. */
  async #part(part: UiNode, { why, selector }: { why: readonly string[]; selector?: string }, who: Principal): Promise<Resolved> {
    const { bounds, name, value } = part
    if (bounds === undefined) throw new DeskhandError('NOT_CAPABLE', 'what was made out in pixels has no place')
    const at = center(bounds)
    const { node: under, facts } = await this.#on.pixels.under(at, who)
    if (under === undefined || under.key !== placeOf(part)?.key)
      throw new DeskhandError('NOT_ACTIONABLE', `something else lies over ${part.role} ${clip(name ?? '')} by now`)
    const says = [...(facts.says ?? []), name ?? '', value ?? ''].filter((text) => text !== '')
    const confidence = Number(part.attributes?.['confidence'] ?? 0)
    const made = `a ${part.role} that was made out in pixels`
    const elementId = this.#on.refs.mention(part, who)
    const about = {
      role: 'region',
      name,
      says,
      states: part.states,
      region: bounds,
      at,
      source: 'ocr' as const,
      confidence,
      elementId,
      selector,
    }
    return { node: under, facts: { ...facts, ...about, why: [...why, made] } }
  }

  #missing(selector: string, who: Principal): DeskhandError {
    const seen = this.#on.see(who)
    const miss = this.miss(selector, who)
    const describe = this.#briefly(
      miss.candidates.map((c) => c.node),
      who,
    )
    const candidates = miss.candidates.map((c) => ({ ...describe(c.node), failed: c.failed }))
    const nearest = miss.candidates[0]?.node
    const closed = nearest?.states?.visible === false ? closedAround(nearest, seen.see) : []
    const { complete, reasons } = seen.completeness
    const unloaded = notLoaded(seen)
    const holes = complete ? '' : ` (the tree is incomplete: ${reasons.map((r) => r.detail).join('; ')})`
    return new DeskhandError('NOT_FOUND', `nothing matches ${selector}. ${miss.sentence}${unloaded}${holes}`, {
      details: { candidates },
      next: nextOf(nearest, closed),
    })
  }

  #ambiguous(selector: string, matches: Match[], who: Principal): DeskhandError {
    const shown = matches.slice(0, MAX_CANDIDATES).map((m) => m.node)
    const candidates = shown.map(this.#briefly(shown, who))
    return new DeskhandError('AMBIGUOUS_TARGET', `${selector} matches ${matches.length} elements`, { details: { candidates } })
  }

  /** A node as an error lists it: its id and line as in an outline, what tells it from the others, and a selector that names it alone. */
  #briefly(nodes: readonly UiNode[], who: Principal): (node: UiNode) => Candidate {
    const { see, refs } = this.#on
    const selectorOf = generator(see(who))
    const where = tellApart(nodes)
    return (node) => ({
      elementId: refs.show(node, who),
      role: node.role,
      name: node.name,
      shown: lineFor(node) + where(node),
      selector: selectorOf(node),
    })
  }
}

/** What comes nearest is listed with its id, so that it can be used without another look. */
function nextOf(nearest: UiNode | undefined, closed: readonly UiNode[]): string | undefined {
  if (nearest === undefined) return undefined
  return closed.length > 0
    ? `If the nearest is meant: ${howToReach(nearest, closed)}.`
    : 'If what is listed is meant, use its id; else take a snapshot.'
}

/** The element of the tree that a part lies in. */
function placeOf(part: UiNode): UiNode | undefined {
  let at: UiNode | undefined = part
  while (at !== undefined && isPart(at)) at = at.parent
  return at
}

/** A node in a few words. */
const describe = ({ role, name }: UiNode): string => (name ? `${role} ${clip(name)}` : role)

/** Lists of which only the rows in view are known: what is looked for may be further up or down. */
function notLoaded(seen: UiTree): string {
  return unloadedLists(seen)
    .map(
      (n) =>
        ` ${String(n.attributes?.['rowsNotLoaded'])} more rows of ${describe(n)} are not loaded: name one by what it says, or scroll it and look again.`,
    )
    .join('')
}

const unloadedLists = ({ roots }: UiTree): UiNode[] =>
  [...walk(roots)].filter((n) => n.states?.visible !== false && Number(n.attributes?.['rowsNotLoaded'] ?? 0) > 0)

/** Hidden twins (a closed menu's entries) do not make a visible element ambiguous. */
function preferVisible(matches: Match[]): Match[] {
  const visible = matches.filter((m) => m.node.states?.visible !== false)
  return visible.length > 0 ? visible : matches
}

/** The label in a button of the same name is the button, and the label beside a field is the field: a part of another match does not make it ambiguous. */
function preferWhole(matches: Match[]): Match[] {
  if (matches.length < 2) return matches
  const keys = new Set(matches.map((m) => m.node.key))
  const labels = new Set(matches.map((m) => labelOf(m.node, (n) => n.states?.visible !== false)?.key))
  const isPart = ({ node }: Match): boolean => {
    if (labels.has(node.key)) return true
    for (let n = node.parent; n !== undefined; n = n.parent)
      if (keys.has(n.key) && INTERACTIVE.has(n.role)) return isPartOf(node.role, n.role)
    return false
  }
  return matches.filter((m) => !isPart(m))
}

/** Those that can take the action, where some can. */
function preferable(matches: Match[], takes?: Taking): Match[] {
  if (matches.length < 2 || takes === undefined) return matches
  const able = matches.filter(({ node, source }) => source !== 'structure' || (takes === 'press' ? isOperable(node) : takesText(node)))
  return able.length > 0 ? able : matches
}

const isOperable = ({ role, states, actions }: UiNode): boolean =>
  INTERACTIVE.has(role) || states?.editable === true || (actions?.length ?? 0) > 0

const takesText = ({ role, states }: UiNode): boolean => states?.editable ?? TEXT_CONTROLS.has(role)
