import { DeskhandError } from '@deskhand/core/errors'
import {
  type CapName,
  type Changes,
  type Ctx,
  Darkroom,
  type DriverInfo,
  type Observe,
  type ReadScope,
  type Shot,
  type TreePart,
  blacken,
} from '@deskhand/core/driver'
import type { FlatNode, Point, Rect, Screen } from '@deskhand/core/model'
import { mustGoOn } from './act.ts'
import { type MirrorNode, flatten } from './atspi/node.ts'

import { checkNode } from './check.ts'
import type { Covers } from './covers.ts'
import type { Desk } from './desk.ts'
import type { SignLog } from './signs.ts'
import type { Camera } from './x11/capture.ts'
import type { Clipboard } from './x11/clipboard.ts'
import type { Display } from './x11/display.ts'
import { screensOf } from './x11/screens.ts'

/** What looking needs of X; absent under Wayland. */
export interface Eyes {
  display: Display
  camera: Camera
  clipboard: Clipboard
  signs: SignLog
  covers: Covers
}

/** Everything there is to see on a Linux desktop. */
export function observeDesk(desk: Desk, eyes: Eyes | undefined, info: DriverInfo): Observe {
  const need = (name: CapName): Eyes => {
    const cap = info.can[name]
    if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
    if (eyes === undefined) throw new DeskhandError('NOT_CAPABLE', 'there is no X server here')
    return eyes
  }
  const darkroom = new Darkroom()
  return {
    info: () => Promise.resolve(info),
    screens: async (): Promise<Screen[]> => (eyes === undefined ? [] : screensOf(eyes.display)),
    read: (scope, ctx) => read(desk, scope, ctx),
    changes: (since, waitMs, ctx) => changes(desk, since, waitMs, ctx),
    watch: async (of, since, waitMs, ctx) => {
      mustGoOn(ctx)
      return need(of === 'input' ? 'humanInput' : 'capture').signs.watch(of, since, waitMs, ctx)
    },
    check: async (keys, ctx) => {
      mustGoOn(ctx)
      return Promise.all(keys.map((key) => checkNode(desk, key)))
    },
    hit: async (at) => {
      need('hit')
      return desk.hit(at)
    },
    capture: async (area) => capture(desk, need('capture'), darkroom, area),
    develop: async (id, how) => darkroom.develop(id, how),
    readClipboard: async () => need('clipboard').clipboard.read(),
    pointer: async (): Promise<Point> => need('step:pointer').display.pointer(),
  }
}

async function read(desk: Desk, scope: ReadScope, ctx: Ctx): Promise<TreePart> {
  mustGoOn(ctx)
  const root = scope.root === undefined ? undefined : desk.mirror.node(scope.root)
  const bare = scope.root === undefined ? undefined : desk.bareWindow(scope.root)
  if (scope.root !== undefined && root === undefined && bare === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
  await desk.settle(ctx.deadlineMs)
  mustGoOn(ctx)
  const nodes: FlatNode[] = []
  const max = scope.maxNodes ?? Infinity
  let left = 0
  const visit = (node: MirrorNode, index: number, depth: number): void => {
    if (nodes.length >= max) return void left++
    nodes.push(flatten(node, index))
    if (scope.depth !== undefined && depth >= scope.depth) return void (left += node.children.length)
    node.children.forEach((child, i) => visit(child, i, depth + 1))
  }
  if (root !== undefined) visit(root, root.parent?.children.indexOf(root) ?? 0, 0)
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

async function changes(desk: Desk, since: string, waitMs: number, ctx: Ctx): Promise<Changes> {
  const { log } = desk.mirror
  const started = performance.now()
  const end = started + waitMs
  for (;;) {
    mustGoOn(ctx)
    if (performance.now() - started > ctx.deadlineMs) throw new DeskhandError('TIMEOUT', `nothing changed within ${ctx.deadlineMs} ms`)
    await desk.settle(ctx.deadlineMs)
    const found = log.since(since)
    const left = end - performance.now()
    if ('reset' in found || found.changes.length > 0 || left <= 0) return found
    if (!desk.mirror.isOpen) throw new DeskhandError('NO_DESKTOP', 'the accessibility bus is gone')
    await log.wait(Math.min(left, Math.max(0, ctx.deadlineMs - (performance.now() - started)) + 1), ctx.signal)
  }
}

/** Of a window only what is its own: where another one lies over it, the picture is black. */
async function capture(
  desk: Desk,
  { display, camera, covers }: Eyes,
  darkroom: Darkroom,
  area: { rect?: Rect; window?: string },
): Promise<Shot> {
  if (area.window === undefined) {
    const before = await covers.now()
    const pixels = await camera.capture(area.rect, (size) => darkroom.paper(size))
    // Windows that came while the picture was taken are told by now.
    await display.sync()
    const after = await covers.now()
    return darkroom.keep(pixels, before === after ? before : [...before, ...after])
  }
  await desk.settle()
  const window = desk.windowOf(area.window)
  if (window === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
  const before = await covers.now()
  const pixels = await camera.capture(window.bounds, (size) => darkroom.paper(size))
  for (const other of desk.top) if (other.z > window.z && !other.isMinimized && other.pid !== window.pid) blacken(pixels, other.outer)
  return darkroom.keep(pixels, before)
}
