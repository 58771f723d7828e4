import type { AppIdentity, UiNode, UiTree } from '../model/index.ts'
import { STABLE_IDS, type Expr, type Path, type Relation } from './ast.ts'
import { compile } from './compile.ts'
import { format } from './format.ts'
import { evaluate } from './match.ts'
import { basename, placed, roleOf } from './node-facts.ts'
import { Positions } from './positions.ts'
import { plain } from './quote.ts'
import { Scene } from './scene.ts'

/** The shortest selector that names this node and no other, by what is likely to stay: ids, then role and name, then where it is. */
export function generate(node: UiNode, tree: UiTree): string {
  return generator(tree)(node)
}

/** `generate` for many nodes of one tree. */
export function generator(tree: UiTree): (node: UiNode) => string {
  const made = new Generator(tree)
  return (node) => made.selector(node)
}

const LONG_NAME = 80
const MAX_ANCESTORS = 64
const ANCHORS = 3
const ANCHOR_ROLES: ReadonlySet<string> = new Set(['label', 'heading', 'paragraph', 'columnheader', 'rowheader', 'cell', 'listitem'])

/** A step that describes a node, and everything in the tree that it describes. */
interface Form {
  expr: Expr
  hits: readonly number[]
}

class Generator {
  readonly #scene
  readonly #positions
  readonly #unique = new Map<number, Path | undefined>()

  constructor(tree: UiTree) {
    this.#scene = new Scene(tree)
    this.#positions = new Positions(this.#scene)
  }

