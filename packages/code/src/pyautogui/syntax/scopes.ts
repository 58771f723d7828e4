import type { ASTNodeUnion, ExprNode } from 'py-ast'
import type { ComprehensionNode, Expr, FunctionNode, Stmt } from '../interp/nodes.ts'
import type { Scope } from '../program.ts'
import type { Source } from './source.ts'

/** The scope that owns each name, found before the script runs, as Python's compiler does. */
export interface Scopes {
  scopes: Map<object, Scope>
  module: Scope
  /** Names that something other than an import binds, and where first. */
  bound: Map<string, ASTNodeUnion>
  /** Imported modules by their local name. */
  imports: Map<string, { module: string; node: ASTNodeUnion }>
  /** Names that are read where no visible scope binds them. */
  free: { name: string; node: ASTNodeUnion }[]
}

export function findScopes(source: Source, body: readonly ASTNodeUnion[], starNames: (module: string) => readonly string[]): Scopes {
  const finder = new Finder(source, starNames)
  const module = finder.open('module')
  for (const node of body) finder.visit(node, module)
  return { scopes: finder.scopes, module: module.scope, bound: finder.bound, imports: finder.imports, free: finder.free() }
}

/** Keeps the recursion far from the end of the JavaScript stack. */
const MAX_DEPTH = 300

interface Level {
  scope: Scope
  nonlocals: Set<string>
  seen: Set<string>
  parent: Level | undefined
}

class Finder {
  readonly scopes = new Map<object, Scope>()
  readonly bound = new Map<string, ASTNodeUnion>()
  readonly imports: Scopes['imports'] = new Map()
  readonly #reads: { name: string; node: ASTNodeUnion; level: Level }[] = []
  #depth = 0
  /** How many heads of comprehensions enclose the current node. */
  #heads = 0
  readonly #source: Source
  readonly #starNames: (module: string) => readonly string[]

  constructor(source: Source, starNames: (module: string) => readonly string[]) {
    this.#source = source
    this.#starNames = starNames
  }

  open(kind: Scope['kind'], parent?: Level): Level {
    return { scope: { locals: new Set(), globals: new Set(), kind }, nonlocals: new Set(), seen: new Set(), parent }
  }

  free(): Scopes['free'] {
    return this.#reads.filter(({ name, level }) => !visible(name, level)).map(({ name, node }) => ({ name, node }))
  }

  visit(node: ASTNodeUnion, level: Level): void {
    if (++this.#depth > MAX_DEPTH)
      throw this.#source.reject('lineno' in node ? node : undefined, 'the script nests too deeply; use variables and functions')
    this.#enter(node, level)
    this.#depth--
  }

  #enter(node: ASTNodeUnion, level: Level): void {
    switch (node.nodeType) {
      case 'Name':
        level.seen.add(node.id)
        this.#reads.push({ name: node.id, node, level })
        return
      case 'Constant':
        return
      case 'Expr':
      case 'Attribute':
        return this.visit(node.value, level)
      case 'Call':
        this.visit(node.func, level)
        for (const a of node.args) this.visit(a, level)
        for (const k of node.keywords) this.visit(k.value, level)
        return
      case 'BinOp':
        this.visit(node.left, level)
        return this.visit(node.right, level)
      case 'List':
      case 'Tuple':
        for (const e of node.elts) this.visit(e, level)
        return
      case 'FunctionDef':
        this.#bind(node.name, node, level)
        return this.#function(node, level)
      case 'Lambda':
        return this.#function(node, level)
      case 'ListComp':
      case 'SetComp':
      case 'DictComp':
      case 'GeneratorExp':
        return this.#comprehension(node, level)
      case 'NamedExpr':
        this.visit(node.value, level)
        return this.#walrus(node, level)
      case 'Assign':
        this.visit(node.value, level)
        return node.targets.forEach((t) => this.#target(t, level))
      case 'AugAssign':
        this.visit(node.value, level)
        this.visit(node.target, level)
        return this.#target(node.target, level)
      case 'AnnAssign':
        if (node.value) this.visit(node.value, level)
        return this.#target(node.target, level)
      case 'Delete':
        return node.targets.forEach((t) => {
          this.visit(t, level)
          this.#target(t, level)
        })
      case 'For':
        this.visit(node.iter, level)
        this.#target(node.target, level)
        return [...node.body, ...node.orelse].forEach((s) => this.visit(s, level))
      case 'WithItem':
        this.visit(node.context_expr, level)
        if (node.optional_vars) this.#target(node.optional_vars, level)
        return
      case 'ExceptHandler':
        if (node.type) this.visit(node.type, level)
        if (node.name !== undefined) this.#bind(node.name, node, level)
        return node.body.forEach((s) => this.visit(s, level))
      case 'Import':
        return this.#import(node, level)
      case 'ImportFrom':
        return this.#importFrom(node, level)
      case 'Global':
      case 'Nonlocal':
        return this.#declare(node, level)
      default:
        for (const child of children(node)) this.visit(child, level)
    }
  }

  #target(node: ExprNode, level: Level): void {
    if (node.nodeType === 'Name') this.#bind(node.id, node, level)
    else if (node.nodeType === 'Tuple' || node.nodeType === 'List') for (const t of node.elts) this.#target(t, level)
    else if (node.nodeType === 'Starred') this.#target(node.value, level)
    else this.visit(node, level)
  }

