import type { ExprNode } from 'py-ast'
import { evaluate } from './expressions.ts'
import type { Frame, Machine, Steps } from './machine.ts'
import type { FunctionNode } from './nodes.ts'
import { PyFunction, type Parameter, type Parameters } from './values.ts'

/** The function that a `def` or `lambda` makes; its defaults are computed now. */
export function* makeFunction(m: Machine, node: FunctionNode, frame: Frame): Steps<PyFunction> {
  m.budget.object('function')
  const name = node.nodeType === 'Lambda' ? '<lambda>' : node.name
  return new PyFunction(within(frame) + name, yield* parameters(m, node, frame), node.body, node, frame)
}

/** The prefix of a nested function's qualified name. */
function within(frame: Frame | undefined): string {
  if (!frame) return ''
  return frame.of === undefined ? within(frame.parent) : `${frame.of}.<locals>.`
}

function* parameters(m: Machine, { args: a }: FunctionNode, frame: Frame): Steps<Parameters> {
  const names = [...a.posonlyargs, ...a.args].map((x) => x.arg)
  const plain = names.length - a.defaults.length
  const positional = yield* withDefaults(m, names, (i) => a.defaults[i - plain], frame)
  const keywordOnly = yield* withDefaults(
    m,
    a.kwonlyargs.map((x) => x.arg),
    (i) => a.kw_defaults[i] ?? undefined,
    frame,
  )
  return { positional, positionalOnly: a.posonlyargs.length, keywordOnly, rest: a.vararg?.arg, keywords: a.kwarg?.arg }
}

function* withDefaults(
  m: Machine,
  names: readonly string[],
  fallback: (i: number) => ExprNode | undefined,
  frame: Frame,
): Steps<Parameter[]> {
  const out: Parameter[] = []
  for (const [i, name] of names.entries()) {
    const node = fallback(i)
    out.push(node ? { name, default: yield* evaluate(m, node, frame) } : { name })
  }
  return out
}
