import type { Rect, UiNode } from '../model/index.ts'
import { ID_KEYS, type Expr, type Find, type Path, type TextKey } from './ast.ts'
import { compileExpr } from './compile.ts'
import { placed, type Flat } from './flat.ts'
import type { Match, Stage } from './match.ts'

export type LastBounds = (node: UiNode) => Rect | undefined

interface Context {
  flat: Flat
  path: Path
  stages: Stage[]
  alternative: number
  lastBounds?: LastBounds
}

/** A match with its confidence: the strength of what identifies it, times one factor for each doubt; `why` names them all. */
export function rank(i: number, { flat, path, stages, alternative, lastBounds }: Context): Match {
  const node = flat.nodes[i] as UiNode
  const last = stages.at(-1)
  const find = last?.find ?? path.first
  const proof = evidence(find.expr, (e) => compileExpr(e, find.prefix)(flat, i))
  let confidence = Math.min(0.99, together(proof.map((p) => p.strength).concat(context(stages, find, flat))))
  const why = [proof.length > 0 ? `matches by ${[...new Set(proof.map((p) => p.what))].join(', ')}` : 'matches by what it is not']
  const doubt = (factor: number, reason: string): void => {
    confidence *= factor
    why.push(reason)
  }
  const source = i >= flat.size ? 'ocr' : 'structure'
  if (source === 'ocr') doubt(0.6 * Number(node.attributes?.confidence ?? 1), 'text recognised in pixels, not an element')

  for (const stage of stages) {
    if (stage.link?.type === 'nth') doubt(0.7, `picked by its position, nth=${stage.link.index}`)
    if (stage.link?.type === 'relation') {
      const px = stage.distances?.get(i)
      doubt(0.9, `nearest ${stage.link.relation} its anchor${px === undefined ? '' : `, ${Math.round(px)} px away`}`)
    }
  }
  const count = last?.hits.length ?? 1
  if (count > 1) doubt(1 / count, `one of ${count} matches`)
  else if (flat.complete) why.push('the only match')
  else doubt(0.9, 'the only match so far; the tree is incomplete')
  if (alternative > 0) doubt(0.9, `found by alternative ${alternative + 1}`)

  const before = lastBounds?.(node)
  if (!flat.visible(i)) doubt(0.8, 'not visible')
  else if (!placed(node.bounds)) doubt(0.9, 'its place is unknown')
  else if (before && moved(before, node.bounds)) doubt(0.7, 'moved or resized since it was last seen')
  return { node, confidence: Math.round(Math.max(0.01, confidence) * 100) / 100, why, source }
}

/** A single scope or anchor that is well identified says something about what was found by it. */
function context(stages: Stage[], find: Find, flat: Flat): number[] {
  const before = stages.filter((stage) => stage.find && stage.find !== find && stage.hits.length === 1 && stage.link?.type !== 'nth')
  return before.map(({ find: step = find, hits: [hit = 0] }) => {
    const proof = evidence(step.expr, (e) => compileExpr(e, step.prefix)(flat, hit))
    return 0.6 * together(proof.map((p) => p.strength))
  })
}

/** Each piece of evidence leaves a doubt; together they leave the product of the doubts. */
const together = (strengths: number[]): number => 1 - strengths.reduce((doubt, s) => doubt * (1 - s), 1)

interface Evidence {
  what: string
  strength: number
}

/** The conditions that the node fulfils, with how well each of them identifies. */
function evidence(expr: Expr, holds: (expr: Expr) => boolean): Evidence[] {
  switch (expr.type) {
    case 'and':
      return expr.of.flatMap((e) => evidence(e, holds))
    case 'or': {
      const proofs = expr.of.filter(holds).map((e) => evidence(e, holds))
      const total = (proof: Evidence[]): number => proof.reduce((sum, p) => sum + p.strength, 0)
      return proofs.toSorted((a, b) => total(b) - total(a))[0] ?? []
    }
    case 'not':
      return []
    case 'bare':
      return [{ what: 'text', strength: 0.65 }]
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
  if (key === 'name') return 0.7
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
