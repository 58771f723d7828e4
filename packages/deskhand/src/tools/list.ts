import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { Condition, DragEnd, KeyEvent, nearest, PointerEvent, Target } from '@deskhand/core/model'
import { avisTools } from './avis.ts'
import { batchTool } from './batch.ts'
import { codeTools } from './code.ts'
import { desktopTools } from './desktop.ts'
import { guiTools } from './gui.ts'
import { plainName, type ListedTool } from './listing.ts'
import { inputTools } from './input.ts'
import { opTools } from './op.ts'
import { planTool } from './plan.ts'
import { playTool } from './play.ts'
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
  playTool(toolNamed),
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
  // Other tools call theirs browser_click, clients ours mcp__deskhand__ui_click.
  const last = /[a-z]+$/i.exec(name)?.[0].toLowerCase()
  const close = nearest(name, [...byName.keys()]) ?? names.find((known) => known === `ui.${last}`)
  return close ? `Did you mean ${close}?` : `Use one of: ${names.join(', ')}.`
}

/** A tool as a model is told of it. */
export function listed(tool: Tool): ListedTool {
  const { name, toolset, description, readOnly } = tool
  return { name, toolset, description, readOnly, composed: 'compose' in tool && tool.tells !== 'record', inputSchema: inputSchema(tool) }
}

/** JSON Schema of the arguments, without the noise that costs a model tokens: targets and conditions are told in words, conditions once. */
function inputSchema(tool: Tool): Record<string, unknown> {
  const spelledOut = 'kind' in tool && tool.kind === 'wait'
  const {
    $schema: _,
    $defs,
    ...schema
  } = z.toJSONSchema(tool.input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const part: unknown = zodSchema
      if (part === Target) become(jsonSchema, { type: ['string', 'object'], description: 'id or selector' })
      if (part === DragEnd) become(jsonSchema, { type: ['string', 'object'], description: 'id, selector or { x, y }' })
      if (part === Condition) become(jsonSchema, { type: ['string', 'object'], description: spelledOut ? CONDITION : 'as in ui.wait' })
      if (part === PointerEvent) become(jsonSchema, { type: 'object', description: POINTER_EVENT })
      if (part === KeyEvent) become(jsonSchema, { type: 'object', description: KEY_EVENT })
      for (const word of UNTOLD) delete (jsonSchema as Record<string, unknown>)[word]
      if (isObvious(jsonSchema.default)) delete jsonSchema.default
      withoutNull(jsonSchema)
    },
  })
  return inlined(schema, $defs) as Record<string, unknown>
}

/** A condition refers to itself: as a schema it takes four times as long. */
const CONDITION =
  'a selector of what is there, "gone <selector>", "window <title>", "text <words>"; or one or more of { uiState: { target, value, valueContains, name, present, enabled, visible, focused, checked, selected, expanded }, window: { title, titleContains, dialog, present }, text: "shown", any: [conditions], not: condition }. In verify also uiState.changed, window.appeared; its target may be left out'

const POINTER_EVENT = '{ type: move, x, y }, { type: down or up, button }, { type: wheel, dx, dy } or { type: pause, ms }'
const KEY_EVENT = '{ type: down or up, key } or { type: pause, ms }'

/** A schema with what it refers to in place. */
function inlined(schema: unknown, defs: Record<string, unknown> = {}): unknown {
  if (Array.isArray(schema)) return schema.map((part) => inlined(part, defs))
  if (typeof schema !== 'object' || schema === null) return schema
  const ref = '$ref' in schema ? String(schema.$ref).replace('#/$defs/', '') : undefined
  if (ref !== undefined && ref in defs) return inlined(defs[ref], defs)
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, inlined(part, defs)]))
}

/** What is checked and, where it is wrong, complained about; a model that keeps to the words never meets it. */
const UNTOLD = ['additionalProperties', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'propertyNames'] as const

/** A default that any reader assumes. */
const isObvious = (value: unknown): boolean =>
  value === false || value === 0 || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)

/** Null stands for what is left out, and a model leaves it out. */
function withoutNull(schema: { type?: unknown; anyOf?: unknown }): void {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    schema.type = types.length === 1 ? types[0] : types
  }
  if (!Array.isArray(schema.anyOf)) return
  const others = schema.anyOf.filter((part: { type?: unknown }) => part.type !== 'null')
  const [only] = others
  if (others.length === 1 && others.length < schema.anyOf.length) {
    delete schema.anyOf
    Object.assign(schema, only)
  }
}

function become(schema: Record<string, unknown>, words: Record<string, unknown>): void {
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, words)
}
