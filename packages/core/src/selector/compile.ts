import type { Expr, FlagKey, Op, Path, Prefix, Selector, TextKey } from './ast.ts'
import { basename, roleOf, valueOf, type Flat } from './flat.ts'
import { parse } from './parse.ts'
import { plain } from './quote.ts'
import { compileRegex } from './regex.ts'
import type { UiNode } from '../model/index.ts'

export type Test = (flat: Flat, i: number) => boolean

export interface Compiled {
  selector: Selector
  paths: { path: Path; tests: Test[] }[]
}

const MAX_CACHED = 500
const byText = new Map<string, Compiled>()
const bySelector = new WeakMap<Selector, Compiled>()

/** The tests of every `find` step, in order; compiled once per text or selector. */
export function compile(selector: Selector | string): Compiled {
  const cached = typeof selector === 'string' ? byText.get(selector) : bySelector.get(selector)
  if (cached) return cached
  const parsed = typeof selector === 'string' ? parse(selector) : selector
  const paths = parsed.alternatives.map((path) => ({
    path,
    tests: [path.first, ...path.links.flatMap((link) => (link.type === 'nth' ? [] : [link.find]))].map((f) =>
      compileExpr(f.expr, f.prefix),
    ),
  }))
  const compiled = { selector: parsed, paths }
  if (typeof selector !== 'string') bySelector.set(selector, compiled)
  else {
    const oldest = byText.size >= MAX_CACHED ? byText.keys().next().value : undefined
    if (oldest !== undefined) byText.delete(oldest)
    byText.set(selector, compiled)
  }
  return compiled
}

export function compileExpr(expr: Expr, prefix: Prefix): Test {
  switch (expr.type) {
    case 'and': {
      const tests = expr.of.toSorted((a, b) => cost(a) - cost(b)).map((e) => compileExpr(e, prefix))
      return (flat, i) => {
        for (const test of tests) if (!test(flat, i)) return false
        return true
      }
    }
    case 'or': {
      const tests = expr.of.map((e) => compileExpr(e, prefix))
      return (flat, i) => tests.some((test) => test(flat, i))
    }
    case 'not': {
      const test = compileExpr(expr.of, prefix)
      return (flat, i) => !test(flat, i)
    }
    case 'bare':
      return compileExpr({ type: 'text', key: prefix === 'sap' ? 'sapId' : 'text', op: '=', value: expr.text }, prefix)
    case 'role': {
      const { role } = expr
      const wanted = expr.op === '='
      return (flat, i) => (roleOf(nodeAt(flat, i)) === role) === wanted
    }
    case 'flag': {
      const { key, value } = expr
      const wanted = expr.op === '='
      return (flat, i) => (flagOf(key, flat, i) === value) === wanted
    }
    case 'text': {
      const compare = comparison(expr.key, expr.op === '!=' ? '=' : expr.op, expr.value)
      const test = reader(expr.key, compare)
      return expr.op === '!=' ? (flat, i) => !test(flat, i) : test
    }
    case 'regex':
      return reader(expr.key, compileRegex(expr.source, expr.flags))
    default:
      return expr satisfies never
  }
}

const nodeAt = (flat: Flat, i: number): UiNode => flat.nodes[i] as UiNode

export function flagOf(key: FlagKey, flat: Flat, i: number): boolean | 'mixed' {
  if (key === 'visible') return flat.visible(i)
  return nodeAt(flat, i).states?.[key] ?? key === 'enabled'
}

/** The texts a key stands for; a text that is not there reads as empty. */
export function textsOf(key: TextKey, flat: Flat, i: number): string[] {
  const node = nodeAt(flat, i)
  const some = (...texts: (string | undefined)[]): string[] => {
    const there = texts.filter((t) => t !== undefined)
    return there.length > 0 ? there : ['']
  }
  switch (key) {
    case 'text':
      return some(node.name, valueOf(node))
    case 'app':
      return some(node.app.name, basename(node.app))
    case 'window':
      return some(flat.title(i))
    case 'role':
      return [roleOf(node)]
    case 'value':
      return some(valueOf(node))
    case 'name':
    case 'description':
      return some(node[key])
    case 'automationId':
    case 'runtimeId':
    case 'legacyId':
    case 'axId':
    case 'atspiPath':
    case 'sapId':
    case 'virtualId':
      return some(node.platformIds?.[key])
    default: {
      const name = (key satisfies `attr.${string}`).slice('attr.'.length)
      return some(node.attributes && Object.hasOwn(node.attributes, name) ? String(node.attributes[name]) : undefined)
    }
  }
}

/** A test over `textsOf`, without its arrays for the keys that selectors use most. */
function reader(key: TextKey, holds: (text: string) => boolean): Test {
  if (key === 'name') return (flat, i) => holds(nodeAt(flat, i).name ?? '')
  if (key === 'value') return (flat, i) => holds(valueOf(nodeAt(flat, i)) ?? '')
  if (key === 'description') return (flat, i) => holds(nodeAt(flat, i).description ?? '')
  if (key === 'window') return (flat, i) => holds(flat.title(i) ?? '')
  return (flat, i) => textsOf(key, flat, i).some(holds)
}

const EXACT: ReadonlySet<string> = new Set(['value', 'automationId', 'runtimeId', 'legacyId', 'axId', 'atspiPath', 'sapId', 'virtualId'])

/** Names, titles and other text for people compare with their white space evened out; values, ids and attributes do not. */
function comparison(key: TextKey, op: Exclude<Op, '!='>, value: string): (text: string) => boolean {
  const even = EXACT.has(key) || key.startsWith('attr.') ? (text: string) => text : plain
  const wanted = even(value)
  switch (op) {
    case '=':
      return (text) => text === wanted || (text.length >= wanted.length && even(text) === wanted)
    case '^=':
      return (text) => even(text).startsWith(wanted)
    case '$=':
      return (text) => even(text).endsWith(wanted)
    case '~=': {
      const lower = wanted.toLowerCase()
      return (text) => even(text).toLowerCase().includes(lower)
    }
    default:
      return op satisfies never
  }
}

/** Cheap tests run first. */
function cost(expr: Expr): number {
  switch (expr.type) {
    case 'role':
    case 'flag':
      return 0
    case 'bare':
      return 2
    case 'text':
      return expr.op === '~=' ? 3 : 1
    case 'regex':
      return 5
    case 'not':
      return cost(expr.of)
    case 'and':
    case 'or':
      return 4
    default:
      return expr satisfies never
  }
}
