import { INTERACTIVE, type UiNode, type UiTree } from '../model/index.ts'
import { findsOf, type Expr, type Find, type Selector, type TextKey } from './ast.ts'
import { compile, compileExpr, flagOf, textsOf } from './compile.ts'
import { formatExpr, formatFind, formatLink, formatPath } from './format.ts'
import { evaluate, type MatchOptions } from './match.ts'
import { type MatchStep } from './matches.ts'
import { roleOf } from './node-facts.ts'
import { bareKey, serves } from './prefixes.ts'
import { clip } from './quote.ts'
import { regexProblem } from './regex.ts'
import { Scene, type Test } from './scene.ts'
import { similarity } from './similar.ts'

export interface Explanation {
  /** The nearest misses, and which condition each of them failed. */
  candidates: { node: UiNode; failed: string[] }[]
  sentence: string
}

const CANDIDATES = 3

/** Why a selector matches nothing: how far it came, what comes closest, and what that lacks. */
export function explain(selector: Selector | string, tree: UiTree, options: MatchOptions = {}): Explanation {
  const scene = new Scene(tree, options)
  const told: Explanation[] = []
  for (const { path, tests } of compile(selector, options.prefixes).paths) {
    const steps = evaluate(path, tests, scene, options)
    const hits = steps.at(-1)?.hits ?? []
    if (steps.length > path.links.length && hits.length > 0)
      return { candidates: [], sentence: `${formatPath(path)} matches ${count(hits.length)}.` }
    told.push(tell(steps, scene, options))
  }
  const sentences = told.map((t, n) => (told.length > 1 ? `Alternative ${n + 1}: ${t.sentence}` : t.sentence))
  sentences.push(...meantAsRegex(compile(selector, options.prefixes).selector))
  if (!tree.completeness.complete) sentences.push('The tree is incomplete, so it may be there all the same.')
  return { candidates: told.flatMap((t) => t.candidates).slice(0, CANDIDATES + 2), sentence: sentences.join(' ') }
}

/** Texts that look like a regular expression and were compared as they stand. */
function meantAsRegex({ alternatives }: Selector): string[] {
  const texts = alternatives.flatMap(findsOf).flatMap((find) => textsIn(find.expr))
  return texts.flatMap(({ key, value }) => {
    const [, inside = PATTERN.test(value) ? value : undefined, flags = ''] = /^\/(.+)\/([ims]*)$/s.exec(value) ?? []
    if (inside === undefined || regexProblem(inside, flags) !== undefined) return []
    return [
      `${clip(value, 60)} was compared as it stands; a regular expression stands between slashes, without quotes: ${formatExpr({ type: 'regex', key, source: inside, flags })}.`,
    ]
  })
}

const PATTERN = /^\^.|.\$$|\.[*+]|\\[dwsb]|[^\s|]\|[^\s|]|\[.+\][*+]/

function textsIn(expr: Expr): { key: TextKey; value: string }[] {
  if (expr.type === 'and' || expr.type === 'or') return expr.of.flatMap(textsIn)
  if (expr.type === 'not' || expr.type === 'has') return textsIn(expr.of)
  return expr.type === 'text' ? [expr] : expr.type === 'bare' ? [{ key: 'text', value: expr.text }] : []
}

function tell(steps: MatchStep[], scene: Scene, options: MatchOptions): Explanation {
  const failed = steps.at(-1)
  const before = steps.at(-2)
  if (!failed?.find) return { candidates: [], sentence: 'There are no elements.' }
  const nodes = (hits: UiNode[], why: string): Explanation['candidates'] =>
    hits.slice(0, CANDIDATES).map((node) => ({ node, failed: [why] }))
  const what = formatFind(failed.find)
  if (failed.link?.type === 'nth' && before) {
    const why = `${formatLink(failed.link)}: there are only ${before.hits.length}`
    return {
      candidates: nodes(before.hits, why),
      sentence: `${what} matches ${count(before.hits.length)}, so ${formatLink(failed.link)} is out of range.`,
    }
  }
  if (failed.link?.type === 'relation' && before && failed.candidates?.length) {
    const { relation, max } = failed.link
    const why = `not ${relation} ${before.find ? formatFind(before.find) : 'it'}${max === undefined ? '' : ` within ${max} px`}`
    const sentence = `${count(before.hits.length)} to start from and ${count(failed.candidates.length)} for ${what}, but none of these is ${why.slice('not '.length)} and visible in the same window.`
    return { candidates: nodes(failed.candidates, why), sentence }
  }
  return nearMisses(failed, before, scene, options)
}

