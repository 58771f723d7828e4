import { DeskhandError } from '@deskhand/core/errors'
import {
  mustGoOn,
  PendingCaptures,
  PROTOCOL,
  type Changes,
  type Ctx,
  type DriverInfo,
  type Observe,
  type ReadScope,
  type TreePart,
} from '@deskhand/core/driver'
import { COMPLETE, type Completeness, type FlatNode, type Screen } from '@deskhand/core/model'
import { capabilities } from './caps.ts'
import { capture } from './capture.ts'
import type { Desktop } from './desktop.ts'
import { hitTest } from './hit.ts'
import type { Element } from './model/element.ts'
import type { UiFile } from './model/ui-file.ts'

export interface Identity {
  name: string
  version: string
  desktop: string
  epoch: string
}

/** Everything there is to see on a simulated desktop. */
export function observeDesktop(desk: Desktop, ui: () => UiFile, identity: Identity): Observe {
  const captures = new PendingCaptures()
  return {
    async info(ctx): Promise<DriverInfo> {
      mustGoOn(ctx)
      return { protocol: PROTOCOL, kind: 'virtual', prefixes: ['virtual'], ...identity, can: capabilities(ui()) }
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
    // Real time passes during a watch; the simulated one stands still.
    watch: (of, since, waitMs, ctx) => desk.activity.watch(of, since, waitMs, ctx),
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
      return captures.keep(capture(desk, area))
    },
    async render(id, how, ctx) {
      mustGoOn(ctx)
      return captures.render(id, how)
    },
    async readClipboard(ctx) {
      mustGoOn(ctx)
      return desk.clipboard
    },
    async pointer(ctx) {
      mustGoOn(ctx)
      return { ...desk.pointer }
    },
    async canLaunch(app, ctx) {
      mustGoOn(ctx)
      return Object.hasOwn(ui().apps ?? {}, app)
    },
  }
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
