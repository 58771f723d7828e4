import type { Rect, UiNode } from '../model/index.ts'
import { ID_KEYS, type Expr, type Find, type Path, type TextKey } from './ast.ts'
import { compileExpr } from './compile.ts'
import type { Match, MatchStep } from './matches.ts'
import { placed } from './node-facts.ts'
import type { Scene } from './scene.ts'

export type LastBounds = (node: UiNode) => Rect | undefined

interface Context {
  scene: Scene
  path: Path
  steps: MatchStep[]
  alternative: number
  lastBounds?: LastBounds
}

/** A factor of the confidence, and the reason for it. */
type Doubt = [factor: number, reason: string]

type Judgement = Pick<Match, 'confidence' | 'why'>

const HIDDEN: Doubt = [0.8, 'not visible']
const NOWHERE: Doubt = [0.9, 'its place is unknown']
const MOVED: Doubt = [0.7, 'moved or resized since it was last seen']

/** Makes matches of hits. Confidence is the strength of what identifies a hit, times one factor for each doubt; `why` names them all. */
export class Ranker {
  readonly #scene: Scene
  readonly #steps: readonly MatchStep[]
  readonly #find: Find
  readonly #lastBounds?: LastBounds
  readonly #regions: ReadonlySet<UiNode>
  /** From the steps before: how well the hits are identified by where they are. */
  readonly #around: number[]
  readonly #general: Doubt[]
  /** What identifies every hit, where the step leaves no choice. */
  readonly #same?: Doubt
  /** Without choices and distances, elements differ in nothing but their place. */
  readonly #judged?: Map<Doubt | undefined, Judgement>

