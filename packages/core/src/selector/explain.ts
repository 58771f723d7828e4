import type { UiNode, UiTree } from '../model/index.ts'
import type { Expr, Find, Selector } from './ast.ts'
import { compile, compileExpr, flagOf, textsOf, type Test } from './compile.ts'
import { Flat, roleOf } from './flat.ts'
import { formatExpr, formatFind, formatLink, formatPath } from './format.ts'
import { evaluate, serves, type MatchOptions, type Stage } from './match.ts'
import { clip } from './quote.ts'
import { similarity } from './similar.ts'

export interface Explanation {
  /** The nearest misses, and which condition each of them failed. */
  candidates: { node: UiNode; failed: string[] }[]
  sentence: string
}

const CANDIDATES = 3

/** Why a selector matches nothing: how far it came, what comes closest, and what that lacks. */
export function explain(selector: Selector | string, tree: UiTree, options: MatchOptions = {}): Explanation {
  const flat = new Flat(tree, options.textIndex)
  const told: Explanation[] = []
  for (const { path, tests } of compile(selector).paths) {
    const stages = evaluate(path, tests, flat, options.driver)
    const hits = stages.at(-1)?.hits ?? []
    if (stages.length > path.links.length && hits.length > 0)
      return { candidates: [], sentence: `${formatPath(path)} matches ${count(hits.length)}.` }
    told.push(tell(stages, flat, options))
  }
  const sentences = told.map((t, n) => (told.length > 1 ? `Alternative ${n + 1}: ${t.sentence}` : t.sentence))
  if (!flat.complete) sentences.push('The tree is incomplete, so it may be there all the same.')
  return { candidates: told.flatMap((t) => t.candidates).slice(0, CANDIDATES + 2), sentence: sentences.join(' ') }
}

function tell(stages: Stage[], flat: Flat, options: MatchOptions): Explanation {
  const failed = stages.at(-1)
  const before = stages.at(-2)
  if (!failed?.find) return { candidates: [], sentence: 'There are no elements.' }
  const nodes = (hits: number[], why: string): Explanation['candidates'] =>
    hits.slice(0, CANDIDATES).map((i) => ({ node: nodeAt(flat, i), failed: [why] }))
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
  return nearMisses(failed, before, flat, options)
}

function nearMisses(failed: Stage, before: Stage | undefined, flat: Flat, options: MatchOptions): Explanation {
  const find = failed.find as Find
  const pool = poolOf(failed, find, flat, options.driver)
  const where = before && failed.link?.type === 'within' ? ` inside the ${count(before.hits.length)} before it` : ''
  if (pool.length === 0) return { candidates: [], sentence: `${emptiness(find, options)}${where}.` }
  const closeness = compileCloseness(find.expr, find)
  const most = pool.reduce((sum, i) => Math.max(sum, closeness.score(flat, i)), 0)
  const close = pool
    .map((i) => ({ i, score: closeness.score(flat, i) * (flat.visible(i) ? 1 : 0.95) }))
    .filter((c) => c.score > 0 && c.score >= most * 0.6 && c.score >= closeness.total * 0.3)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, CANDIDATES)
  const candidates = close.map(({ i }) => ({ node: nodeAt(flat, i), failed: closeness.failed(flat, i) }))
  const best = candidates[0]
  const start = where || failed.link ? `Nothing${where} matches ${formatFind(find)}. ` : ''
  const sentence = best
    ? `The nearest is ${describe(best.node)}, which fails ${best.failed.join(' and ')}.`
    : `Nothing among ${count(pool.length)} comes close.`
  return { candidates, sentence: start + sentence }
}

/** A node in a few words; its name is quoted and clipped. */
export function describe(node: UiNode): string {
  return node.name ? `${roleOf(node)} ${clip(node.name, 60)}` : roleOf(node)
}

function poolOf(stage: Stage, find: Find, flat: Flat, driver?: string): number[] {
  const pool: number[] = []
  if (find.prefix === 'ocr') for (let i = flat.size; i < flat.nodes.length; i++) pool.push(i)
  else
    for (const [from, to] of stage.scope.runs) for (let i = from; i <= to; i++) if (serves(find.prefix, flat.nodes[i], driver)) pool.push(i)
  return pool
}

function emptiness({ prefix }: Find, options: MatchOptions): string {
  if (prefix === 'ocr') return options.textIndex ? 'No text was recognised' : 'No text recognition has run'
  if (prefix === 'image') return 'No search for images is available here'
  return prefix === 'any' ? 'There are no elements' : `No element comes from a driver for ${prefix}:`
}

const nodeAt = (flat: Flat, i: number): UiNode => flat.nodes[i] as UiNode
const count = (n: number): string => `${n} element${n === 1 ? '' : 's'}`

/** How close a node comes to an expression, out of `total`, and what it fails. */
interface Closeness {
  total: number
  score(flat: Flat, i: number): number
  failed(flat: Flat, i: number): string[]
}

function compileCloseness(expr: Expr, find: Find): Closeness {
  const holds = compileExpr(expr, find.prefix)
  switch (expr.type) {
    case 'and': {
      const parts = expr.of.map((e) => compileCloseness(e, find))
      return {
        total: parts.reduce((sum, p) => sum + p.total, 0),
        score: (flat, i) => parts.reduce((sum, p) => sum + p.score(flat, i), 0),
        failed: (flat, i) => parts.flatMap((p) => p.failed(flat, i)),
      }
    }
    case 'or': {
      const parts = expr.of.map((e) => compileCloseness(e, find))
      return {
        total: Math.max(...parts.map((p) => p.total)),
        score: (flat, i) => Math.max(...parts.map((p) => p.score(flat, i))),
        failed: (flat, i) => (holds(flat, i) ? [] : [parts.map((p) => p.failed(flat, i).join(' and ')).join(' or ')]),
      }
    }
    default:
      return leaf(expr, find, holds)
  }
}

function leaf(expr: Exclude<Expr, { type: 'and' | 'or' }>, find: Find, holds: Test): Closeness {
  const wanted = expr.type === 'bare' ? expr.text : expr.type === 'text' && expr.op !== '!=' ? expr.value : undefined
  const key =
    expr.type === 'bare' ? (find.prefix === 'sap' ? 'sapId' : 'text') : expr.type === 'text' || expr.type === 'regex' ? expr.key : undefined
  const total = weight(expr)
  const near = wanted === undefined ? () => 0 : similarity(wanted)
  const actual = (flat: Flat, i: number): string => {
    if (expr.type === 'role') return roleOf(nodeAt(flat, i))
    if (expr.type === 'flag') return String(flagOf(expr.key, flat, i))
    if (key === 'value' && nodeAt(flat, i).states?.password) return 'a password, which cannot be read'
    return key === undefined
      ? 'so'
      : textsOf(key, flat, i)
          .map((t) => (t === '' ? 'empty' : clip(t, 60)))
          .join(', ')
  }
  return {
    total,
    score: (flat, i) => (holds(flat, i) ? total : key === undefined ? 0 : 0.6 * total * Math.max(...textsOf(key, flat, i).map(near))),
    failed: (flat, i) => (holds(flat, i) ? [] : [`${formatExpr(expr)} (it is ${actual(flat, i)})`]),
  }
}

/** What a condition says about what was meant: a name more than a place, a place more than a state. */
function weight(expr: Expr): number {
  if (expr.type === 'role') return 2
  if (expr.type === 'flag') return 0.5
  if (expr.type === 'not') return 1
  return expr.type === 'text' && (expr.key === 'window' || expr.key === 'app') ? 1.5 : 3
}
