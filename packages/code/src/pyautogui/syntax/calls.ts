import type { ExprNode } from 'py-ast'
import { misfit } from '../interp/arguments.ts'
import { METHOD_NAMES } from '../interp/methods.ts'
import type { Expr } from '../interp/nodes.ts'
import type { ModuleName } from '../program.ts'
import { findFunction } from '../api/modules.ts'
import { isImageName } from '../image-name.ts'
import { checkMember, type Checking } from './checking.ts'
import { badName, insteadOf } from './names.ts'
import { checkCallStars, checkGenerators } from './parentheses.ts'

type Visit = (e: ExprNode | null | undefined) => void

/** Checks the called function and its arguments. */
export function checkCall(c: Checking, node: Expr<'Call'>, expr: Visit, starred: (e: ExprNode) => void): void {
  checkArguments(c, node, expr, starred)
  const { func } = node
  if (func.nodeType === 'Attribute') {
    const module = func.value.nodeType === 'Name' ? c.modules.get(func.value.id) : undefined
    if (module) return checkModuleCall(c, node, func, module)
    if (!c.profile.methods)
      throw c.source.reject(func, `the method ${func.attr} is not available; only functions of pyautogui and time can be called`)
    if (!METHOD_NAMES.has(func.attr))
      throw c.source.reject(func, `the method ${func.attr} is not available${insteadOf(func.attr, METHOD_NAMES)}`)
    if (func.attr === 'format') checkTemplate(c, func.value)
    return expr(func.value)
  }
  if (func.nodeType === 'Name' && c.profile.builtins && !c.profile.builtins.has(func.id))
    throw c.source.reject(func, `${func.id}() is not allowed in this profile`)
  if (func.nodeType !== 'Name' && c.profile.builtins) throw c.source.reject(func, 'only functions of pyautogui and time can be called')
  if (func.nodeType === 'Name' && func.id === 'print') {
    const file = node.keywords.find((k) => k.arg === 'file')
    if (file) throw c.source.reject(file, 'print() cannot write to files')
  }
  expr(func)
}

function checkArguments(c: Checking, node: Expr<'Call'>, expr: Visit, starred: (e: ExprNode) => void): void {
  const seen = new Set<string>()
  for (const { arg, value } of node.keywords) {
    if (arg === undefined && !c.profile.methods) throw c.source.reject(value, '** is not allowed in this profile')
    const bad = arg === undefined ? undefined : badName(arg, 'write')
    if (bad !== undefined) throw c.source.reject(value, bad)
    if (arg !== undefined && seen.has(arg)) throw c.source.reject(value, `the argument ${arg} is given twice`)
    if (arg !== undefined) seen.add(arg)
    expr(value)
  }
  checkGenerators(c, node)
  checkCallStars(c, node)
  for (const arg of node.args) starred(arg)
}

function checkModuleCall(c: Checking, node: Expr<'Call'>, func: Expr<'Attribute'>, module: ModuleName): void {
  checkMember(c, func, module, func.attr)
  if (module === 'time' && c.profile.time && !c.profile.time.has(func.attr))
    throw c.source.reject(func, `time.${func.attr} is not allowed in this profile`)
  const fn = findFunction(module, func.attr)
  if (!fn) return
  const name = `${module}.${func.attr}`
  const keywords = new Set(node.keywords.flatMap((k) => (k.arg === undefined ? [] : [k.arg])))
  const spread = node.args.some((a) => a.nodeType === 'Starred') || node.keywords.some((k) => k.arg === undefined)
  for (const [parameter, reason] of Object.entries(fn.refused ?? {})) {
    const place = fn.parameters.positional.findIndex((p) => p.name === parameter)
    if (keywords.has(parameter) || (!spread && place >= 0 && place < node.args.length))
      throw c.source.reject(node, `${name}(${parameter}=...) is not available; ${reason}`)
  }
  const known = [...fn.parameters.positional, ...(fn.parameters.keywordOnly ?? [])].map((p) => p.name)
  const unknown = [...keywords].find((k) => !known.includes(k))
  if (unknown !== undefined)
    throw c.source.reject(
      node,
      `${name}() has no argument '${unknown}'; it takes ${known.filter((k) => !k.startsWith('_') && !fn.refused?.[k]).join(', ') || 'none'}`,
    )
  const problem = spread ? undefined : misfit(name, fn.parameters, node.args.length, keywords)
  if (problem !== undefined) throw c.source.reject(node, problem)
  for (const [i, arg] of node.args.entries()) checkPath(c, fn.images, fn.parameters.positional[i]?.name, arg)
  for (const { arg, value } of node.keywords) checkPath(c, fn.images, arg, value)
}

/** An image is given by its name, never by a path. */
function checkPath(c: Checking, images: readonly string[] | undefined, parameter: string | undefined, value: ExprNode): void {
  if (parameter === undefined || !images?.includes(parameter) || value.nodeType !== 'Constant' || typeof value.value !== 'string') return
  if (!isImageName(value.value))
    throw c.source.reject(value, 'a file path is not available; use the plain name of an image that the operator provided')
}

function checkTemplate(c: Checking, node: ExprNode): void {
  if (node.nodeType !== 'Constant' || typeof node.value !== 'string') return
  if (/\{[^{}!:]*[.[]/.test(node.value.replaceAll('{{', '').replaceAll('}}', ''))) {
    throw c.source.reject(node, 'a field of format() cannot look inside a value; use an f-string')
  }
}
