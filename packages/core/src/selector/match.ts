import type { Region, UiNode, UiTree } from '../model/index.ts'
import type { Find, Link, Path, Selector } from './ast.ts'
import { compile, type Compiled } from './compile.ts'
import type { Match, MatchStep } from './matches.ts'
import { serves, type Prefixes } from './prefixes.ts'
import { Ranker, type LastBounds } from './rank.ts'
import { nearest } from './relation.ts'
import { Scene, type Scope, type Test } from './scene.ts'
import { elements } from './search.ts'
import { readsText } from './wants.ts'

export interface MatchOptions {
  limit?: number
  /** The kind of the driver behind nodes that do not name theirs: its prefixes match them all. */
  driver?: string
  /** The prefixes that drivers claim. */
  prefixes?: Prefixes
  /** What was recognised in pixels: what `ocr:` and `image:` search, and `any:` when it asks for text that no node has. */
  regions?: readonly Region[]
  /** The element that an id stands for; none where this is left out. */
  element?: (id: string) => UiNode | undefined
  /** Where a node was when the caller last saw it; one that moved is less certain. */
  lastBounds?: LastBounds
}

/** Everything that the first alternative with a match matches, in document order; a toggle button is a button where no other one matches. */
export function match(selector: Selector | string, tree: UiTree, options: MatchOptions = {}): Match[] {
  const scene = new Scene(tree, options)
  const compiled = compile(selector, options.prefixes)
  const found = matchIn(compiled, scene, options)
  return found.length > 0 || compiled.wider === undefined ? found : matchIn(compile(compiled.wider), scene, options)
}

function matchIn({ paths }: Compiled, scene: Scene, options: MatchOptions): Match[] {
  for (const [alternative, { path, tests }] of paths.entries()) {
    const steps = evaluate(path, tests, scene, options)
    const hits = steps.at(-1)?.hits ?? []
    if (hits.length === 0 || steps.length <= path.links.length) continue
    const first = options.limit === undefined ? hits : hits.slice(0, options.limit)
    const ranker = new Ranker({ scene, path, steps, alternative, lastBounds: options.lastBounds })
    return first.map((node) => ranker.rank(node))
  }
  return []
}

/** Evaluates step by step; the list ends with the step that found nothing. */
export function evaluate(path: Path, tests: readonly Test[], scene: Scene, options: MatchOptions = {}): MatchStep[] {
  let test = 0
  const search: Search = (find, scope) => candidates(find, tests[test++] ?? (() => false), scope, scene, options)
  let step: MatchStep = { find: path.first, hits: search(path.first) }
  const steps = [step]
  for (const link of path.links) {
    if (step.hits.length === 0) break
    step = follow(link, step, search, scene)
    steps.push(step)
  }
  return steps
}

type Search = (find: Find, scope?: Scope) => UiNode[]

function follow(link: Link, before: MatchStep, search: Search, scene: Scene): MatchStep {
  switch (link.type) {
    case 'within': {
      const scope = scene.below(before.hits)
      return { find: link.find, link, scope, hits: search(link.find, scope) }
    }
    case 'relation': {
      const found = search(link.find, before.scope)
      before.hits = before.hits.filter((hit, _, all) => all.length === 1 || !scene.isKnownBy(hit, all))
      const distances = nearest(link.relation, link.max ?? Infinity, before.hits, found, scene)
      return { find: link.find, link, scope: before.scope, hits: [...distances.keys()], distances, candidates: found }
    }
    case 'nth': {
      const hit = before.hits.at(link.index)
      return { ...before, link, hits: hit === undefined ? [] : [hit] }
    }
    default:
      return link satisfies never
  }
}

function candidates(find: Find, test: Test, scope: Scope | undefined, scene: Scene, options: MatchOptions): UiNode[] {
  const { prefix } = find
  const isRecognised = prefix === 'ocr' || prefix === 'image'
  const hits = isRecognised ? [] : elements(find.expr, prefix, test, scene, { scope, isServed: serves(prefix, options) })
  if (!isRecognised && (prefix !== 'any' || hits.length > 0 || !readsText(find.expr))) return hits
  const source = prefix === 'image' ? 'image' : 'ocr'
  return scene.regions.filter((n) => n.key.startsWith(source) && test(n, scene) && (!scope || scope.holds(n)))
}