function nearMisses(failed: MatchStep, before: MatchStep | undefined, scene: Scene, options: MatchOptions): Explanation {
  const find = failed.find as Find
  const pool = searched(failed, find, scene, options)
  const where = before && failed.link?.type === 'within' ? ` inside the ${count(before.hits.length)} before it` : ''
  if (pool.length === 0) return { candidates: [], sentence: `${emptiness(find, options)}${where}.` }
  const closeness = compileCloseness(find.expr, find)
  const scores = pool.map((node) => closeness.score(node, scene))
  const most = scores.reduce((best, score) => Math.max(best, score), 0)
  const close = pool
    .map((node, i) => ({ node, score: scores[i] ?? 0, isShown: scene.visible(node) }))
    .filter((c) => c.score > 0 && c.score >= most * 0.6 && c.score >= closeness.total * 0.3)
    .toSorted((a, b) => b.score - a.score || Number(isOperable(b.node)) - Number(isOperable(a.node)))
  // What is hidden cannot be used as it is: it counts only where it comes closer than everything that shows.
  const shown = close.find((c) => c.isShown)?.score ?? 0
  const near = close.filter((c) => c.isShown || c.score > shown).slice(0, CANDIDATES)
  const candidates = near.map(({ node }) => ({ node, failed: closeness.failed(node, scene) }))
  const best = candidates[0]
  const start = where || failed.link ? `Nothing${where} matches ${formatFind(find)}. ` : ''
  const sentence = best
    ? `The nearest is ${describe(best.node)}, which ${near[0]?.isShown === true ? '' : 'is hidden and '}fails ${best.failed.join(' and ')}.`
    : `Nothing among ${count(pool.length)} comes close.`
  return { candidates, sentence: start + sentence }
}

/** Of what comes equally close, what can be operated is meant more often than what holds it or names it. */
const isOperable = ({ role }: UiNode): boolean => INTERACTIVE.has(role)

/** A node in a few words; its name is quoted and clipped. */
export function describe(node: UiNode): string {
  return node.name ? `${roleOf(node)} ${clip(node.name, 60)}` : roleOf(node)
}

/** Everything that a step looked at. */
function searched({ scope }: MatchStep, { prefix }: Find, scene: Scene, options: MatchOptions): UiNode[] {
  if (prefix === 'ocr' || prefix === 'image') return scene.regions.filter((n) => n.key.startsWith(prefix))
  const pool: UiNode[] = []
  const isServed = serves(prefix, options)
  scene.each(scope, (node) => isServed(node) && pool.push(node))
  return pool
}

function emptiness({ prefix }: Find, { regions }: MatchOptions): string {
  if (prefix === 'ocr') return regions ? 'No text was recognised' : 'No text recognition has run'
  if (prefix === 'image') return regions ? 'No picture was recognised' : 'No search for images is available here'
  return prefix === 'any' ? 'There are no elements' : `No element comes from a driver for ${prefix}:`
}

const count = (n: number): string => `${n} element${n === 1 ? '' : 's'}`

/** How close a node comes to an expression, out of `total`, and what it fails. */
interface Closeness {
  total: number
  score(node: UiNode, scene: Scene): number
  failed(node: UiNode, scene: Scene): string[]
}

function compileCloseness(expr: Expr, find: Find): Closeness {
  const holds = compileExpr(expr, find.prefix)
  switch (expr.type) {
    case 'and': {
      const parts = expr.of.map((e) => compileCloseness(e, find))
      return {
        total: parts.reduce((sum, p) => sum + p.total, 0),
        score: (node, scene) => parts.reduce((sum, p) => sum + p.score(node, scene), 0),
        failed: (node, scene) => parts.flatMap((p) => p.failed(node, scene)),
      }
    }
    case 'or': {
      const parts = expr.of.map((e) => compileCloseness(e, find))
      return {
        total: Math.max(...parts.map((p) => p.total)),
        score: (node, scene) => Math.max(...parts.map((p) => p.score(node, scene))),
        failed: (node, scene) => (holds(node, scene) ? [] : [parts.map((p) => p.failed(node, scene).join(' and ')).join(' or ')]),
      }
    }
    default:
      return leaf(expr, find, holds)
  }
}

function leaf(expr: Exclude<Expr, { type: 'and' | 'or' }>, find: Find, holds: Test): Closeness {
  const wanted = expr.type === 'bare' ? expr.text : expr.type === 'text' && expr.op !== '!=' ? expr.value : undefined
  const key = expr.type === 'bare' ? bareKey(find.prefix) : expr.type === 'text' || expr.type === 'regex' ? expr.key : undefined
  const total = weight(expr)
  const near = wanted === undefined ? () => 0 : similarity(wanted)
  const actual = (node: UiNode, scene: Scene): string => {
    if (expr.type === 'role') return roleOf(node)
    if (expr.type === 'flag') return String(flagOf(expr.key, node, scene))
    if (expr.type === 'has') return 'without'
    if (expr.type === 'element') return 'another element'
    if (key === 'value' && node.states?.password) return 'a password, which cannot be read'
    return key === undefined
      ? 'so'
      : textsOf(key, node, scene)
          .map((t) => (t === '' ? 'empty' : clip(t, 60)))
          .join(', ')
  }
  return {
    total,
    score: (node, scene) =>
      holds(node, scene) ? total : key === undefined ? 0 : 0.6 * total * Math.max(...textsOf(key, node, scene).map(near)),
    failed: (node, scene) => (holds(node, scene) ? [] : [`${formatExpr(expr)} (it is ${actual(node, scene)})`]),
  }
}

/** What a condition says about what was meant: a name more than a place, a place more than a state. */
function weight(expr: Expr): number {
  if (expr.type === 'role') return 2
  if (expr.type === 'flag') return 0.5
  if (expr.type === 'not') return 1
  return expr.type === 'text' && (expr.key === 'window' || expr.key === 'app') ? 1.5 : 3
}
