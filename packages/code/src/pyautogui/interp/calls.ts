import { bind } from './arguments.ts'
import { CONVERTERS } from './convert.ts'
import { error } from './exceptions.ts'
import { evaluate } from './expressions.ts'
import { isSteps, type Frame, type Machine, type Steps } from './machine.ts'
import { execute, Returned } from './statements.ts'
import { typeName } from './types.ts'
import { NO_KWARGS, type Kwargs, type NativeCode, type PyFunction, type Value } from './values.ts'

/** Calls a callable value. */
export function* call(m: Machine, target: Value, args: readonly Value[], kwargs: Kwargs = NO_KWARGS): Steps<Value> {
  if (typeof target === 'object' && target !== null) {
    switch (target.kind) {
      case 'function':
        return yield* callFunction(m, target, args, kwargs)
      case 'native':
        return yield* runNative(m, target.code, args, kwargs)
      case 'api':
        return yield* m.world.call(m, target, args, kwargs)
      case 'type': {
        const code = target.code ?? CONVERTERS.get(target)
        if (code) return yield* runNative(m, code, args, kwargs)
        throw error('TypeError', `cannot create '${target.name}' instances`)
      }
      default:
    }
  }
  throw error('TypeError', `'${typeName(target)}' object is not callable`)
}

/** The callable's name in Python's messages about wrong arguments. */
export function calledName(v: Value): string {
  if (typeof v !== 'object' || v === null) return typeName(v)
  if (v.kind === 'function') return `__main__.${v.name}()`
  return v.kind === 'native' || v.kind === 'api' || v.kind === 'type' ? `${v.name}()` : typeName(v)
}

/** Calls built-in code. */
export function* runNative(m: Machine, code: NativeCode, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  const answer = code(m, args, kwargs)
  return isSteps(answer) ? yield* answer : answer
}

function* callFunction(m: Machine, fn: PyFunction, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  const scope = m.program.scopes.get(fn.node)
  if (!scope) throw error('RuntimeError', `${fn.name} has no scope`)
  const frame: Frame = { scope, vars: bind(fn.name, fn.parameters, args, kwargs), parent: fn.closure, of: fn.name }
  const { at } = m
  m.budget.enterFrame()
  const result = isBlock(fn.body) ? yield* execute(m, fn.body, frame) : new Returned(yield* evaluate(m, fn.body, frame))
  m.budget.leaveFrame()
  m.at = at
  return result instanceof Returned ? result.value : null
}

function isBlock(body: PyFunction['body']): body is Extract<PyFunction['body'], readonly unknown[]> {
  return Array.isArray(body)
}
