import { z } from 'zod'
import { ROLES } from '../model/index.ts'
import { FLAG_KEYS, RELATIONS, TEXT_KEYS, type Expr, type Selector, type TextKey } from './ast.ts'

const textKey = z.union([z.enum([...TEXT_KEYS, 'role']), z.templateLiteral(['attr.', z.string()])]) satisfies z.ZodType<TextKey>

/** What `parse` makes of a selector, for programs that write or read selectors as data. */
const SelectorExpr: z.ZodType<Expr> = z.lazy(() =>
  z.union([
    z.object({ type: z.enum(['and', 'or']), of: z.array(SelectorExpr) }),
    z.object({ type: z.literal('not'), of: SelectorExpr }),
    z.object({ type: z.literal('bare'), text: z.string() }),
    z.object({ type: z.literal('role'), op: z.enum(['=', '!=']), role: z.enum(ROLES) }),
    z.object({
      type: z.literal('flag'),
      key: z.enum(FLAG_KEYS),
      op: z.enum(['=', '!=']),
      value: z.union([z.boolean(), z.literal('mixed')]),
    }),
    z.object({ type: z.literal('text'), key: textKey, op: z.enum(['=', '!=', '~=', '^=', '$=']), value: z.string() }),
    z.object({ type: z.literal('has'), of: SelectorExpr }),
    z.object({ type: z.literal('element'), id: z.string() }),
    z.object({ type: z.literal('regex'), key: textKey, source: z.string(), flags: z.string() }),
  ]),
)

const find = z.object({ prefix: z.string(), expr: SelectorExpr })

export const SelectorTree: z.ZodType<Selector> = z.object({
  alternatives: z.array(
    z.object({
      first: find,
      links: z.array(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('within'), find }),
          z.object({ type: z.literal('relation'), relation: z.enum(RELATIONS), max: z.number().optional(), find }),
          z.object({ type: z.literal('nth'), index: z.number() }),
        ]),
      ),
    }),
  ),
})
