import type { UiNode, UiTree } from '../model/index.ts'
import type { Expr, Find, Link, Path, Prefix, Selector } from './ast.ts'
import { compile, type Test } from './compile.ts'
import { Flat, type TextEntry } from './flat.ts'
import { rank, type LastBounds } from './rank.ts'
import { nearest } from './relation.ts'

export interface Match {
  /** A region of recognised text is a node without children that no driver knows; its key begins with `ocr:`. */
  node: UiNode
  /** 0…1: how sure it is that this is what was meant. */
  confidence: number
  why: string[]
  source: 'structure' | 'ocr' | 'image'
}

export interface MatchOptions {
  limit?: number
  /** The kind of the driver behind the tree: its prefix then matches nodes without platform ids too. */
  driver?: string
  /** Text that was recognised in pixels: what `ocr:` searches, and `any:` when it asks for text that no node has. */
  textIndex?: readonly TextEntry[]
  /** Where a node was when the caller last saw it; one that moved is less certain. */
  lastBounds?: LastBounds
}

/** Everything that the first alternative with a match matches, in document order. */
export function match(selector: Selector | string, tree: UiTree, options: MatchOptions = {}): Match[] {
  const { paths } = compile(selector)
  const flat = new Flat(tree, options.textIndex)
  for (const [alternative, { path, tests }] of paths.entries()) {
    const stages = evaluate(path, tests, flat, options.driver)
    const hits = stages.at(-1)?.hits ?? []
    if (hits.length === 0 || stages.length <= path.links.length) continue
    return hits.slice(0, options.limit).map((i) => rank(i, { flat, path, stages, alternative, lastBounds: options.lastBounds }))
  }
  return []
}

/** Runs of document order, ascending and apart from each other, below the roots; no roots: the whole tree. */
interface Scope {
  runs: [from: number, to: number][]
  roots?: number[]
}

/** What a step found, and where it looked. */
export interface Stage {
  find?: Find
  link?: Link
  scope: Scope
  hits: number[]
  /** After a relation: how far each hit is from its anchor, and what was there to choose from. */
  distances?: Map<number, number>
  candidates?: number[]
}

/** Evaluates step by step; the list ends with the step that found nothing. */
export function evaluate(path: Path, tests: readonly Test[], flat: Flat, driver?: string): Stage[] {
  let test = 0
  const everywhere: Scope = { runs: [[0, flat.size - 1]] }
  const search = (find: Find, scope: Scope): number[] => candidates(find, tests[test++] ?? (() => false), scope, flat, driver)
  let stage: Stage = { find: path.first, scope: everywhere, hits: search(path.first, everywhere) }
  const stages = [stage]
  for (const link of path.links) {
    if (stage.hits.length === 0) break
    stage = follow(link, stage, search, flat)
    stages.push(stage)
  }
  return stages
}

function follow(link: Link, before: Stage, search: (find: Find, scope: Scope) => number[], flat: Flat): Stage {
  switch (link.type) {
    case 'within': {
      const scope = inside(before.hits, flat)
      return { find: link.find, link, scope, hits: search(link.find, scope) }
    }
    case 'relation': {
      const found = search(link.find, before.scope)
      const distances = nearest(link.relation, link.max ?? Infinity, before.hits, found, flat)
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

/** Below the hits, each node once. */
function inside(hits: number[], flat: Flat): Scope {
  const runs: Scope['runs'] = []
  let done = -1
  for (const i of hits) {
    const to = flat.end(i)
    if (to > i && to > done) runs.push([Math.max(i, done) + 1, to])
    done = Math.max(done, to)
  }
  return { runs, roots: hits }
}

function candidates(find: Find, test: Test, scope: Scope, flat: Flat, driver?: string): number[] {
  const hits: number[] = []
  const { prefix } = find
  if (prefix !== 'ocr' && prefix !== 'image') {
    for (const [from, to] of scope.runs)
      for (let i = from; i <= to; i++) if ((prefix === 'any' || serves(prefix, flat.nodes[i], driver)) && test(flat, i)) hits.push(i)
  }
  if (prefix === 'ocr' || (prefix === 'any' && hits.length === 0 && readsText(find.expr))) {
    for (let i = flat.size; i < flat.nodes.length; i++) {
      const owner = flat.above(i)
      if ((!scope.roots || scope.roots.some((root) => owner >= root && owner <= flat.end(root))) && test(flat, i)) hits.push(i)
    }
  }
  return hits
}

/** Whether a node comes from the driver that the prefix names. */
export function serves(prefix: Prefix, node: UiNode | undefined, driver?: string): boolean {
  const ids = node?.platformIds
  switch (prefix) {
    case 'any':
      return true
    case 'atspi':
      return driver === prefix || ids?.atspiPath !== undefined
    case 'uia':
      return driver === prefix || ids?.automationId !== undefined || ids?.runtimeId !== undefined
    case 'win32':
      return driver === prefix || ids?.legacyId !== undefined
    case 'ax':
      return driver === prefix || ids?.axId !== undefined
    case 'sap':
      return driver === prefix || ids?.sapId !== undefined
    case 'virtual':
      return driver === prefix || ids?.virtualId !== undefined
    case 'ocr':
    case 'image':
      return false
    default:
      return prefix satisfies never
  }
}

/** Whether the step asks for a visible text, so that recognised text can answer it. */
function readsText(expr: Expr): boolean {
  if (expr.type === 'and' || expr.type === 'or') return expr.of.some(readsText)
  return expr.type === 'bare' || ((expr.type === 'text' || expr.type === 'regex') && expr.key === 'text')
}
