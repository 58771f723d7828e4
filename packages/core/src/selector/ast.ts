import type { Role } from '../model/index.ts'

export const RELATIONS = ['right-of', 'left-of', 'above', 'below', 'near'] as const
export type Relation = (typeof RELATIONS)[number]

export const ID_KEYS = ['automationId', 'runtimeId', 'legacyId', 'axId', 'atspiPath', 'sapId', 'virtualId'] as const
export type IdKey = (typeof ID_KEYS)[number]
/** Ids that survive a restart of the application. A runtimeId or an atspiPath does not: position is no worse and says more. */
export const STABLE_IDS = ['automationId', 'sapId', 'axId', 'virtualId', 'legacyId'] as const satisfies readonly IdKey[]

export const FLAG_KEYS = ['enabled', 'visible', 'focused', 'checked', 'selected', 'expanded', 'editable', 'password'] as const
export type FlagKey = (typeof FLAG_KEYS)[number]

export const TEXT_KEYS = ['name', 'label', 'value', 'text', 'description', ...ID_KEYS, 'app', 'window'] as const
/** `role` is here for `~= ^= $=`; compared as a whole it is a `role` expression. */
export type TextKey = (typeof TEXT_KEYS)[number] | 'role' | `attr.${string}`

export type Op = '=' | '!=' | '~=' | '^=' | '$='

export type Expr =
  | { type: 'and' | 'or'; of: Expr[] }
  | { type: 'not'; of: Expr }
  /** A bare string: the text, or the id of the prefix's own kind. */
  | { type: 'bare'; text: string }
  | { type: 'role'; op: '=' | '!='; role: Role }
  | { type: 'flag'; key: FlagKey; op: '=' | '!='; value: boolean | 'mixed' }
  | { type: 'text'; key: TextKey; op: Op; value: string }
  /** Something inside it matches. */
  | { type: 'has'; of: Expr }
  /** The element that an outline showed under this id. */
  | { type: 'element'; id: string }
  /** Always `~=`. A slash in `source` stands for itself. */
  | { type: 'regex'; key: TextKey; source: string; flags: string }

export interface Find {
  /** `any`, `ocr`, `image`, or what a driver claims. */
  prefix: string
  expr: Expr
}

export type Link =
  | { type: 'within'; find: Find }
  | { type: 'relation'; relation: Relation; max?: number; find: Find }
  /** From 0; negative counts from the end. */
  | { type: 'nth'; index: number }

export interface Path {
  first: Find
  links: Link[]
}

/** The first alternative that matches anything is the one that counts. */
export interface Selector {
  alternatives: Path[]
}

/** Every element id that the selector names. */
export function idsIn({ alternatives }: Selector): string[] {
  const inside = (expr: Expr): string[] => {
    if (expr.type === 'element') return [expr.id]
    if (expr.type === 'and' || expr.type === 'or') return expr.of.flatMap(inside)
    return expr.type === 'not' || expr.type === 'has' ? inside(expr.of) : []
  }
  return alternatives.flatMap(findsOf).flatMap((find) => inside(find.expr))
}

/** Every `find` step, in order. */
export function findsOf(path: Path): Find[] {
  return [path.first, ...path.links.flatMap((link) => (link.type === 'nth' ? [] : [link.find]))]
}
