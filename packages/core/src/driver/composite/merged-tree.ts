import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '../../errors.ts'
import type { FlatNode } from '../../model/index.ts'
import { type Changes, type Ctx, type Cursor, type DriverInfo, type ReadScope, type TreePart, within } from '../driver.ts'
import { mustGoOn } from '../kit/calls.ts'
import { ChangeLog } from '../kit/change-log.ts'
import type { Part, Parts } from './part.ts'
import { TreeMerger } from './tree-merger.ts'

/** How soon a driver that is left out is asked whether it is back, and how rarely at most when it hangs again and again. */
const RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** The part of a deadline that a driver has to be read in: the others are still to be told then. */
const SHARE = 0.8
/** How much longer than its wait a call to a driver may take. */
const GRACE_MS = 2000

/** How far one driver's tree has been taken in. */
interface Source {
  part: Part
  /** Absent until the driver has been read. */
  cursor: Cursor | undefined
  retryMs: number
}

/** The trees of several drivers, read and followed as one. A driver that ends or hangs is left out until it is back. */
export class MergedTree {
  readonly #parts: Parts
  readonly #sources: readonly Source[]
  readonly #merger: TreeMerger
  readonly #hungMs: number
  readonly #closing = new AbortController()
  #log = new ChangeLog()
  /** Cursors of an earlier generation are answered with a reset. */
  #generation = 0

