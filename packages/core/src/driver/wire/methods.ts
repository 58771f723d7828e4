import { z } from 'zod'
import { type FlatNode, Point, Rect, Screen } from '../../model/index.ts'
import {
  Change,
  RenderOptions,
  DriverInfo,
  Guard,
  PROTOCOL,
  ReadScope,
  Sent,
  CaptureHandle,
  ActivityKind,
  Activity,
  Step,
  TreePart,
} from '../driver.ts'
import { isFlatNode } from './nodes.ts'

export const DRIVER_PROTOCOL = { name: 'deskhand-driver', version: PROTOCOL }

/** One call of the driver protocol: what crosses, and back. */
export interface Method<P, R> {
  name: string
  params: z.ZodType<P>
  result: z.ZodType<R>
}

const method = <P, R>(name: string, params: z.ZodType<P>, result: z.ZodType<R>): Method<P, R> => ({ name, params, result })

const none = z.object({}).nullish()
const nothing = z.null()
const node = z.custom<FlatNode>(isFlatNode, 'is no node')
const [, ...otherChanges] = Change.options
const change = z.discriminatedUnion('type', [z.object({ type: z.literal('put'), node }), ...otherChanges])

export const METHODS = {
  info: method('info', none, DriverInfo),
  screens: method('screens', none, z.array(Screen)),
  read: method('read', z.object({ scope: ReadScope }), TreePart.extend({ nodes: z.array(node) })),
  changes: method(
    'changes',
    z.object({ since: z.string(), waitMs: z.number() }),
    z.union([
      z.object({ reset: z.literal(true) }),
      z.object({ cursor: z.string(), changes: z.array(change), more: z.boolean().optional() }),
    ]),
  ),
  watch: method('watch', z.object({ of: ActivityKind, since: z.string().optional(), waitMs: z.number() }), Activity),
  check: method('check', z.object({ keys: z.array(z.string()) }), z.array(node.nullable())),
  hit: method('hit', z.object({ at: Point }), z.object({ window: z.string().optional(), node: z.string().optional() })),
  capture: method('capture', z.object({ area: z.object({ rect: Rect.optional(), window: z.string().optional() }) }), CaptureHandle),
  render: method('render', z.object({ id: z.string(), how: RenderOptions }), z.instanceof(Uint8Array)),
  readClipboard: method('readClipboard', none, z.string()),
  pointer: method('pointer', none, Point),
  canLaunch: method('canLaunch', z.object({ app: z.string() }), z.boolean()),
  take: method('take', z.object({ ttlMs: z.number() }), z.string()),
  step: method('step', z.object({ lease: z.string(), step: Step, guard: Guard }), Sent),
  reply: method('reply', z.object({ id: z.string(), result: z.unknown().optional() }), nothing),
  drop: method('drop', z.object({ lease: z.string() }), nothing),
  stop: method('stop', none, nothing),
}
