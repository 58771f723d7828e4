import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { desktopTools } from './desktop.ts'
import { guiTools } from './gui.ts'
import { opTools } from './op.ts'
import type { Tool } from './tool.ts'
import { uiTools } from './ui.ts'

/** The one list of tools under every face. */
export const TOOLS: readonly Tool[] = [...uiTools, ...guiTools, ...desktopTools, ...opTools]

/** Some model APIs allow no dot in a name: `ui_click` is `ui.click`. */
export const plainName = (name: string): string => name.replaceAll('.', '_')

const byName = new Map(TOOLS.flatMap((t) => [[t.name, t] as const, [plainName(t.name), t] as const]))

export function toolNamed(name: string): Tool {
  const tool = byName.get(name)
  if (tool === undefined) throw new DeskhandError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name)}`, { next: `Use one of: ${TOOLS.map((t) => t.name).join(', ')}.` })
  return tool
}

export type Format = 'mcp' | 'openai' | 'anthropic'

/** The list in the shape that a model API takes. */
export function describeTools(format: Format, tools: readonly Tool[] = TOOLS): unknown[] {
  return tools.map((tool) => {
    const schema = inputSchema(tool)
    switch (format) {
      case 'mcp':
        return { name: tool.name, description: tool.description, inputSchema: schema, annotations: { readOnlyHint: tool.readOnly } }
      case 'openai':
        return { type: 'function', function: { name: plainName(tool.name), description: tool.description, parameters: schema } }
      case 'anthropic':
        return { name: plainName(tool.name), description: tool.description, input_schema: schema }
      default:
        return format satisfies never
    }
  })
}

/** JSON Schema of the arguments, without the noise that costs a model tokens. */
export function inputSchema(tool: Tool): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' })
  return schema
}
