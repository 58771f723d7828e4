import { z } from 'zod'
import { Result } from '@deskhand/core/model'

const { $schema: _, ...record } = z.toJSONSchema(Result.omit({ text: true, images: true }), { io: 'input', unrepresentable: 'any' })

/** The structured content of a tool: the record of the call, or a shape of the tool's own with the record beside it. */
export const outputSchemas = {
  action: { ...record, type: 'object' as const },
  composed: { type: 'object' as const, properties: { record: { type: 'object' } } },
}
