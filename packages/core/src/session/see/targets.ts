import { DeskhandError } from '../../errors.ts'
import type { Principal, TargetFacts, UiNode } from '../../model/index.ts'
import { DRIFT_PX } from '../../policy/index.ts'
import type { LiveNode, LiveTree } from './live-tree.ts'
import type { Refs } from './refs.ts'
import { factsOf } from './target-facts.ts'
import type { See } from './see.ts'

/** What a call would touch: the node in the replica where there is one, and the facts that policy, people and the journal see. */
export interface Resolved {
  node?: LiveNode
  facts: TargetFacts
}

export type Found = Parameters<typeof factsOf>[1]

/** How sure a match is at most that is not where the caller last saw it. */
const MOVED_CONFIDENCE = 0.7

/** Makes targets of nodes, and knows those that need no name: the focus and the active window. */
export class Targets {
  readonly #tree: LiveTree
  readonly #see: See
  readonly #refs: Refs

  constructor({ tree, see, refs }: { tree: LiveTree; see: See; refs: Refs }) {
    this.#tree = tree
    this.#see = see
    this.#refs = refs
  }

  /** The target that this node is; it gets an id where the caller may know of it. */
  of(node: UiNode, who: Principal, found: Found): Resolved {
    const known = this.#see(who).see(node.key)
    if (known === undefined) return { node: this.#tree.node(node.key), facts: factsOf(node, found) }
    const driftPx = found.source === 'structure' ? Math.round(this.#refs.drift(node, who)) : 0
    const elementId = this.#refs.mention(known, who)
    const facts = factsOf(node, driftPx > DRIFT_PX ? moved(found, driftPx) : found)
    return { node: this.#tree.node(node.key), facts: { ...facts, elementId } }
  }

  /** The same target, as its element is now; it keeps how it was found, and where it was looked for. */
  anew({ node, facts }: Resolved): Resolved {
    const now = facts.key === undefined ? undefined : this.#tree.node(facts.key)
    if (now === undefined) return { node, facts }
    const told = factsOf(now, { source: facts.source, confidence: facts.confidence, why: facts.why })
    const { role, name, says, states, value } = facts.region === undefined ? told : facts
    return { node: now, facts: { ...facts, ...told, role, name, says, states, value, bounds: facts.bounds } }
  }

  told({ facts: { elementId, region, role, name, bounds } }: Resolved, who: Principal): void {
    if (elementId !== undefined && region === undefined) this.#refs.tell(elementId, { role, name, bounds }, who)
  }

  focused(who: Principal): Resolved {
    const node = this.#node(this.#tree.focus)
    if (node !== undefined) return this.of(node, who, { source: 'focus', confidence: 0.9, why: ['it has the focus'] })
    const window = this.#node(this.#tree.activeWindow)
    if (window === undefined) return this.nothing('desktop', undefined, 'nothing has the focus')
    return this.of(window, who, { source: 'focus', confidence: 0.5, why: ['its window is active'] })
  }

  active(who: Principal): Resolved {
    const window = this.#node(this.#tree.activeWindow)
    if (window === undefined) throw new DeskhandError('NOT_FOUND', 'no window is active')
    return this.of(window, who, { source: 'focus', confidence: 0.9, why: ['it is the active window'] })
  }

  /** What is touched is no element. */
  nothing(role: string, name: string | undefined, why: string): Resolved {
    return { facts: { role, name, path: [], source: 'none', confidence: 1, why: [why] } }
  }

  #node(key: string | undefined): LiveNode | undefined {
    return key === undefined ? undefined : this.#tree.node(key)
  }
}

/** What was found by a point or by the focus is meant where it is; what was found by its name may be another thing than the caller saw. */
const moved = (found: Found, driftPx: number): Found => ({
  ...found,
  driftPx,
  confidence: Math.min(found.confidence, MOVED_CONFIDENCE),
  why: [...found.why, `it is ${driftPx} px from where you last saw it`],
})
