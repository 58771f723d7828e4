import { DeskhandError } from '../../errors.ts'
import type { FlatNode, Point, Rect, Screen } from '../../model/index.ts'
import type {
  Activity,
  ActivityKind,
  CapName,
  CaptureHandle,
  Changes,
  Ctx,
  Cursor,
  DriverInfo,
  Frame,
  NodeKey,
  Observe,
  ReadScope,
  RenderOptions,
  TreePart,
} from '../driver.ts'
import { mustGoOn } from '../kit/calls.ts'
import { mergeInfo } from './info.ts'
import { MergedTree } from './merged-tree.ts'
import type { Part, Parts } from './part.ts'

/** What several drivers see of one desktop. What is there once (pixels, pointer, clipboard) comes from the first driver that can tell. */
export class MergedObserve implements Observe {
  readonly #parts: Parts
  readonly #tree: MergedTree

  constructor(parts: Parts, hungMs: number) {
    this.#parts = parts
    this.#tree = new MergedTree(parts, hungMs)
  }

  async info(ctx: Ctx): Promise<DriverInfo> {
    await Promise.all(
      this.#parts.up.map(async (part) => {
        part.info = await part.driver.observe.info(ctx).catch(() => part.info)
      }),
    )
    mustGoOn(ctx)
    return mergeInfo(this.#parts)
  }

  async screens(ctx: Ctx): Promise<Screen[]> {
    let dead: unknown
    for (const part of this.#parts.up) {
      const screens = await part.driver.observe.screens(ctx).catch((error: unknown) => {
        if (DeskhandError.from(error).code !== 'DRIVER_DEAD') throw error
        dead = error
        return []
      })
      if (screens.length > 0) return screens
    }
    if (dead !== undefined) throw dead
    return []
  }

  read(scope: ReadScope, ctx: Ctx): Promise<TreePart> {
    return this.#tree.read(scope, ctx)
  }

  changes(since: Cursor, waitMs: number, ctx: Ctx): Promise<Changes> {
    return this.#tree.changes(since, waitMs, ctx)
  }

  async watch(of: ActivityKind, since: Cursor | undefined, waitMs: number, ctx: Ctx): Promise<Activity> {
    const part = this.#parts.mustFind(activityCap(of))
    const place = since !== undefined && part.owns(since) ? part.inner(since) : undefined
    const activity = await part.driver.observe.watch(of, place, waitMs, ctx)
    return { ...activity, cursor: part.outer(activity.cursor) }
  }

  async check(keys: NodeKey[], ctx: Ctx): Promise<(FlatNode | null)[]> {
    const fresh = new Map<NodeKey, FlatNode>()
    const ask = async (part: Part): Promise<void> => {
      const own = keys.filter((key) => part.owns(key))
      if (own.length === 0) return
      const nodes = await part.driver.observe.check(
        own.map((key) => part.inner(key)),
        ctx,
      )
      for (const node of nodes) if (node !== null) fresh.set(part.outer(node.key), part.node(node))
    }
    await Promise.all(this.#parts.all.map(ask))
    mustGoOn(ctx)
    return keys.map((key) => fresh.get(key) ?? null)
  }

  async hit(at: Point, ctx: Ctx): Promise<{ window?: NodeKey; node?: NodeKey }> {
    this.#parts.mustFind('hit')
    for (const part of this.#parts.all.filter((p) => p.can('hit'))) {
      const found = outside(part, await part.driver.observe.hit(at, ctx))
      if (found.window === undefined && found.node === undefined) continue
      const instead = found.window === undefined ? undefined : this.#tree.shownFor(found.window)
      return instead === undefined ? found : this.#hitIn(instead, at, ctx)
    }
    return {}
  }

  /** A preferred driver shows the window: it is asked which of its nodes lies there. */
  async #hitIn(window: NodeKey, at: Point, ctx: Ctx): Promise<{ window: NodeKey; node: NodeKey }> {
    const by = this.#parts.mustOwn(window)
    const found = by.can('hit') ? outside(by, await by.driver.observe.hit(at, ctx)) : undefined
    return { window, node: found?.window === window ? (found.node ?? window) : window }
  }

  async capture(area: { rect?: Rect; window?: NodeKey }, ctx: Ctx): Promise<CaptureHandle> {
    const owner = area.window === undefined ? undefined : this.#parts.mustOwn(area.window)
    const part = owner?.can('capture') ? owner : this.#parts.mustFind('capture')
    const handle = await part.driver.observe.capture(await this.#areaFor(part, area, ctx), ctx)
    const windows = handle.windows?.map(({ app, rect }) => ({ app: part.app(app), rect }))
    return { ...handle, id: part.outer(handle.id), windows }
  }

  render(id: string, how: RenderOptions, ctx: Ctx): Promise<Frame['data']> {
    return this.#ownerOf(id, (part) => part.driver.observe.render(part.inner(id), how, ctx))
  }

  async readClipboard(ctx: Ctx): Promise<string> {
    return this.#parts.mustFind('clipboard').driver.observe.readClipboard(ctx)
  }

  async pointer(ctx: Ctx): Promise<Point> {
    return this.#parts.mustFind('step:pointer').driver.observe.pointer(ctx)
  }

  async canLaunch(app: string, ctx: Ctx): Promise<boolean> {
    return this.#parts.mustFind('step:launch').driver.observe.canLaunch(app, ctx)
  }

  /** The driver that counts a person's input. */
  humanPart(): Part | undefined {
    return this.#parts.first(activityCap('input'))
  }

  close(): void {
    this.#tree.close()
  }

  async #ownerOf<T>(id: string, ask: (part: Part) => Promise<T>): Promise<T> {
    return ask(this.#parts.mustOwn(id))
  }

  /** A window as the driver that takes the picture knows it: by its own key, or by its place. */
  async #areaFor(part: Part, { rect, window }: { rect?: Rect; window?: NodeKey }, ctx: Ctx): Promise<{ rect?: Rect; window?: NodeKey }> {
    if (window === undefined) return { rect }
    if (part.owns(window)) return { window: part.inner(window) }
    const [node] = await this.check([window], ctx)
    return { rect: node?.bounds }
  }
}

const activityCap = (of: ActivityKind): CapName => (of === 'input' ? 'humanInput' : 'capture')

const outside = (part: Part, { window, node }: { window?: NodeKey; node?: NodeKey }): { window?: NodeKey; node?: NodeKey } => ({
  window: window === undefined ? undefined : part.outer(window),
  node: node === undefined ? undefined : part.outer(node),
})