  constructor({ scene, path, steps, alternative, lastBounds }: Context) {
    const last = steps.at(-1)
    this.#scene = scene
    this.#steps = steps
    this.#find = last?.find ?? path.first
    this.#lastBounds = lastBounds
    this.#regions = new Set(scene.regions)
    this.#around = context(steps, this.#find, scene)
    this.#general = generalDoubts(last?.hits.length ?? 1, alternative, scene)
    if (hasChoice(this.#find.expr)) return
    this.#same = this.#identity(evidence(this.#find, () => true))
    if (!steps.some((step) => step.distances)) this.#judged = new Map()
  }

  rank(node: UiNode): Match {
    const source = this.#source(node)
    const place = this.#place(node)
    let judgement = source === 'structure' ? this.#judged?.get(place) : undefined
    if (judgement === undefined) {
      judgement = this.#judge(node, source, place)
      if (source === 'structure') this.#judged?.set(place, judgement)
    }
    return { node, confidence: judgement.confidence, why: judgement.why, source }
  }

  #source(node: UiNode): Match['source'] {
    if (this.#regions.size === 0 || !this.#regions.has(node)) return 'structure'
    return node.key.startsWith('image:') ? 'image' : 'ocr'
  }

  #place(node: UiNode): Doubt | undefined {
    if (!this.#scene.visible(node)) return HIDDEN
    if (!placed(node.bounds)) return NOWHERE
    const seen = this.#lastBounds?.(node)
    return seen && moved(seen, node.bounds) ? MOVED : undefined
  }

  #judge(node: UiNode, source: Match['source'], place: Doubt | undefined): Judgement {
    const find = this.#find
    const factors = [this.#same ?? this.#identity(evidence(find, (e) => compileExpr(e, find.prefix)(node, this.#scene)))]
    if (source !== 'structure') factors.push([0.6 * Number(node.attributes?.['confidence'] ?? 1), RECOGNISED[source]])
    const { read, off } = node.attributes ?? {}
    if (read !== undefined) factors.push([1 - 0.2 * Number(off ?? 0), `read as ${JSON.stringify(read)}, ${String(off)} characters off`])
    for (const { link, distances } of this.#steps) {
      if (link?.type === 'nth') factors.push([0.7, `picked by its position, nth=${link.index}`])
      if (link?.type === 'relation') factors.push([0.9, `nearest ${link.relation} its anchor${pixels(distances?.get(node))}`])
    }
    factors.push(...this.#general)
    if (place) factors.push(place)
    const confidence = factors.reduce((product, [factor]) => product * factor, 1)
    return { confidence: Math.round(Math.max(0.01, confidence) * 100) / 100, why: factors.map(([, reason]) => reason) }
  }

  #identity(proof: Evidence[]): Doubt {
    const strength = Math.min(0.99, together(proof.map((p) => p.strength).concat(this.#around)))
    const whats = [...new Set(proof.map((p) => p.what))]
    return [strength, whats.length > 0 ? `matches by ${whats.join(', ')}` : 'matches by what it is not']
  }
}

/** What holds for every hit alike. */
function generalDoubts(count: number, alternative: number, { tree }: Scene): Doubt[] {
  const doubts: Doubt[] = []
  if (count > 1) doubts.push([1 / count, `one of ${count} matches`])
  else if (tree.completeness.complete) doubts.push([1, 'the only match'])
  else doubts.push([0.9, 'the only match so far; the tree is incomplete'])
  if (alternative > 0) doubts.push([0.9, `found by alternative ${alternative + 1}`])
  return doubts
}

const pixels = (distance: number | undefined): string => (distance === undefined ? '' : `, ${Math.round(distance)} px away`)

const RECOGNISED = { ocr: 'text recognised in pixels, not an element', image: 'picture recognised in pixels, not an element' }

/** A single scope or anchor that is well identified says something about what was found by it. */
function context(steps: readonly MatchStep[], find: Find, scene: Scene): number[] {
  return steps.flatMap(({ find: step, link, hits }) => {
    const [hit] = hits
    if (!step || step === find || !hit || hits.length > 1 || link?.type === 'nth') return []
    const proof = evidence(step, (e) => compileExpr(e, step.prefix)(hit, scene))
    return [0.6 * together(proof.map((p) => p.strength))]
  })
}

const hasChoice = (expr: Expr): boolean => expr.type === 'or' || (expr.type === 'and' && expr.of.some(hasChoice))

/** Each piece of evidence leaves a doubt; together they leave the product of the doubts. */
const together = (strengths: number[]): number => 1 - strengths.reduce((doubt, s) => doubt * (1 - s), 1)

interface Evidence {
  what: string
  strength: number
}

/** The conditions that the node fulfils, with how well each of them identifies. */
function evidence({ prefix, expr }: Find, holds: (expr: Expr) => boolean): Evidence[] {
  switch (expr.type) {
    case 'and':
      return expr.of.flatMap((e) => evidence({ prefix, expr: e }, holds))
    case 'or': {
      const proofs = expr.of.filter(holds).map((e) => evidence({ prefix, expr: e }, holds))
      const total = (proof: Evidence[]): number => proof.reduce((sum, p) => sum + p.strength, 0)
      return proofs.toSorted((a, b) => total(b) - total(a))[0] ?? []
    }
    case 'not':
      return []
    case 'has': {
      const inside = evidence({ prefix: 'any', expr: expr.of }, () => true)
      return [{ what: 'what is in it', strength: 0.6 * together(inside.map((p) => p.strength)) }]
    }
    case 'element':
      return [{ what: 'id', strength: 0.99 }]
    case 'bare':
      return [{ what: prefix === 'image' ? 'image' : 'text', strength: 0.65 }]
    case 'role':
      return expr.op === '=' ? [{ what: 'role', strength: 0.3 }] : []
    case 'flag':
      return [{ what: expr.key, strength: 0.05 }]
    case 'text': {
      if (expr.op === '!=') return []
      const exact = expr.op === '='
      return [{ what: exact ? expr.key : `part of ${expr.key}`, strength: identity(expr.key) * (exact ? 1 : 0.7) }]
    }
    case 'regex':
      return [{ what: `pattern of ${expr.key}`, strength: identity(expr.key) * 0.7 }]
    default:
      return expr satisfies never
  }
}

const IDS: ReadonlySet<string> = new Set(ID_KEYS)

function identity(key: TextKey): number {
  if (key === 'atspiPath') return 0.9
  if (IDS.has(key)) return 0.97
  if (key === 'name' || key === 'label') return 0.7
  if (key === 'text') return 0.65
  if (key === 'app' || key === 'window') return 0.1
  if (key === 'role') return 0.3
  return 0.5
}

/** The two places share less than half of what they cover together. */
function moved(a: Rect, b: Rect): boolean {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y)
  const shared = w > 0 && h > 0 ? w * h : 0
  return shared < 0.5 * (a.w * a.h + b.w * b.h - shared)
}