  /** A driver that takes longer than `hungMs` to tell its changes hangs. */
  constructor(parts: Parts, hungMs: number) {
    this.#parts = parts
    this.#hungMs = hungMs
    this.#sources = parts.all.map((part) => ({ part, cursor: undefined, retryMs: RETRY_MS }))
    // Nothing is told before every driver has been read, so a place in the log is good for all of them.
    this.#merger = new TreeMerger(parts.all, (change) => this.#isSeeded && this.#log.add(change))
    for (const source of this.#sources) if (source.part.down !== undefined) void this.#awaitReturn(source)
  }

  /** The window that is shown instead of this one. */
  shownFor(window: string): string | undefined {
    return this.#merger.shownFor(window)
  }

  async read(scope: ReadScope, ctx: Ctx): Promise<TreePart> {
    mustGoOn(ctx)
    if (scope.root !== undefined) return this.#readBelow(scope.root, scope, ctx)
    this.#mustServe()
    // Changes that come while the drivers are read are told again, which does no harm.
    const cursor = this.#cursor
    const answers = await Promise.all(this.#up.map((s) => this.#ask(s, ctx, () => this.#readSource(s, scope, ctx))))
    this.#mustServe()
    const nodes = answers.flatMap((a) => a?.nodes ?? [])
    const max = scope.maxNodes ?? Infinity
    const { reasons } = this.#merger.completeness
    if (nodes.length > max || answers.some((a) => a?.isCut))
      reasons.push({ kind: 'truncated', detail: `only ${Math.min(max, nodes.length)} nodes were asked for` })
    return { cursor, nodes: nodes.slice(0, max), apps: this.#merger.apps, completeness: { complete: reasons.length === 0, reasons } }
  }

  async changes(since: Cursor, waitMs: number, ctx: Ctx): Promise<Changes> {
    const start = performance.now()
    for (;;) {
      mustGoOn(ctx)
      this.#mustServe()
      if (!this.#isCurrent(since)) return { reset: true }
      await Promise.all(this.#up.map((s) => this.#ask(s, ctx, () => this.#pull(s, 0, ctx))))
      this.#mustServe()
      const found = this.#since(since)
      if ('reset' in found || found.changes.length > 0) return found
      const spent = performance.now() - start
      if (spent >= waitMs || this.#closing.signal.aborted) return found
      if (spent >= ctx.deadlineMs) throw new DeskhandError('TIMEOUT', `nothing changed within ${ctx.deadlineMs} ms`)
      await this.#wait(Math.min(waitMs, ctx.deadlineMs) - spent, ctx)
    }
  }

  close(): void {
    this.#closing.abort()
    this.#log.wake()
  }

  get #cursor(): Cursor {
    return `${this.#generation}.${this.#log.cursor}`
  }

  /** The drivers that have a tree to tell. */
  get #up(): Source[] {
    return this.#sources.filter((s) => s.part.can('tree'))
  }

  #mustServe(): void {
    if (this.#up.length > 0) return
    const dead = this.#sources.find((s) => s.part.down !== undefined)
    if (dead?.part.down !== undefined) throw dead.part.down
    this.#parts.mustFind('tree')
  }

  #isCurrent(cursor: Cursor): boolean {
    return cursor.startsWith(`${this.#generation}.`) && this.#isSeeded
  }

  get #isSeeded(): boolean {
    return this.#up.every((s) => s.cursor !== undefined)
  }

  #since(cursor: Cursor): Changes {
    if (!this.#isCurrent(cursor)) return { reset: true }
    const found = this.#log.since(cursor.slice(cursor.indexOf('.') + 1))
    return 'reset' in found ? found : { ...found, cursor: `${this.#generation}.${found.cursor}` }
  }

  /** Runs a call to one driver; one that fails takes only this driver out. */
  async #ask<T>(source: Source, ctx: Ctx, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call()
    } catch (thrown) {
      const error = DeskhandError.from(thrown)
      if (ctx.signal.aborted || (error.code === 'TIMEOUT' && ctx.deadlineMs < this.#hungMs)) throw error
      this.#takeOut(source, error)
      return undefined
    }
  }

  /** Until a driver has something to tell, or another reader took something in. */
  async #wait(ms: number, ctx: Ctx): Promise<void> {
    const stop = new AbortController()
    const end = (): void => stop.abort()
    ctx.signal.addEventListener('abort', end)
    const { signal } = stop
    const waiting = { signal, deadlineMs: ms + GRACE_MS }
    const told = this.#up.map((s) => this.#ask(s, { signal, deadlineMs: Infinity }, () => this.#pull(s, ms, waiting)))
    for (const one of told) one.catch(() => {})
    try {
      await Promise.race([this.#log.wait(ms, signal), ...told])
    } finally {
      ctx.signal.removeEventListener('abort', end)
      end()
    }
  }

  /** Takes in what a driver has to tell, unless another call has done so meanwhile. */
  async #pull(source: Source, waitMs: number, ctx: Ctx): Promise<void> {
    let wait = waitMs
    let end = Infinity
    for (let isMore = true; isMore;) {
      const since = source.cursor
      if (since === undefined) return
      // One that always has more to tell would keep the others from being looked at.
      if (wait === 0) end = Math.min(end, performance.now() + Math.min(ctx.deadlineMs, this.#hungMs))
      const deadlineMs = wait === 0 ? end - performance.now() : ctx.deadlineMs
      if (deadlineMs <= 0) throw new DeskhandError('TIMEOUT', 'the driver always has more changes to tell')
      const answer = await limited(deadlineMs, source.part.driver.observe.changes(since, wait, { signal: ctx.signal, deadlineMs }))
      if (source.part.down !== undefined) return
      if (source.cursor !== since) {
        // Only an answer to a question asked after the call began tells everything from before it.
        if (waitMs === 0) continue
        return
      }
      if ('reset' in answer) return this.#startOver(source, await this.#infoOf(source, ctx.signal))
      source.cursor = answer.cursor
      source.retryMs = RETRY_MS
      for (const change of answer.changes) this.#merger.take(source.part, change)
      isMore = answer.more === true
      wait = 0
    }
  }

  /** The nodes to show of one driver, and whether the scope left out others. */
  async #readSource(source: Source, scope: ReadScope, ctx: Ctx): Promise<{ nodes: FlatNode[]; isCut: boolean }> {
    const { part } = source
    const { depth, maxNodes, app } = scope
    const isWhole = depth === undefined && maxNodes === undefined && app === undefined
    // Windows can be paired only when all of them are known.
    if (!isWhole && source.cursor === undefined) await this.#readSource(source, {}, ctx)
    if (app !== undefined && !part.owns(app)) return { nodes: [], isCut: false }
    const deadlineMs = ctx.deadlineMs * SHARE
    const inner = { depth, maxNodes, app: app === undefined ? undefined : part.inner(app) }
    const answer = await limited(deadlineMs, part.driver.observe.read(inner, { signal: ctx.signal, deadlineMs }))
    const isCut = (r: Reason): boolean => r.kind === 'truncated' && r.app === undefined
    const { reasons } = answer.completeness
    const completeness = isWhole ? answer.completeness : { complete: false, reasons: reasons.filter((r) => !isCut(r)) }
    const nodes = this.#merger.read(part, { ...answer, completeness }, source.cursor === undefined)
    source.cursor ??= answer.cursor
    return { nodes, isCut: !isWhole && reasons.some(isCut) }
  }

  async #readBelow(root: string, scope: ReadScope, ctx: Ctx): Promise<TreePart> {
    const part = this.#parts.mustOwn(root)
    const cursor = this.#cursor
    const answer = await part.driver.observe.read({ ...scope, root: part.inner(root) }, ctx)
    const reasons = part.reasons(answer.completeness)
    return {
      cursor,
      nodes: answer.nodes.map((n) => part.node(n)),
      apps: answer.apps.map((a) => part.app(a)),
      completeness: { complete: reasons.length === 0, reasons },
    }
  }

  /** A driver that is gone takes its windows along; one that hangs keeps them. */
  #takeOut(source: Source, error: DeskhandError): void {
    const { part } = source
    if (part.down !== undefined || this.#closing.signal.aborted) return
    part.down = error
    const isHung = error.code === 'TIMEOUT'
    if (!isHung) this.#merger.remove(part)
    this.#log.add({ type: 'completeness', completeness: this.#merger.completeness })
    this.#log.add({ type: 'can' })
    source.retryMs = isHung ? Math.min(2 * source.retryMs, LONGEST_RETRY_MS) : RETRY_MS
    void this.#awaitReturn(source)
  }

  async #awaitReturn(source: Source): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await sleep(source.retryMs, undefined, { signal, ref: false }).catch(() => {})
      const info = signal.aborted ? undefined : await this.#infoOf(source, signal).catch(() => undefined)
      if (info === undefined) continue
      source.part.down = undefined
      return this.#startOver(source, info)
    }
  }

  #infoOf({ part }: Source, signal: AbortSignal): Promise<DriverInfo> {
    return limited(this.#hungMs, part.driver.observe.info(within(this.#hungMs, signal)))
  }

  /** One driver has to be read anew, so every reader starts over. Keys stay as they are, unless the driver itself is another one. */
  #startOver({ part }: Source, info: DriverInfo): void {
    if (info.epoch !== part.info.epoch) part.renew()
    part.info = info
    for (const source of this.#sources) source.cursor = undefined
    this.#merger.clear()
    this.#generation++
    const before = this.#log
    this.#log = new ChangeLog()
    before.wake()
  }
}

type Reason = TreePart['completeness']['reasons'][number]

/** A driver that is being started anew does not even keep its deadline. */
async function limited<T>(ms: number, call: Promise<T>): Promise<T> {
  if (!Number.isFinite(ms)) return call
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new DeskhandError('TIMEOUT', `no answer within ${Math.round(ms)} ms`)), ms + 100).unref()
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
    call.catch(() => {})
  }
}
