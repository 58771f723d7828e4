import { z } from 'zod'
import { Rect } from './geometry.ts'
import { RiskLevel } from './policy.ts'
import type { Role } from './roles.ts'

/** What is known of a node's state; an absent flag is unknown or does not apply. */
export const States = z.object({
  enabled: z.boolean().optional(),
  visible: z.boolean().optional(),
  focused: z.boolean().optional(),
  focusable: z.boolean().optional(),
  checked: z.union([z.boolean(), z.literal('mixed')]).optional(),
  selected: z.boolean().optional(),
  expanded: z.boolean().optional(),
  editable: z.boolean().optional(),
  password: z.boolean().optional(),
  multiline: z.boolean().optional(),
  active: z.boolean().optional(),
  modal: z.boolean().optional(),
  pressed: z.boolean().optional(),
  required: z.boolean().optional(),
  busy: z.boolean().optional(),
  /** Enter presses it from a field near it. */
  default: z.boolean().optional(),
})
export type States = z.infer<typeof States>

export const PlatformIds = z.object({
  automationId: z.string().optional(),
  runtimeId: z.string().optional(),
  legacyId: z.string().optional(),
  axId: z.string().optional(),
  atspiPath: z.string().optional(),
  sapId: z.string().optional(),
  virtualId: z.string().optional(),
  /** Of a window: what the window system calls it, an X id as `0x1400003`. */
  windowHandle: z.string().optional(),
})
export type PlatformIds = z.infer<typeof PlatformIds>

const attributes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

const face = {
  role: z.string(),
  name: z.string().optional(),
  value: z.string().optional(),
  description: z.string().optional(),
  bounds: Rect.optional(),
  states: States.optional(),
  platformIds: PlatformIds.optional(),
  patterns: z.record(z.string(), z.boolean()).optional(),
  actions: z.array(z.string()).optional(),
  /** The chords that press it from elsewhere in its window, as in `ctrl+s` or `alt+d`. */
  shortcuts: z.array(z.string()).optional(),
  attributes: attributes.optional(),
}

/** A node as an agent sees it. `id` is short and stable while the node lives. */
export interface ElementNode {
  id: string
  role: string
  name?: string
  value?: string
  description?: string
  bounds?: Rect
  states?: States
  platformIds?: PlatformIds
  patterns?: Record<string, boolean>
  actions?: string[]
  shortcuts?: string[]
  attributes?: Record<string, string | number | boolean>
  children?: ElementNode[]
}
export const ElementNode: z.ZodType<ElementNode> = z.object({
  id: z.string(),
  ...face,
  get children() {
    return z.array(ElementNode).optional()
  },
})

/** A node as a driver reports it: flat, keyed, placed by parent and index. */
export const FlatNode = z.object({
  key: z.string(),
  parent: z.string().optional(),
  index: z.number(),
  /** The `id` of an AppIdentity. */
  app: z.string(),
  /** The kind of the driver that reports it, where a desktop has several. */
  driver: z.string().optional(),
  ...face,
})
export type FlatNode = z.infer<typeof FlatNode>

/** An application is known by the executable behind its pid and by what that runs, never by what it calls itself. */
export const AppIdentity = z.object({
  id: z.string(),
  name: z.string(),
  pid: z.number().optional(),
  executable: z.string().optional(),
  /** What an interpreter runs: a script, a jar, a module, a folder; under Wine the program. */
  runs: z.string().optional(),
  /** The Flatpak or Snap that it is, or the desktop entry that it was started from. */
  bundle: z.string().optional(),
  toolkit: z.string().optional(),
  /** The driver that the operator added to the desktop and that tells of it, and the least risk of acting on it. */
  added: z.object({ driver: z.string(), risk: RiskLevel }).optional(),
})
export type AppIdentity = z.infer<typeof AppIdentity>

/** Which application it is, in words: two programs of one interpreter are two applications. */
export function appWords({ executable, runs, bundle, id }: Pick<AppIdentity, 'executable' | 'runs' | 'bundle' | 'id'>): string {
  const ran = runs === undefined ? '' : ` running ${runs}`
  return `${executable ?? id}${ran}${bundle === undefined ? '' : ` (${bundle})`}`
}

/** Why a tree is not all there is. `drawn`: an area of a window shows something of which its application tells nothing. */
export const Completeness = z.object({
  complete: z.boolean(),
  reasons: z.array(
    z.object({
      kind: z.enum(['truncated', 'hung', 'degraded', 'drawn']),
      app: z.string().optional(),
      /** The driver that is missing, of several that serve one desktop. */
      driver: z.string().optional(),
      detail: z.string(),
    }),
  ),
})
export type Completeness = z.infer<typeof Completeness>

export const COMPLETE: Completeness = { complete: true, reasons: [] }

/** A node inside a tree in memory, linked both ways; a root has no parent. */
export interface UiNode extends Omit<FlatNode, 'parent' | 'app'> {
  app: AppIdentity
  parent?: UiNode
  children: readonly UiNode[]
}

export interface UiTree {
  roots: readonly UiNode[]
  completeness: Completeness
  /** Only a tree that keeps one up to date has it. */
  index?: NodeIndex
}

/** Finds nodes of a tree without a walk. */
export interface NodeIndex {
  byRole(role: Role): ReadonlySet<UiNode>
  /** All nodes with this name, value or stable id, white space evened out, and perhaps others; undefined: such a text is not indexed. */
  byText(text: string): ReadonlySet<UiNode> | undefined
  /** Sorts into document order, in place. */
  sort(nodes: UiNode[]): void
  /** What the caller may see of a node that was found and sorted; undefined when it is hidden. Without it all is seen as it is. */
  seen?(node: UiNode): UiNode | undefined
}

/** Every node, parents first, in document order. */
export function* walk(nodes: readonly UiNode[]): Generator<UiNode> {
  for (const node of nodes) {
    yield node
    yield* walk(node.children)
  }
}
