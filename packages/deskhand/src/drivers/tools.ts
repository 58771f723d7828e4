import { z } from 'zod'
import { DRIVER_METHODS, type DriverMethod } from '@deskhand/core/driver'

/** What a driver's methods are called as MCP tools. */
export const toolName = (method: DriverMethod): string => `driver.${method}`

/** The key of a request's `_meta` that says how many milliseconds it may take. */
export const DEADLINE_META = 'deskhand/deadlineMs'

/** What a server declares among its experimental capabilities when it says by itself that something changed, and how it says so. */
export const CHANGES_CAPABILITY = 'deskhand/changes'
export const CHANGED = 'notifications/deskhand/changed'

const SAYS: Readonly<Record<DriverMethod, string>> = {
  info: 'What this driver is and can do; every gap with its reason',
  screens: 'The screens of the desktop',
  read: 'A part of the tree, parents before children, and the cursor from which changes are told',
  changes: 'What changed since a cursor; waits up to waitMs for something to tell',
  watch: 'What was drawn and what a person did since a cursor; waits up to waitMs',
  check: 'Nodes as the application has them now; null when gone',
  hit: 'What lies under a point',
  capture: 'Takes a picture and keeps it for render',
  render: 'The pixels of a picture, once, as base64, with areas made black',
  readClipboard: 'The text on the clipboard',
  pointer: 'Where the pointer is',
  canLaunch: 'Whether there is a program of this name',
  take: 'The one lease to act, for ttlMs; every step renews it',
  step: 'One step under a lease, held back by its guard',
  reply: 'The answer to a host request',
  drop: 'Ends a lease and releases everything held',
  stop: 'Ends every lease between two events and releases everything held',
}

interface DriverTool {
  [field: string]: unknown
  name: string
  description: string
  inputSchema: { [field: string]: unknown; type: 'object' }
}

/** The driver's methods as the list of tools has them. */
export function driverTools(): DriverTool[] {
  return methodNames().map((method) => ({ name: toolName(method), description: SAYS[method], inputSchema: inputOf(method) }))
}

export function methodOf(tool: string): DriverMethod | undefined {
  return methodNames().find((method) => toolName(method) === tool)
}

const methodNames = (): DriverMethod[] => Object.keys(DRIVER_METHODS) as DriverMethod[]

function inputOf(method: DriverMethod): DriverTool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(DRIVER_METHODS[method].params, { io: 'input', unrepresentable: 'any' })
  return schema.type === 'object' ? { ...schema, type: 'object' } : { type: 'object' }
}
