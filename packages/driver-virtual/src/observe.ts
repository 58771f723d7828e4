import { DeskhandError } from '@deskhand/core/errors'
import {
  CAPS,
  PROTOCOL,
  type Cap,
  type Changes,
  type CapName,
  type Ctx,
  Darkroom,
  type DriverInfo,
  type Observe,
  type Pixels,
  type ReadScope,
  type Signs,
  type SignKind,
  type TreePart,
} from '@deskhand/core/driver'
import { COMPLETE, intersect, type Completeness, type FlatNode, type Rect, type Screen } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { hitTest } from './hit.ts'
import type { Element } from './model/element.ts'
import type { UiFile } from './model/ui-file.ts'
import { renderArea } from './render/render.ts'

export interface Identity {
  name: string
  version: string
  desktop: string
  epoch: string
}

/** Everything there is to see on a simulated desktop. */
export function observeDesktop(desk: Desktop, ui: () => UiFile, identity: Identity): Observe {
  const darkroom = new Darkroom()
  return {
    async info(ctx): Promise<DriverInfo> {
      mustGoOn(ctx)
      return { protocol: PROTOCOL, kind: 'virtual', ...identity, can: capabilities(ui()) }
    },
    async screens(ctx): Promise<Screen[]> {
      mustGoOn(ctx)
      return [{ id: 'virtual-0', bounds: desk.screenRect, scale: 1, primary: true }]
    },
    async read(scope, ctx) {
      mustGoOn(ctx)
      return read(desk, scope)
    },
    changes: (since, waitMs, ctx) => changes(desk, since, waitMs, ctx),
    watch: (of, since, waitMs, ctx) => watch(desk, of, since, waitMs, ctx),
    async check(keys, ctx) {
      mustGoOn(ctx)
      return keys.map((key) => desk.find(key)?.node ?? null)
    },
    async hit(at, ctx) {
      mustGoOn(ctx)
      const { window, element } = hitTest(desk, at)
      return { window: window?.key, node: element?.key }
    },
    async capture(area, ctx) {
      mustGoOn(ctx)
      return darkroom.keep(capture(desk, area))
    },
    async develop(id, how, ctx) {
      mustGoOn(ctx)
      return darkroom.develop(id, how)
    },
    async readClipboard(ctx) {
      mustGoOn(ctx)
      return desk.clipboard
    },
    async pointer(ctx) {
      mustGoOn(ctx)
      return { ...desk.pointer }
    },
  }
}

function capabilities(ui: UiFile): Record<CapName, Cap> {
  const yes: Cap = { ok: true }
  const can: Partial<Record<CapName, Cap>> = {}
  for (const name of CAPS) can[name] = yes
  if (!Object.keys(ui.apps ?? {}).length) {
    can['step:launch'] = {
      ok: false,
      reason: 'the user interface file declares no applications',
      fix: 'list them under "apps" in the file',
    }
  }
  return can as Record<CapName, Cap>
}

function read(desk: Desktop, scope: ReadScope): TreePart {
  const root = scope.root === undefined ? undefined : desk.need(scope.root)
  const nodes: FlatNode[] = []
  const max = scope.maxNodes ?? Infinity
  let truncated = false
  const visit = (el: Element, depth: number): void => {
    if (nodes.length >= max) return void (truncated = true)
    if (el.node) nodes.push(el.node)
    if (scope.depth !== undefined && depth >= scope.depth) return void (truncated ||= el.children.length > 0)
    for (const child of el.children) visit(child, depth + 1)
  }
  for (const top of root ? [root] : desk.windows) {
    if (root || (top.frame?.open && (scope.app === undefined || top.app === scope.app))) visit(top, 0)
  }
  const completeness: Completeness = truncated
    ? { complete: false, reasons: [{ kind: 'truncated', detail: `only ${nodes.length} nodes were asked for` }] }
    : COMPLETE
  return { cursor: desk.log.cursor, nodes, apps: [...desk.apps.values()], completeness }
}

/** On a manual clock a wait moves the time to the next timer instead of letting it pass. */
async function changes(desk: Desktop, since: string, waitMs: number, ctx: Ctx): Promise<Changes> {
  const start = performance.now()
  for (;;) {
    mustGoOn(ctx)
    const found = desk.log.since(since)
    if ('reset' in found) {
      for (const [id, { code }] of desk.requests) desk.log.add({ type: 'host', request: { id, run: 'code', code } })
      return found
    }
    const spent = performance.now() - start
    if (found.changes.length || spent >= waitMs || desk.closed) return found
    if (spent >= ctx.deadlineMs) throw new DeskhandError('TIMEOUT', `Nothing changed within ${ctx.deadlineMs} ms.`)
    const due = desk.clock.mode === 'manual' ? desk.clock.due() : undefined
    if (due !== undefined && due - desk.clock.now() <= waitMs) {
      await new Promise((resolve) => setImmediate(resolve))
      desk.clock.advance(due - desk.clock.now())
    } else await desk.log.wait(Math.min(waitMs, ctx.deadlineMs) - spent, ctx.signal)
  }
}

/** Real time passes while somebody watches; the simulated one stands still. */
async function watch(desk: Desktop, of: SignKind, since: string | undefined, waitMs: number, ctx: Ctx): Promise<Signs> {
  const start = performance.now()
  for (;;) {
    mustGoOn(ctx)
    const found = since === undefined ? { reset: true as const } : desk.log.since(since)
    const damage = 'reset' in found ? [desk.screenRect] : found.changes.flatMap((c) => (c.type === 'damage' ? [c.rect] : []))
    const seen = 'reset' in found || (of === 'input' ? found.changes.some((c) => c.type === 'human') : damage.length > 0)
    const left = Math.min(waitMs, ctx.deadlineMs) - (performance.now() - start)
    if (seen || left <= 0 || desk.closed) return { cursor: desk.log.cursor, damage, human: { ...desk.human }, at: desk.humanAt }
    await desk.log.wait(left, ctx.signal)
  }
}

function capture(desk: Desktop, area: { rect?: Rect; window?: string }): Pixels {
  const rect = area.window === undefined ? (area.rect ?? desk.screenRect) : desk.need(area.window).rect
  if (!Object.values(rect).every(Number.isFinite))
    throw new DeskhandError('BAD_ARGS', 'The area to capture is not a rectangle of finite numbers.')
  if (area.window === undefined && intersect(rect, desk.screenRect) === undefined)
    throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen')
  return renderArea(desk, rect)
}

function mustGoOn(ctx: Ctx): void {
  if (ctx.signal.aborted) throw new DeskhandError('CANCELLED', 'The call was cancelled.')
}
