export {
  idsIn,
  STABLE_IDS,
  type Expr,
  type Find,
  type FlagKey,
  type Link,
  type Op,
  type Path,
  type Relation,
  type Selector,
  type TextKey,
} from './ast.ts'
export { describe, explain, type Explanation } from './explain.ts'
export { format } from './format.ts'
export { generate, generator } from './generate.ts'
export { Inherited } from './inherited.ts'
export { match, type MatchOptions } from './match.ts'
export { type Match } from './matches.ts'
export { roleOf } from './node-facts.ts'
export { parse } from './parse.ts'
export { prefixesOf, type Prefixes } from './prefixes.ts'
export { preorder } from './preorder.ts'
export { bareLabel, labelOf, says } from './labels.ts'
export { clip, json, plain, quote, visible } from './quote.ts'
export type { LastBounds } from './rank.ts'
export { beforePixels, saidBy, wants, type Wanted } from './wants.ts'
