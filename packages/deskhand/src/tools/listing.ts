import { readFileSync } from 'node:fs'
import type { Toolset } from './toolsets.ts'

/** A tool as a model is told of it. */
export interface ListedTool {
  name: string
  toolset: Toolset
  description: string
  /** Only looks; asking twice does no harm. */
  readOnly: boolean
  /** Answers in a shape of its own. */
  composed: boolean
  inputSchema: Record<string, unknown>
}

/** Read once: a server over HTTP is made for every request. */
let listed: readonly ListedTool[] | undefined

/** Every tool, from a file that a test holds equal to the live list: making the schemas takes longer than a call does. */
export function listedTools(): readonly ListedTool[] {
  listed ??= JSON.parse(readFileSync(new URL('../../tools.json', import.meta.url), 'utf8')) as ListedTool[]
  return listed
}

export type Format = 'mcp' | 'openai' | 'anthropic'

/** The list in the shape that a model API takes. */
export function describeTools(format: Format, tools: readonly ListedTool[]): unknown[] {
  return tools.map(({ name, description, inputSchema, readOnly }) => {
    switch (format) {
      case 'mcp':
        return { name, description, inputSchema, annotations: { readOnlyHint: readOnly } }
      case 'openai':
        return { type: 'function', function: { name: plainName(name), description, parameters: inputSchema } }
      case 'anthropic':
        return { name: plainName(name), description, input_schema: inputSchema }
      default:
        return format satisfies never
    }
  })
}

/** Some model APIs allow no dot in a name: `ui_click` is `ui.click`. */
export const plainName = (name: string): string => name.replaceAll('.', '_')