  #bind(name: string, node: ASTNodeUnion, level: Level): void {
    if (!this.bound.has(name)) this.bound.set(name, node)
    this.#own(name, level)
  }

  #own(name: string, level: Level): void {
    level.seen.add(name)
    if (!level.scope.globals.has(name) && !level.nonlocals.has(name)) level.scope.locals.add(name)
    if (level.scope.globals.has(name)) root(level).scope.locals.add(name)
  }

  #function(node: FunctionNode, level: Level): void {
    const { args } = node
    for (const value of [...args.defaults, ...args.kw_defaults]) if (value) this.visit(value, level)
    const inner = this.open('function', level)
    for (const p of [...args.posonlyargs, ...args.args, ...args.kwonlyargs, args.vararg, args.kwarg]) {
      if (!p) continue
      if (inner.scope.locals.has(p.arg)) throw this.#source.reject(p, `duplicate parameter '${p.arg}'`)
      this.#bind(p.arg, p, inner)
    }
    this.scopes.set(node, inner.scope)
    if (node.nodeType === 'Lambda') this.visit(node.body, inner)
    else for (const s of node.body) this.visit(s, inner)
  }

  #comprehension(node: ComprehensionNode, level: Level): void {
    const inner = this.open('comprehension', level)
    this.scopes.set(node, inner.scope)
    for (const [i, loop] of node.generators.entries()) {
      this.#heads++
      this.visit(loop.iter, i === 0 ? level : inner)
      this.#target(loop.target, inner)
      this.#heads--
      for (const condition of loop.ifs) this.visit(condition, inner)
    }
    for (const part of node.nodeType === 'DictComp' ? [node.key, node.value] : [node.elt]) this.visit(part, inner)
  }

  #walrus({ target, lineno, col_offset }: Expr<'NamedExpr'>, level: Level): void {
    const place = { lineno, col_offset }
    if (this.#heads > 0) throw this.#source.reject(place, ':= cannot stand in the head of a comprehension')
    for (let l: Level | undefined = level; l?.scope.kind === 'comprehension'; l = l.parent) {
      if (target.nodeType === 'Name' && l.scope.locals.has(target.id))
        throw this.#source.reject(place, `:= cannot set ${target.id}, which the comprehension counts with`)
    }
    this.#target(target, outside(level))
  }

  #import(node: Stmt<'Import'>, level: Level): void {
    for (const { name, asname } of node.names) {
      const local = asname ?? name
      const before = this.imports.get(local)
      if (before && before.module !== name) throw this.#source.reject(node, `'${local}' is already the module ${before.module}`)
      this.imports.set(local, { module: name, node })
      this.#own(local, level)
    }
  }

  #importFrom(node: Stmt<'ImportFrom'>, level: Level): void {
    for (const { name, asname } of node.names) {
      if (name === '*' && level.scope.kind !== 'module') throw this.#source.reject(node, 'import * is only allowed at module level')
      const names = name === '*' ? this.#starNames(node.module ?? '') : [asname ?? name]
      for (const n of names) this.#bind(n, node, level)
    }
  }

  #declare(node: Stmt<'Global'> | Stmt<'Nonlocal'>, level: Level): void {
    const word = node.nodeType === 'Global' ? 'global' : 'nonlocal'
    for (const name of node.names) {
      if (word === 'nonlocal' && level.scope.kind === 'module')
        throw this.#source.reject(node, 'nonlocal declaration not allowed at module level')
      if (level.seen.has(name)) throw this.#source.reject(node, `name '${name}' is used before its ${word} declaration`)
      if (word === 'global') {
        level.scope.globals.add(name)
        continue
      }
      level.nonlocals.add(name)
      if (!enclosing(name, level.parent)) throw this.#source.reject(node, `no binding for nonlocal '${name}' found`)
    }
  }
}

const root = (level: Level): Level => (level.parent ? root(level.parent) : level)
const outside = (level: Level): Level => (level.scope.kind === 'comprehension' && level.parent ? outside(level.parent) : level)

function visible(name: string, level: Level): boolean {
  for (let l: Level | undefined = level; l; l = l.parent) {
    if (l.scope.globals.has(name)) return root(l).scope.locals.has(name)
    if (l.scope.locals.has(name)) return true
  }
  return false
}

function enclosing(name: string, level: Level | undefined): boolean {
  for (let l = level; l; l = l.parent) if (l.scope.kind === 'function' && l.scope.locals.has(name)) return true
  return false
}

/** The child nodes of a node of any kind. */
export function children(node: ASTNodeUnion): ASTNodeUnion[] {
  return Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))
}

function isNode(value: unknown): value is ASTNodeUnion {
  return typeof value === 'object' && value !== null && 'nodeType' in value && typeof value.nodeType === 'string'
}
