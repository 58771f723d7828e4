import { DeskhandError } from '../../errors.ts'
import { center, INTERACTIVE, isPartOf, WINDOWS, type Principal, type Region, type Target, type UiNode } from '../../model/index.ts'
import { beforePixels, explain, generator, match, type Match, type MatchOptions } from '../../selector/index.ts'
import type { DriverState } from './driver-state.ts'
import type { LiveTree } from './live-tree.ts'
import type { Pixels } from './pixels.ts'
import type { Refs } from './refs.ts'
import type { Resolved, Targets } from './targets.ts'
import type { See } from './see.ts'

const MAX_CANDIDATES = 8

/**
 * Recognises what a selector asks of pixels; empty for selectors that ask for structure alone. `fallback`: no element has the text that it asks
 * for, so recognised text may answer, where a window tells nothing of itself.
 */
export type FindRegions = (selector: string, who: Principal, fallback?: boolean) => Promise<readonly Region[]>

interface NameNeeds {
  tree: LiveTree
  see: See
  refs: Refs
  driver: DriverState
  regions: FindRegions
  targets: Targets
  pixels: Pixels
}

/** Finds elements and regions by what agents call them: an id that was shown, or a selector. */
export class Names {
  readonly #on: NameNeeds

  constructor(needs: NameNeeds) {
    this.#on = needs
  }

  /** The one thing that a target names. */
  async one(target: Target, who: Principal): Promise<Resolved> {
    const { tree, see, refs, targets } = this.#on
    if (!('selector' in target)) {
      const node = tree.node(refs.node(target, see(who).see, who).key)
      if (node === undefined) throw new DeskhandError('STALE_REF', `${target.elementId} is gone`)
      return targets.of(node, who, { source: 'structure', confidence: 1, why: [`the element shown as ${target.elementId}`] })
    }
    const { selector } = target
    const [one, ...others] = preferWhole(preferVisible(await this.matches(selector, who)))
    if (one === undefined) throw this.#missing(selector, who)
    if (others.length > 0) throw this.#ambiguous(selector, [one, ...others], who)
    const { source, confidence, why } = one
    if (source !== 'structure') return this.#region(selector, one, who)
    const node = tree.node(one.node.key)
    if (node === undefined) throw new DeskhandError('STALE_REF', `what ${selector} named is gone`)
    return targets.of(node, who, { source, confidence, why: [...why], selector })
  }

  /** Every element that a target names, for looking: an id that is gone names none, and one that was given another name still itself. */
  async all(target: Target, who: Principal): Promise<UiNode[]> {
    if ('selector' in target) return (await this.matches(target.selector, who)).map((m) => m.node)
    const node = this.#on.refs.known(target, this.#on.see(who).see, who)
    return node === undefined ? [] : [node]
  }

  async matches(selector: string, who: Principal): Promise<Match[]> {
    // Pixels are not looked at where an earlier alternative names elements.
    const plain = beforePixels(selector, this.#on.driver.prefixes)
    const named = plain === undefined ? [] : match(plain, this.#on.see(who), this.#options())
    if (named.length > 0) return named
    const regions = await this.#on.regions(selector, who)
    const found = match(selector, this.#on.see(who), this.#options(regions))
    if (found.length > 0) return found
    const read = await this.#on.regions(selector, who, true)
    return read.length > regions.length ? match(selector, this.#on.see(who), this.#options(read)) : found
  }

  #options(regions: readonly Region[] = []): MatchOptions {
    const { driver } = this.#on
    return { driver: driver.info.kind, prefixes: driver.prefixes, regions }
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

  #missing(selector: string, who: Principal): DeskhandError {
    const seen = this.#on.see(who)
    const miss = explain(selector, seen, this.#options())
    const describe = this.#briefly(who)
    const candidates = miss.candidates.map((c) => ({ ...describe(c.node), failed: c.failed }))
    const { complete, reasons } = seen.completeness
    const holes = complete ? '' : ` (the tree is incomplete: ${reasons.map((r) => r.detail).join('; ')})`
    return new DeskhandError('NOT_FOUND', `nothing matches ${selector}. ${miss.sentence}${holes}`, { details: { candidates } })
  }

  #ambiguous(selector: string, matches: Match[], who: Principal): DeskhandError {
    const describe = this.#briefly(who)
    const candidates = matches.slice(0, MAX_CANDIDATES).map((m) => describe(m.node))
    return new DeskhandError('AMBIGUOUS_TARGET', `${selector} matches ${matches.length} elements`, { details: { candidates } })
  }

  /** A node as an error lists it: with its id, and a selector that names it alone. */
  #briefly(who: Principal): (node: UiNode) => { elementId: string; role: string; name?: string; selector: string } {
    const { see, refs } = this.#on
    const selectorOf = generator(see(who))
    return (node) => ({ elementId: refs.show(node, who), role: node.role, name: node.name, selector: selectorOf(node) })
  }
}

/** Hidden twins (a closed menu's entries) do not make a visible element ambiguous. */
function preferVisible(matches: Match[]): Match[] {
  const visible = matches.filter((m) => m.node.states?.visible !== false)
  return visible.length > 0 ? visible : matches
}

/** The label in a button of the same name is the button: what is a part of another match does not make it ambiguous. */
function preferWhole(matches: Match[]): Match[] {
  if (matches.length < 2) return matches
  const keys = new Set(matches.map((m) => m.node.key))
  const isPart = ({ node }: Match): boolean => {
    for (let n = node.parent; n !== undefined; n = n.parent)
      if (keys.has(n.key) && INTERACTIVE.has(n.role)) return isPartOf(node.role, n.role)
    return false
  }
  return matches.filter((m) => !isPart(m))
}
