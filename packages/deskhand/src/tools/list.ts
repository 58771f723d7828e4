import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { Condition, DragEnd, nearest, Target } from '@deskhand/core/model'
import { avisTools } from './avis.ts'
import { batchTool } from './batch.ts'
import { codeTools } from './code.ts'
import { desktopTools } from './desktop.ts'
import { guiTools } from './gui.ts'
import { plainName, type ListedTool } from './listing.ts'
import { inputTools } from './input.ts'
import { opTools } from './op.ts'
import { planTool } from './plan.ts'
import type { Tool } from './tool.ts'
import { uiTools } from './ui.ts'

/** The one list of tools under every face. */
export const TOOLS: readonly Tool[] = [
  ...uiTools,
  batchTool(toolNamed),
  ...guiTools,
  ...codeTools,
  ...avisTools,
  ...desktopTools,
  planTool(toolNamed),
  ...opTools,
  ...inputTools,
]

const byName = new Map(TOOLS.flatMap((t) => [[t.name, t] as const, [plainName(t.name), t] as const]))

export function toolNamed(name: string): Tool {
  const tool = byName.get(name)
  if (tool === undefined)
    throw new DeskhandError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name)}`, {
      next: meant(name),
    })
  return tool
}

function meant(name: string): string {
  const names = TOOLS.map((t) => t.name)
  const close = nearest(name, [...byName.keys()])
  return close ? `Did you mean ${close}?` : `Use one of: ${names.join(', ')}.`
}

/** A tool as a model is told of it. */
export function listed(tool: Tool): ListedTool {
  const { name, toolset, description, readOnly } = tool
  return { name, toolset, description, readOnly, composed: 'compose' in tool && tool.tells !== true, inputSchema: inputSchema(tool) }
}

/** JSON Schema of the arguments, without the noise that costs a model tokens: targets and conditions are told in words, conditions once. */
function inputSchema(tool: Tool): Record<string, unknown> {
  const spelledOut = 'kind' in tool && tool.kind === 'wait'
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const part: unknown = zodSchema
      if (part === Target) become(jsonSchema, { type: ['string', 'object'], description: 'id or selector' })
      if (part === DragEnd) become(jsonSchema, { type: ['string', 'object'], description: 'id, selector or { x, y }' })
      if (part === Condition && !spelledOut) become(jsonSchema, { type: 'object', description: 'as in ui.wait' })
      for (const word of UNTOLD) delete jsonSchema[word]
      if (jsonSchema.default === false || (Array.isArray(jsonSchema.default) && jsonSchema.default.length === 0)) delete jsonSchema.default
    },
  })
  return schema
}

/** What is checked and, where it is wrong, complained about; a model that keeps to the words never meets it. */
const UNTOLD = ['additionalProperties', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

function become(schema: Record<string, unknown>, words: Record<string, unknown>): void {
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, words)
}
