import type { Policy, Setting } from '../policy/policy.ts'
import { walk, type AppIdentity, type Principal, type UiNode, type UiTree } from '../model/index.ts'
import { factsOf } from './facts.ts'
import { windowOf, type LiveTree } from './tree.ts'

/** A tree as somebody may see it. */
export interface Sight extends UiTree {
  /** The node with this key, without what is hidden inside it; undefined when it is not theirs to know of. */
  see(key: string | undefined): UiNode | undefined
}

/**
 * What a principal may know of. Everything an agent sees (outlines, candidates, near misses, diffs) is made from this and
 * never from the tree itself, so that a denied application, window or document leaks nothing.
 */
export class View {
  readonly #tree: LiveTree
  /** Answers of the policy, for as long as everything they hang on is the same. */
  readonly #answers = new Map<string, boolean>()
  #asked = ''
  #made?: { generation: number; seen: Sight }

  constructor(tree: LiveTree) {
    this.#tree = tree
  }

  of(principal: Principal, policy: Policy, setting: Setting): Sight {
    // Rules may expire, so an answer holds for a second at most.
    const asked = `${policy.version} ${principal.role} ${principal.id} ${setting.mode} ${Math.floor(setting.now / 1000)}`
    if (asked !== this.#asked) {
      this.#asked = asked
      this.#answers.clear()
      this.#made = undefined
    }
    const { generation } = this.#tree
    if (this.#made?.generation !== generation)
      this.#made = { generation, seen: sightOf(this.#make(principal, policy, setting), this.#tree) }
    return this.#made.seen
  }

  #make(principal: Principal, policy: Policy, setting: Setting): UiTree {
    const tree = this.#tree
    const visible = (app: AppIdentity) => this.#ask(JSON.stringify(app), () => policy.visible(app, principal, setting))
    const sees = (node: UiNode) =>
      this.#ask(JSON.stringify([node.key, node.app, node.role, node.name, node.states, node.attributes, windowOf(node)?.name]), () =>
        policy.sees(factsOf(node, SEEN), principal, setting),
      )
    const apps = new Set(tree.apps.filter((app) => !visible(app)).map((app) => app.id))
    const places = new Set<UiNode>()
    for (const place of tree.places) if (!sees(place)) places.add(place)
    if (apps.size === 0 && places.size === 0) return tree
    const hidden = (node: UiNode): boolean => apps.has(node.app.id) || places.has(node)
    const reasons = tree.completeness.reasons.filter((r) => r.app === undefined || !apps.has(r.app))
    const shown = tree.roots.filter((r) => !hidden(r))
    // Only a hidden part inside a root that is shown makes copying necessary.
    const roots = places.size > 0 || tree.embeds ? shown.map((r) => without(r, hidden)) : shown
    return { roots, completeness: { complete: tree.completeness.complete || reasons.length === 0, reasons } }
  }

  #ask(key: string, answer: () => boolean): boolean {
    let known = this.#answers.get(key)
    if (known === undefined) this.#answers.set(key, (known = answer()))
    return known
  }
}

function sightOf(seen: UiTree, tree: LiveTree): Sight {
  const { roots, completeness } = seen
  if (seen === tree) return { roots, completeness, see: (key) => (key === undefined ? undefined : tree.node(key)) }
  let byKey: Map<string, UiNode> | undefined
  return {
    roots,
    completeness,
    see: (key) => {
      byKey ??= new Map([...walk(roots)].map((n) => [n.key, n]))
      return key === undefined ? undefined : byKey.get(key)
    },
  }
}

const SEEN = { source: 'structure', confidence: 1, why: [] } satisfies Parameters<typeof factsOf>[1]

function without(node: UiNode, hidden: (n: UiNode) => boolean, parent?: UiNode): UiNode {
  const copy: UiNode = { ...node, parent, children: [] }
  copy.children = node.children.filter((c) => !hidden(c)).map((c) => without(c, hidden, copy))
  return copy
}