  selector(node: UiNode): string {
    const i = this.#positions.of(node)
    if (i === undefined) return format({ alternatives: [single(role(node))] })
    for (const above of this.#ancestors(i).toReversed()) this.#uniqueFor(above)
    return format({ alternatives: [this.#uniqueFor(i) ?? this.#byRelation(i) ?? this.#byPosition(i)] })
  }

  #uniqueFor(i: number): Path | undefined {
    if (!this.#unique.has(i)) this.#unique.set(i, this.#findUnique(i))
    return this.#unique.get(i)
  }

  #findUnique(i: number): Path | undefined {
    const forms = this.#forms(i)
    for (const form of forms) if (form.hits.length === 1 && form.expr.type !== 'role') return single(form.expr)
    for (const form of forms) {
      const found = this.#inApp(i, form) ?? shortest([this.#inWindow(i, form), ...this.#ancestors(i).map((a) => this.#inside(a, form))])
      if (found) return found
    }
    const only = forms.find((form) => form.hits.length === 1)
    return only && single(only.expr)
  }

  /** How the node can be described by itself, best first. */
  #forms(i: number): Form[] {
    const node = this.#node(i)
    const forms: Form[] = []
    const isRole = role(node)
    for (const key of STABLE_IDS) {
      const id = node.platformIds?.[key]
      if (!id) continue
      const hits = this.#positions.byId(key, id)
      const expr: Expr = { type: 'text', key, op: '=', value: id }
      forms.push(hits.length === 1 ? { expr, hits } : { expr: and(expr, isRole), hits: this.#same(hits, node) })
    }
    // The last spelling of a label is the one without what it ends with.
    const name = this.#positions.names(node).at(-1) ?? ''
    const named: Expr[] = name ? [{ type: 'text', key: 'name', op: '=', value: name }] : []
    const alike = name ? this.#positions.byName(roleOf(node), name) : this.#positions.byRole(roleOf(node))
    if (name.length > LONG_NAME) {
      const start = name.slice(0, LONG_NAME * 0.75).trim()
      const hits = this.#positions
        .byRole(roleOf(node))
        .filter((n) => this.#positions.names(this.#node(n)).some((other) => other.startsWith(start)))
      if (hits.length === 1) forms.push({ expr: and(isRole, { type: 'text', key: 'name', op: '^=', value: start }), hits })
    }
    forms.push({ expr: and(isRole, ...named), hits: alike })
    const description = plain(node.description ?? '')
    if (description && description.length <= LONG_NAME) {
      const hits = alike.filter((n) => plain(this.#node(n).description ?? '') === description)
      forms.push({ expr: and(isRole, ...named, { type: 'text', key: 'description', op: '=', value: description }), hits })
    }
    const id = node.attributes && Object.hasOwn(node.attributes, 'id') ? String(node.attributes['id']) : ''
    if (id) {
      const hits = this.#positions.byRole(roleOf(node)).filter((n) => String(this.#node(n).attributes?.['id']) === id)
      forms.push({ expr: and(isRole, { type: 'text', key: 'attr.id', op: '=', value: id }), hits })
    }
    return forms
  }

  #inApp(i: number, { expr, hits }: Form): Path | undefined {
    const { app } = this.#node(i)
    const name = plain(basename(app) || app.name)
    const others = new Set(hits.map((n) => this.#node(n).app).filter((other) => other !== app && called(other, name)))
    const here = hits.filter((n) => this.#node(n).app === app || others.has(this.#node(n).app))
    return name && here.length === 1 ? single(and({ type: 'text', key: 'app', op: '=', value: name }, expr)) : undefined
  }

  #inWindow(i: number, { expr, hits }: Form): Path | undefined {
    const title = this.#title(i)
    if (!title || this.#scene.window(this.#node(i)) === this.#node(i)) return undefined
    const here = hits.filter((n) => this.#title(n) === title)
    return here.length === 1 ? single(and({ type: 'text', key: 'window', op: '=', value: title }, expr)) : undefined
  }

  #inside(ancestor: number, { expr, hits }: Form): Path | undefined {
    const around = this.#unique.get(ancestor)
    return around && this.#positions.below(ancestor, hits).length === 1 ? within(around, expr) : undefined
  }

  /** Beside the nearest text that is unique itself: how a person would say it. */
  #byRelation(i: number): Path | undefined {
    const node = this.#node(i)
    const { bounds } = node
    const expr = this.#forms(i)[0]?.expr
    if (!this.#scene.visible(node) || !placed(bounds) || !expr) return undefined
    const window = this.#scene.window(node)
    const near: { relation: Relation; anchor: number; gap: number }[] = []
    for (const [a, anchor] of this.#positions.nodes.entries()) {
      const box = anchor.bounds
      if (!ANCHOR_ROLES.has(roleOf(anchor)) || !this.#scene.visible(anchor) || !placed(box) || this.#scene.window(anchor) !== window)
        continue
      if (box.x + box.w <= bounds.x + 2 && overlap(box.y, box.h, bounds.y, bounds.h))
        near.push({ relation: 'right-of', anchor: a, gap: bounds.x - box.x - box.w })
      else if (box.y + box.h <= bounds.y + 2 && overlap(box.x, box.w, bounds.x, bounds.w))
        near.push({ relation: 'below', anchor: a, gap: bounds.y - box.y - box.h })
    }
    for (const { relation, anchor } of near.toSorted((x, y) => x.gap - y.gap).slice(0, ANCHORS)) {
      const from = this.#uniqueFor(anchor)
      const path: Path | undefined = from && {
        first: from.first,
        links: [...from.links, { type: 'relation', relation, find: { prefix: 'any', expr } }],
      }
      if (path && this.#resolves(path, i)) return path
    }
    return undefined
  }

  #byPosition(i: number): Path {
    const form = this.#forms(i).find((f) => f.expr.type === 'role' || f.expr.type === 'and') ?? { expr: role(this.#node(i)), hits: [i] }
    const scope = this.#ancestors(i).find((a) => this.#unique.get(a))
    const around = scope === undefined ? undefined : this.#unique.get(scope)
    const hits = scope === undefined ? form.hits : this.#positions.below(scope, form.hits)
    const path = around ? within(around, form.expr) : single(form.expr)
    return { ...path, links: [...path.links, { type: 'nth', index: hits.indexOf(i) }] }
  }

  #resolves(path: Path, i: number): boolean {
    const tests = compile({ alternatives: [path] }).paths[0]?.tests ?? []
    const hits = evaluate(path, tests, this.#scene).at(-1)?.hits
    return hits?.length === 1 && hits[0]?.key === this.#node(i).key
  }

  /** From the parent up. */
  #ancestors(i: number): number[] {
    const list: number[] = []
    for (let p = this.#node(i).parent; p && list.length < MAX_ANCESTORS; p = p.parent) list.push(this.#positions.of(p) ?? i)
    return list
  }

  #same(hits: readonly number[], node: UiNode): readonly number[] {
    return hits.filter((n) => roleOf(this.#node(n)) === roleOf(node))
  }

  #title(i: number): string {
    return plain(this.#scene.title(this.#node(i)))
  }

  #node(i: number): UiNode {
    return this.#positions.nodes[i] as UiNode
  }
}

const role = (node: UiNode): Expr => ({ type: 'role', op: '=', role: roleOf(node) })
const single = (expr: Expr): Path => ({ first: { prefix: 'any', expr }, links: [] })
const within = (path: Path, expr: Expr): Path => ({ ...path, links: [...path.links, { type: 'within', find: { prefix: 'any', expr } }] })
const called = (app: AppIdentity, name: string): boolean => plain(app.name) === name || plain(basename(app) ?? '') === name
const overlap = (from: number, size: number, other: number, otherSize: number): boolean => from < other + otherSize && other < from + size

function and(...of: Expr[]): Expr {
  const flat = of.flatMap((e) => (e.type === 'and' ? e.of : [e]))
  return flat.length === 1 && flat[0] ? flat[0] : { type: 'and', of: flat }
}

function shortest(paths: (Path | undefined)[]): Path | undefined {
  const there = paths.filter((p) => p !== undefined).map((path) => ({ path, size: format({ alternatives: [path] }).length }))
  return there.toSorted((a, b) => a.size - b.size)[0]?.path
}
