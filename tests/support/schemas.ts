import { z } from 'zod'
import * as driver from '@deskhand/core/driver'
import { Approval, Condition, ElementNode, FlatNode, JournalEntry, Plan, Result, Screen, VisualDOMSnapshot } from '@deskhand/core/model'
import { FileSpec } from '../../packages/core/src/policy/rule.ts'
import { SelectorTree } from '../../packages/core/src/selector/schema.ts'

const bytes = (zodSchema: unknown): boolean => {
  const schema = zodSchema as { _zod?: { def?: { type?: string } } }
  return schema._zod?.def?.type === 'custom'
}

/** How the wire reads a node; it stands for the schema of one. */
const NODE: unknown = (driver.DRIVER_METHODS.check.result as z.ZodArray<z.ZodNullable>).element.unwrap()

/** JSON Schema of a value as it is sent; bytes are base64. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: out }) => {
      if (zodSchema === NODE) Object.assign(out, { $ref: '#/$defs/FlatNode' })
      else if (bytes(zodSchema)) Object.assign(out, { type: 'string', contentEncoding: 'base64' })
      // A reader ignores the fields that it does not know, so that the next version may add some.
      if (io === 'output') delete out.additionalProperties
    },
  })
}

const SCHEMAS: Record<string, { title: string; schema: z.ZodType; io: 'input' | 'output' }> = {
  snapshot: { title: 'What a look answers', schema: VisualDOMSnapshot, io: 'output' },
  element: { title: 'An element as an agent sees it', schema: ElementNode, io: 'output' },
  selector: { title: 'A selector, taken apart', schema: SelectorTree, io: 'output' },
  condition: { title: 'What a call waits for, asserts or verifies', schema: Condition, io: 'input' },
  result: { title: 'The record of a call', schema: Result, io: 'output' },
  plan: { title: 'What a rehearsal answers', schema: Plan, io: 'output' },
  approval: { title: 'A question to a person', schema: Approval, io: 'output' },
  'journal-entry': { title: 'A line of the journal', schema: JournalEntry, io: 'output' },
  policy: { title: 'A policy file, as the JSON of its TOML', schema: FileSpec, io: 'input' },
}

const { DriverInfo, ReadScope, TreePart, Changes, Activity, CaptureHandle, RenderOptions, Step, Guard, Sent } = driver
const DRIVER: Record<string, z.ZodType> = {
  DriverInfo,
  Screen,
  FlatNode,
  ReadScope,
  TreePart,
  Changes,
  Activity,
  CaptureHandle,
  RenderOptions,
  Step,
  Guard,
  Sent,
}

/** Every published schema, by the name of its file. */
export function publishedSchemas(): Map<string, Record<string, unknown>> {
  const all = new Map<string, Record<string, unknown>>()
  const head = (name: string, title: string) => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:deskhand:schema:${driver.PROTOCOL}:${name}`,
    title,
  })
  for (const [name, { title, schema, io }] of Object.entries(SCHEMAS)) {
    const { $schema: _, ...rest } = jsonSchema(schema, io)
    all.set(name, { ...head(name, title), ...rest })
  }
  const methods = Object.values(driver.DRIVER_METHODS).flatMap(({ name, params, result }): [string, z.ZodType][] => [
    [`${name}.params`, params],
    [`${name}.result`, result],
  ])
  const $defs = Object.fromEntries(
    [...Object.entries(DRIVER), ...methods].map(([name, schema]) => {
      const { $schema: _, ...rest } = jsonSchema(schema, 'output')
      return [name, rest]
    }),
  )
  all.set('driver', { ...head('driver', 'What crosses the driver boundary'), $defs })
  return all
}
