import type { ExprNode } from 'py-ast'
import { error } from './exceptions.ts'
import { evaluate } from './expressions.ts'
import { advance, iterator } from './iterate.ts'
import type { Frame, Machine, Steps } from './machine.ts'
import type { ComprehensionNode, Expr } from './nodes.ts'
import { store } from './targets.ts'
import { truthy } from './types.ts'
import { END, PyIter, type Value } from './values.ts'

type Body = (frame: Frame) => Steps<void>
type Loop = ComprehensionNode['generators'][number]

/** Runs the body for each round of a comprehension's loops, in a scope of its own. */
export function* comprehend(m: Machine, node: ComprehensionNode, outer: Frame, body: Body): Steps<void> {
  const { frame, first } = yield* enter(m, node, outer)
  yield* loops(m, node.generators, 0, frame, first, body)
}

/** A generator expression: the loops run until the next item is ready. */
export function* generate(m: Machine, node: Expr<'GeneratorExp'>, outer: Frame): Steps<PyIter> {
  const { frame, first } = yield* enter(m, node, outer)
  let item: Value = null
  const work = loops(m, node.generators, 0, frame, first, function* (inner) {
    item = yield* evaluate(m, node.elt, inner)
    yield handOver
  })
  let running = false
  const next = function* (): Steps<Value | typeof END> {
    if (running) throw error('ValueError', 'generator already executing')
    running = true
    try {
      return (yield* upToHandOver(work)) ? item : END
    } finally {
      running = false
    }
  }
  return new PyIter('generator', next)
}

/** Yielded by a generator expression when an item is ready; its other yields are promises to await. */
const handOver = async (): Promise<void> => {}

function* upToHandOver(work: Steps<void>): Steps<boolean> {
  let turn = work.next()
  for (;;) {
    if (turn.done) return false
    if (turn.value === handOver) return true
    let failure: { thrown: unknown } | undefined
    try {
      yield turn.value
    } catch (thrown) {
      failure = { thrown }
    }
    turn = failure ? work.throw(failure.thrown) : work.next()
  }
}

/** Python evaluates the first iterable in the enclosing scope. */
function* enter(m: Machine, node: ComprehensionNode, outer: Frame): Steps<{ frame: Frame; first: PyIter }> {
  const scope = m.program.scopes.get(node)
  const source: ExprNode | undefined = node.generators[0]?.iter
  if (!scope || !source) throw error('RuntimeError', 'a comprehension without a loop')
  const first = iterator(m, yield* evaluate(m, source, outer))
  return { frame: { scope, vars: new Map(), parent: outer }, first }
}

function* loops(m: Machine, generators: readonly Loop[], depth: number, frame: Frame, it: PyIter, body: Body): Steps<void> {
  const loop = generators[depth]
  if (!loop) return
  const inner = generators[depth + 1]
  for (;;) {
    const item = yield* advance(m, it)
    if (item === END) return
    yield* store(m, loop.target, item, frame)
    if (!(yield* passes(m, loop.ifs, frame))) continue
    if (inner) yield* loops(m, generators, depth + 1, frame, iterator(m, yield* evaluate(m, inner.iter, frame)), body)
    else yield* body(frame)
  }
}

function* passes(m: Machine, conditions: readonly ExprNode[], frame: Frame): Steps<boolean> {
  for (const condition of conditions) if (!truthy(yield* evaluate(m, condition, frame))) return false
  return true
}
