import type { Tool } from '@modelcontextprotocol/server'
import type { ListedTool } from '../tools/listing.ts'

/** `short` is what a model pays for with every conversation; `full` adds what programs and people use. */
export type Describe = 'short' | 'full'

/** Tools that leave the desktop as it is when they are called again with the same arguments. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['ui.set', 'ui.focus', 'ui.hover', 'avis.focus_element', 'avis.hover_element', 'op.cancel'])

/** A tool as the list has it. What the short form leaves out is what clients assume: that it acts, may destroy, and adds up. */
export async function described(
  { name, description, toolset, readOnly, composed, ...tool }: ListedTool,
  describe: Describe,
): Promise<Tool> {
  const inputSchema = { ...tool.inputSchema, type: 'object' as const }
  if (describe === 'short') return { name, description, inputSchema, ...shortHints(name, readOnly) }
  const { outputSchemas } = await import('./output-schemas.ts')
  return {
    name,
    title: titleOf(name),
    description,
    inputSchema,
    outputSchema: composed ? outputSchemas.composed : outputSchemas.action,
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: readOnly || IDEMPOTENT.has(name),
      openWorldHint: toolset !== 'op',
    },
  }
}

/** The hints in which a tool is otherwise than clients assume of one that gives none. */
function shortHints(name: string, readOnly: boolean): Pick<Tool, 'annotations'> {
  if (readOnly) return { annotations: { readOnlyHint: true } }
  return IDEMPOTENT.has(name) ? { annotations: { idempotentHint: true } } : {}
}

/** `ui.click_xy` is "Click xy (ui)". */
function titleOf(name: string): string {
  const [, prefix = '', rest = name] = /^([a-z]+)[._](.+)$/.exec(name) ?? []
  const words = rest.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} (${prefix})`
}
