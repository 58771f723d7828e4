import { z } from 'zod'
import { METHODS, type MethodName } from '@deskhand/core/model'

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

const schemas = new Map<MethodName, Schema>()

/** The JSON Schema of a method's parameters; made when it is first needed. */
export function paramsSchema(method: MethodName): Schema {
  const known = schemas.get(method)
  if (known !== undefined) return known
  const { $schema: _, ...schema } = z.toJSONSchema(METHODS[method].params, { io: 'input', unrepresentable: 'any' }) as Schema & {
    $schema?: string
  }
  schemas.set(method, schema)
  return schema
}

/** What a query says, in the types that the method's parameters have. A text that is none of the type is left for the schema to refuse. */
export function queryParams(method: MethodName, query: URLSearchParams): Record<string, unknown> {
  const { properties = {} } = paramsSchema(method)
  const params: Record<string, unknown> = {}
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name)
    const { type, items } = properties[name] ?? {}
    params[name] =
      type === 'array' ? values.flatMap((v) => v.split(',')).map((v) => typed(v, items?.type)) : typed(values.at(-1) ?? '', type)
  }
  return params
}

function typed(text: string, type: string | undefined): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
