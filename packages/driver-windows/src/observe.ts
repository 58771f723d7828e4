import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ActivityLog,
  type Changes,
  type Ctx,
  type DriverInfo,
  type Observe,
  PendingCaptures,
  type ReadScope,
  type TreePart,
  mustBeCapable,
  mustGoOn,
} from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { FlatNode } from '@deskhand/core/model'
import { capture } from './capture.ts'
import type { WindowsDesktop } from './desktop.ts'
import { mustBeOurs } from './secure.ts'
import { programOf } from './steps/launch.ts'
import { readClipboard } from './win32/clipboard.ts'
import { pointerAt } from './win32/input.ts'
import { screens } from './win32/screen.ts'

/** How often windows are read while a caller waits for a change, and at most which part of the time that takes. */
const LOOK_MS = 40
const SHARE = 4
/** How often it is asked whether Windows told of a change. */
const EVENTS_MS = 10
/** SAP's screens change when its server answers, and each property of them is a call: they are read less often. */
const SAP_MS = 1000

/** Everything there is to see on a Windows desktop. */
export function observeDesktop(desk: WindowsDesktop, activity: ActivityLog, info: DriverInfo): Observe {
  const captures = new PendingCaptures()
  return {
    info: () => Promise.resolve(info),
    screens: async () => screens(),
    read: (scope, ctx) => read(desk, scope, ctx),
    changes: (since, waitMs, ctx) => changes(desk, since, waitMs, ctx),
    watch: async (of, since, waitMs, ctx) => {
      if (of === 'input') mustBeCapable(info.can, 'humanInput')
      return watch(desk, activity, of, since, waitMs, ctx)
    },
    check: async (keys, ctx) => {
      mustGoOn(ctx)
      if (keys.length > 0) await desk.look()
      return keys.map((key) => check(desk, key))
    },
    hit: async (at) => {
      await desk.look()
      const { window, node } = desk.at(at)
      return { window: window?.key, node: node?.key }
    },
    capture: async (area) => {
      mustBeOurs()
      return capture(desk, captures, area)
    },
    render: (id, how) => captures.render(id, how),
    readClipboard: () => readClipboard(),
    pointer: async () => pointerAt(),
    canLaunch: async (app) => programOf(app) !== undefined,
  }
}

function check(desk: WindowsDesktop, key: string): FlatNode | null {
  const node = desk.node(key)
  return node === undefined ? null : (desk.flat(node)[0] ?? null)
}

async function read(desk: WindowsDesktop, scope: ReadScope, ctx: Ctx): Promise<TreePart> {
  mustGoOn(ctx)
  mustBeOurs()
  await desk.look()
  const root = scope.root === undefined ? undefined : desk.node(scope.root)
  if (scope.root !== undefined && root === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
  const all = desk.flat(root).filter((n) => scope.app === undefined || n.app === scope.app)
  const near = scope.depth === undefined ? all : upTo(all, scope.depth)
  const nodes = near.slice(0, scope.maxNodes ?? Infinity)
  const reasons = [...desk.completeness.reasons]
  if (nodes.length < all.length) reasons.push({ kind: 'truncated', detail: `only ${nodes.length} elements were asked for` })
  return { cursor: desk.log.cursor, nodes, apps: desk.apps, completeness: { complete: reasons.length === 0, reasons } }
}

function upTo(nodes: readonly FlatNode[], depth: number): FlatNode[] {
  const depths = new Map<string, number>()
  return nodes.filter((n) => {
    const own = n.parent === undefined || !depths.has(n.parent) ? 0 : (depths.get(n.parent) ?? 0) + 1
    depths.set(n.key, own)
    return own <= depth
  })
}

/** Wakes the caller that waits when Windows tells of a change, but not before this time is over: some windows change without an end, and reading keeps their applications busy. */
function wakeOnEvents(desk: WindowsDesktop, soonestMs: number): NodeJS.Timeout {
  const soonest = performance.now() + soonestMs
  return setInterval(() => {
    if (performance.now() >= soonest && desk.events.came()) desk.log.wake()
  }, EVENTS_MS)
}

/** Not every change is told by Windows, so the windows are read again and again while a caller waits; at once after those that are. */
async function changes(desk: WindowsDesktop, since: string, waitMs: number, ctx: Ctx): Promise<Changes> {
  const started = performance.now()
  for (;;) {
    mustGoOn(ctx)
    if (performance.now() - started > ctx.deadlineMs) throw new DeskhandError('TIMEOUT', `nothing changed within ${ctx.deadlineMs} ms`)
    const looked = performance.now()
    await desk.look(SAP_MS)
    const found = desk.log.since(since)
    const left = started + waitMs - performance.now()
    if ('reset' in found || found.changes.length > 0 || left <= 0) return found
    const took = performance.now() - looked
    const deadline = Math.max(0, ctx.deadlineMs - (performance.now() - started)) + 1
    const listening = wakeOnEvents(desk, Math.max(LOOK_MS, (SHARE * took) / 2))
    await desk.log.wait(Math.min(left, Math.max(LOOK_MS, SHARE * took), deadline), ctx.signal)
    clearInterval(listening)
  }
}

async function watch(
  desk: WindowsDesktop,
  activity: ActivityLog,
  ...[of, since, waitMs, ctx]: Parameters<Observe['watch']>
): ReturnType<Observe['watch']> {
  const told = activity.watch(of, since, waitMs, ctx)
  let isOver = false
  const end = (): void => void (isOver = true)
  told.then(end, end)
  // What changes in the tree was drawn; nothing else tells of drawing.
  while (!isOver) {
    desk.refresh()
    await sleep(LOOK_MS)
  }
  return told
}
