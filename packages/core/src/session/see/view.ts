import type { Policy, Setting } from '../../policy/policy.ts'
import type { AppIdentity, Principal, UiNode } from '../../model/index.ts'
import { FilteredTree, type Hidden } from './filtered-tree.ts'
import type { Sight } from './see.ts'
import { factsOf, pageOf } from './target-facts.ts'
import { windowOf, type LiveTree } from './live-tree.ts'

/** How many principals can take turns without having their views made anew. */
const MOST = 16
/** Rules may expire, so an answer holds for a second at most. */
const HOLDS_MS = 1_000

/**
 * What principals may know of. Everything an agent sees (outlines, candidates, near misses, diffs) is made from this and
 * never from the tree itself, so that a denied application, window or document leaks nothing.
 */
export class View {
  readonly #on: ViewNeeds
  /** The principal whose view was made last is the last one. */
  readonly #views = new Map<string, Made>()

  constructor(needs: ViewNeeds) {
    this.#on = needs
  }

  of(principal: Principal): Sight {
    const { tree, policy, setting, mode, now } = this.#on
    const who = `${principal.role} ${principal.id}`
    const known = this.#views.get(who)
    if (known !== undefined && known.policy === policy() && known.mode === mode() && now() < known.until) return known.seen
    const current = setting()
    const made: Made = {
      policy: policy(),
      mode: current.mode,
      until: current.now + HOLDS_MS,
      seen: sightOf(tree, principal, policy(), current),
    }
    this.#views.delete(who)
    this.#views.set(who, made)
    const [oldest] = this.#views.keys()
    if (this.#views.size > MOST && oldest !== undefined) this.#views.delete(oldest)
    return made.seen
  }
}

interface ViewNeeds {
  tree: LiveTree
  policy(): Policy
  setting(): Setting
  mode(): Setting['mode']
  now(): number
}

/** A view, and for how long what it was made from holds. */
interface Made {
  policy: Policy
  mode: Setting['mode']
  until: number
  seen: Sight
}

/** What the principal sees of the tree as it is whenever this is read. */
function sightOf(tree: LiveTree, principal: Principal, policy: Policy, setting: Setting): Sight {
  const answers = new Map<string, boolean>()
  const ask = (key: string, answer: () => boolean): boolean => {
    let known = answers.get(key)
    if (known === undefined) answers.set(key, (known = answer()))
    return known
  }
  const visible = (app: AppIdentity) => ask(JSON.stringify(app), () => policy.visible(app, principal, setting))
  const sees = (node: UiNode) =>
    ask(JSON.stringify([node.key, node.app, node.role, node.name, node.states, node.attributes, ...shownIn(windowOf(node))]), () =>
      policy.sees(factsOf(node, SEEN), principal, setting),
    )
  const hidden = (): Hidden => ({
    apps: new Set(tree.apps.filter((app) => !visible(app)).map((app) => app.id)),
    places: new Set([...tree.places].filter((place) => !sees(place))),
  })
  const whole: Sight = {
    get roots() {
      return tree.roots
    },
    get completeness() {
      return tree.completeness
    },
    index: tree.index,
    see: (key) => (key === undefined ? undefined : tree.node(key)),
  }
  let asked: { generation: number; hidden: Hidden } | undefined
  let made: { generation: number; seen: Sight } | undefined
  const now = (): Sight => {
    if (made?.generation === tree.generation) return made.seen
    if (asked?.generation !== tree.placesGeneration) asked = { generation: tree.placesGeneration, hidden: hidden() }
    const isWhole = asked.hidden.apps.size === 0 && asked.hidden.places.size === 0
    made = { generation: tree.generation, seen: isWhole ? whole : new FilteredTree(tree, asked.hidden) }
    return made.seen
  }
  return {
    get roots() {
      return now().roots
    },
    get completeness() {
      return now().completeness
    },
    get index() {
      return now().index
    },
    see: (key) => now().see(key),
  }
}

/** The title of a window and the page in it. */
const shownIn = (window: UiNode | undefined): unknown[] => (window === undefined ? [] : [window.name, pageOf(window)])

/** How a place is judged that is only looked at. */
export const SEEN = { source: 'structure', confidence: 1, why: [] } satisfies Parameters<typeof factsOf>[1]
