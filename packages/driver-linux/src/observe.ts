import { DeskhandError } from '@deskhand/core/errors'
import {
  type CapName,
  type Changes,
  type Ctx,
  PendingCaptures,
  type DriverInfo,
  type Observe,
  type ReadScope,
  type TreePart,
  mustBeCapable,
  mustGoOn,
} from '@deskhand/core/driver'
import type { FlatNode, Point, Screen } from '@deskhand/core/model'
import { inOrder } from './atspi/list-rows.ts'
import { type MirrorNode, flatten } from './atspi/node.ts'
import { seekRows } from './atspi/table.ts'
import { capture } from './capture.ts'
import { checkNode } from './check.ts'
import type { LinuxDesktop } from './desktop.ts'
import { programOf } from './steps/launch.ts'
import type { DisplayServer, Env } from './display-server.ts'
import { WindowOwners } from './window-owners.ts'

/** Everything there is to see on a Linux desktop. */
export function observeDesktop(desk: LinuxDesktop, server: DisplayServer, info: DriverInfo, env: Env): Observe {
  const need = <T>(name: CapName, device: T | undefined): T => {
    mustBeCapable(info.can, name)
    if (device === undefined) throw new DeskhandError('NOT_CAPABLE', `the display server has no ${name}`)
    return device
  }
  const { windows, grab, clipboard } = server
  const camera = windows && grab && { server, grab, owners: new WindowOwners(desk, windows) }
  const captures = new PendingCaptures()
  return {
    info: () => Promise.resolve(info),
    screens: async (): Promise<Screen[]> => server.screens(),
    read: (scope, ctx) => read(desk, scope, ctx),
    changes: (since, waitMs, ctx) => changes(desk, since, waitMs, ctx),
    watch: async (of, since, waitMs, ctx) => need(of === 'input' ? 'humanInput' : 'capture', server.activity).watch(of, since, waitMs, ctx),
    check: async (keys, ctx) => {
      mustGoOn(ctx)
      return Promise.all(keys.map((key) => checkNode(desk, key)))
    },
    hit: async (at) => {
      need('hit', windows)
      const { window, node } = await desk.hit(at)
      return { window, node }
    },
    capture: async (area) => capture(desk, need('capture', camera), captures, area),
    render: async (id, how) => captures.render(id, how),
    readClipboard: async () => need('clipboard', clipboard).read(),
    pointer: async (): Promise<Point> => need('step:pointer', server).pointer(),
    canLaunch: async (app) => programOf(app, env) !== undefined,
  }
}

/** The share of its time that a reader spends on looking for rows. */
const SEEKING = 0.7

async function read(desk: LinuxDesktop, scope: ReadScope, ctx: Ctx): Promise<TreePart> {
  mustGoOn(ctx)
  const root = scope.root === undefined ? undefined : desk.mirror.node(scope.root)
  const bare = scope.root === undefined ? undefined : (desk.bareWindow(scope.root) ?? desk.unreadArea(scope.root))
  if (scope.root !== undefined && root === undefined && bare === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
  if (root !== undefined && root.unloaded > 0 && scope.text !== undefined) {
    await seekRows(root.app, root, scope.text, ctx.deadlineMs * SEEKING)
    desk.mirror.regrow(root)
  }
  await desk.settleDrawn(ctx.deadlineMs)
  mustGoOn(ctx)
  desk.mirror.account()
  const nodes: FlatNode[] = []
  const max = scope.maxNodes ?? Infinity
  let left = 0
  const visit = (node: MirrorNode, index: number, depth: number): void => {
    // The rest of a large application follows as changes.
    if (!node.isRead || (node.app.isLarge && node.told === undefined)) return
    if (nodes.length >= max) return void left++
    nodes.push(flatten(node, index))
    if (scope.depth !== undefined && depth >= scope.depth) return void (left += node.children.length)
    inOrder(node).forEach((child, i) => visit(child, i, depth + 1))
    const area = desk.unreadArea(node)
    if (area !== undefined) nodes.push(area.told)
  }
  if (root !== undefined) visit(root, root.parent === undefined ? 0 : inOrder(root.parent).indexOf(root), 0)
  else if (bare !== undefined) nodes.push(bare.told)
  else {
    for (const app of desk.mirror.apps.values()) {
      if (scope.app !== undefined && scope.app !== app.identity.id) continue
      for (const window of app.openWindows) visit(window, app.windows.indexOf(window), 0)
    }
    const loose = desk.nodes().filter((b) => scope.app === undefined || scope.app === b.app.id)
    nodes.push(...loose.slice(0, Math.max(0, max - nodes.length)).map((b) => b.told))
  }
  const completeness = desk.completeness()
  if (left > 0) completeness.reasons.push({ kind: 'truncated', detail: `only ${nodes.length} elements were asked for` })
  return {
    cursor: desk.mirror.log.cursor,
    nodes,
    apps: desk.identities(),
    completeness: { complete: completeness.reasons.length === 0, reasons: completeness.reasons },
  }
}

async function changes(desk: LinuxDesktop, since: string, waitMs: number, ctx: Ctx): Promise<Changes> {
  const { log } = desk.mirror
  const started = performance.now()
  const end = started + waitMs
  for (;;) {
    mustGoOn(ctx)
    if (performance.now() - started > ctx.deadlineMs) throw new DeskhandError('TIMEOUT', `nothing changed within ${ctx.deadlineMs} ms`)
    await desk.settleDrawn(ctx.deadlineMs)
    desk.mirror.account()
    const found = log.since(since)
    const left = end - performance.now()
    if ('reset' in found || found.changes.length > 0 || left <= 0) return found
    if (!desk.mirror.isOpen) throw new DeskhandError('NO_DESKTOP', 'the accessibility bus is gone')
    await log.wait(Math.min(left, Math.max(0, ctx.deadlineMs - (performance.now() - started)) + 1), ctx.signal)
  }
}
