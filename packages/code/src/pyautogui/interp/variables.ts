import { error } from './exceptions.ts'
import type { Frame, Machine } from './machine.ts'
import type { Expr } from './nodes.ts'
import type { Value } from './values.ts'

/** The value of a name, looked up in Python's order: local, enclosing, module, built-in. */
export function lookup(m: Machine, frame: Frame, node: Expr<'Name'>): Value {
  const name = node.id
  for (let f: Frame | undefined = frame; f && f.scope.kind !== 'module'; f = f.parent) {
    if (f.scope.globals.has(name)) break
    if (!f.scope.locals.has(name)) continue
    const value = f.vars.get(name)
    if (value !== undefined) return value
    m.at = node
    if (f === frame) throw error('UnboundLocalError', `cannot access local variable '${name}' where it is not associated with a value`)
    throw error('NameError', `cannot access free variable '${name}' where it is not associated with a value in enclosing scope`)
  }
  let value = m.globals.vars.get(name)
  if (value === undefined) value = m.builtins.get(name)
  if (value !== undefined) return value
  m.at = node
  throw error('NameError', `name '${name}' is not defined`)
}

export function assign(m: Machine, frame: Frame, name: string, value: Value): void {
  target(m, frame, name).vars.set(name, value)
}

/** Assigns as `:=` does: in the scope outside of comprehensions. */
export function assignOutside(m: Machine, frame: Frame, name: string, value: Value): void {
  let f = frame
  while (f.scope.kind === 'comprehension' && f.parent) f = f.parent
  assign(m, f, name, value)
}

/** Unbinds the name if it is bound. */
export function forget(m: Machine, frame: Frame, name: string): void {
  target(m, frame, name).vars.delete(name)
}

export function remove(m: Machine, frame: Frame, name: string): void {
  const f = target(m, frame, name)
  if (f.vars.delete(name)) return
  if (f.scope.kind === 'module') throw error('NameError', `name '${name}' is not defined`)
  throw error('UnboundLocalError', `cannot access local variable '${name}' where it is not associated with a value`)
}

function target(m: Machine, frame: Frame, name: string): Frame {
  return owner(frame, name) ?? m.globals
}

/** The frame that owns the name, as seen from `frame`; none when the module does. */
function owner(frame: Frame, name: string): Frame | undefined {
  for (let f: Frame | undefined = frame; f && f.scope.kind !== 'module'; f = f.parent) {
    if (f.scope.globals.has(name)) return undefined
    if (f.scope.locals.has(name)) return f
  }
  return undefined
}
