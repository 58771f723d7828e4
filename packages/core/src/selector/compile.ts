import { findsOf, type Expr, type FlagKey, type Op, type Path, type Selector, type TextKey } from './ast.ts'
import { holders } from './has.ts'
import { canHaveLabel, isText } from './naming.ts'
import { basename, roleOf, valueOf } from './node-facts.ts'
import { parse } from './parse.ts'
import { bareKey, type Prefixes } from './prefixes.ts'
import { plain } from './quote.ts'
import { compileRegex } from './regex.ts'
import type { Scene, Test } from './scene.ts'
import { wider } from './wider.ts'
import type { UiNode } from '../model/index.ts'

export interface Compiled {
  selector: Selector
  /** What is asked where nothing matches. */
  wider?: Selector
  paths: { path: Path; tests: Test[] }[]
}

const MAX_CACHED = 500
const byText = new WeakMap<object, Map<string, Compiled>>()
const bySelector = new WeakMap<Selector, Compiled>()

/** The tests of every `find` step, in order; compiled once per text or selector. */
export function compile(selector: Selector | string, prefixes?: Prefixes): Compiled {
  if (typeof selector === 'string') return compileText(selector, prefixes)
  let compiled = bySelector.get(selector)
  if (!compiled) bySelector.set(selector, (compiled = compileParsed(selector)))
  return compiled
}

/** Drivers that declare other prefixes understand other texts, so each set of prefixes has a cache of its own. */
function compileText(text: string, prefixes?: Prefixes): Compiled {
  const owner = prefixes ?? bySelector
  let cache = byText.get(owner)
  if (!cache) byText.set(owner, (cache = new Map()))
  let compiled = cache.get(text)
  if (compiled) return compiled
  compiled = compileParsed(parse(text, prefixes))
  const oldest = cache.size >= MAX_CACHED ? cache.keys().next().value : undefined
  if (oldest !== undefined) cache.delete(oldest)
  cache.set(text, compiled)
  return compiled
}

function compileParsed(selector: Selector): Compiled {
  const paths = selector.alternatives.map((path) => ({ path, tests: findsOf(path).map((f) => compileExpr(f.expr, f.prefix)) }))
  return { selector, wider: wider(selector), paths }
}

export function compileExpr(expr: Expr, prefix: string): Test {
  switch (expr.type) {
    case 'and': {
      const tests = expr.of.toSorted((a, b) => cost(a) - cost(b)).map((e) => compileExpr(e, prefix))
      return (node, scene) => {
        for (const test of tests) if (!test(node, scene)) return false
        return true
      }
    }
    case 'or': {
      const tests = expr.of.map((e) => compileExpr(e, prefix))
      return (node, scene) => tests.some((test) => test(node, scene))
    }
    case 'not': {
      const test = compileExpr(expr.of, prefix)
      return (node, scene) => !test(node, scene)
    }
    case 'has': {
      // What a bare text means inside does not depend on the prefix outside.
      const around = holders(expr.of, compileExpr(expr.of, 'any'))
      return (node, scene) => around(scene).has(node.key)
    }
    case 'element':
      return (node, scene) => scene.element(expr.id)?.key === node.key
    case 'bare':
      return compileExpr({ type: 'text', key: bareKey(prefix), op: '=', value: expr.text }, prefix)
    case 'role': {
      const { role } = expr
      const wanted = expr.op === '='
      return (node) => (roleOf(node) === role) === wanted
    }
    case 'flag': {
      const { key, value } = expr
      const wanted = expr.op === '='
      return (node, scene) => (flagOf(key, node, scene) === value) === wanted
    }
    case 'text': {
      const compare = comparison(expr.key, expr.op === '!=' ? '=' : expr.op, expr.value)
      const test = reader(expr.key, compare)
      return expr.op === '!=' ? (node, scene) => !test(node, scene) : test
    }
    case 'regex':
      return reader(expr.key, compileRegex(expr.source, expr.flags))
    default:
      return expr satisfies never
  }
}

export function flagOf(key: FlagKey, node: UiNode, scene: Scene): boolean | 'mixed' {
  if (key === 'visible') return scene.visible(node)
  return node.states?.[key] ?? key === 'enabled'
}

/** The texts a key stands for; a text that is not there reads as empty. */
export function textsOf(key: TextKey, node: UiNode, scene: Scene): string[] {
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
      return some(scene.title(node))
    case 'role':
      return [roleOf(node)]
    case 'value':
      return some(valueOf(node))
    case 'name':
      return [node.name ?? '', ...(node.name ? [] : scene.namesFor(node))]
    case 'label':
      return [...scene.labelsOf(node), ...(isText(node) ? [] : [node.name ?? ''])]
    case 'description':
      return some(node.description)
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
  if (key === 'name') return (node, scene) => holds(node.name ?? '') || (!node.name && scene.namesFor(node).some(holds))
  if (key === 'value') return (node) => holds(valueOf(node) ?? '')
  if (key === 'description') return (node) => holds(node.description ?? '')
  if (key === 'text') {
    return (node) => {
      const { name } = node
      const value = valueOf(node)
      if (name === undefined) return holds(value ?? '')
      return holds(name) || (value !== undefined && holds(value))
    }
  }
  if (key === 'label') {
    return (node, scene) =>
      (node.name !== undefined && !isText(node) && holds(node.name)) || (canHaveLabel(node) && scene.labelsOf(node).some(holds))
  }
  if (key === 'window') return (node, scene) => holds(scene.title(node))
  return (node, scene) => textsOf(key, node, scene).some(holds)
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
    case 'element':
      return 2
    case 'text':
      return expr.op === '~=' || expr.key === 'label' ? 3 : 1
    case 'regex':
      return 5
    case 'not':
      return cost(expr.of)
    case 'and':
    case 'or':
    case 'has':
      return 4
    default:
      return expr satisfies never
  }
}
