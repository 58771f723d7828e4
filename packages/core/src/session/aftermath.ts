import { within, type Observe } from '../driver/driver.ts'
import { TRAITS, WINDOWS, type DesktopKind, type Principal, type Result, type UiNode } from '../model/index.ts'
import type { Call } from './call.ts'
import type { DrawnPart } from './picture/drawn-part.ts'
import type { Recorder } from './record.ts'
import type { LiveTree } from './see/live-tree.ts'
import type { Refs } from './see/refs.ts'
import type { See } from './see/see.ts'
import { tokens } from './see/tokens.ts'
import type { Snapshots } from './see/snapshots.ts'
import { isMarked, NOT_MARKED, tellsSaved } from './see/unsaved.ts'
import { describeOpened, warningOf } from './verify/opened.ts'
import { HOLDS } from './verify/verification.ts'
import { label } from './words.ts'

/** Tokens that an answer may cost, with what says how the call went. */
const BUDGET = 250
const HEAD = 30
/** What is left for what changed behind a long answer of a tool's own. */
const LEAST = 120
/** So long nothing may have changed for a desktop to count as quiet, and how long that is waited for. */
const QUIET = { quietMs: 40, mostMs: 300 }
/** An application that has just started is longer at it. */
const STARTING = { quietMs: 150, mostMs: 1_500 }
const ASK_MS = 150
const LOOK_MS = 2_000
const NONE_ACTIVE = 'No window is active now: activate one (ui.window with op "activate") before the next key.'

interface AftermathNeeds {
  tree: LiveTree
  see: See
  refs: Refs
  snapshots: Snapshots
  recorder: Recorder
  observe: Observe
  desktop: DesktopKind
  drawnPart: DrawnPart
}

/** A window or dialog that shows. */
export interface OpenPlace {
  key: string
  elementId: string
  role: string
  name?: string
  modal: boolean
}

/** How things were before a call. */
interface Before {
  focus?: string
  active?: string
  /** Where the drawing stood, where no tree tells what becomes of the active window. */
  drawing?: string
}

/** Adds to the answer of an action what changed since the caller was last told: by a look, or by such an answer. */
export class Aftermath {
  readonly #on: AftermathNeeds
  /** Windows whose titles marked unsaved changes between the parts of a call, by the caller. */
  readonly #marked = new Map<string, Set<string>>()

  constructor(needs: AftermathNeeds) {
    this.#on = needs
  }

  async of(call: Call, signal: AbortSignal, perform: () => Promise<Result>): Promise<Result> {
    const tells = TRAITS[call.kind].sends || call.kind === 'code' || call.kind === 'wait'
    if (call.changes === true && call.dryRun !== true && tells) return this.around(call, signal, perform)
    const result = await perform()
    if (tells) this.#noteMarks(call.principal)
    return result
  }

  /** Does the work of a call, and tells what changed. */
  async around(call: Call, signal: AbortSignal, perform: () => Promise<Result>): Promise<Result> {
    const before = await this.#before(call).catch(() => undefined)
    if (call.kind === 'code') this.#marked.set(call.principal.id, new Set())
    const result = await perform()
    // A call that failed for what it asked for, before anything was sent, changed nothing; things may have changed while it waited.
    const isIdle = call.kind !== 'wait' && result.error !== undefined && result.retry !== 'observe_first' && result.sent === 'none'
    // A single call whose verify failed brings a fresh look of its own.
    const isOver = isIdle || (result.error?.code === 'VERIFY_FAILED' && call.kind !== 'code')
    if (before === undefined || isOver || signal.aborted) return result
    // What was done counts, whatever becomes of the look after it.
    return this.#told(call, result, before, signal).catch(() => result)
  }

  /** The windows and dialogs that a caller sees open, once the desktop is quiet. */
  async places(who: Principal, settle: boolean): Promise<OpenPlace[]> {
    const { tree, see, refs } = this.#on
    // An application that is slow to answer keeps no caller: what is known by then counts.
    if (settle) await this.#settle({ kind: 'click' }, undefined, AbortSignal.timeout(LOOK_MS)).catch(() => {})
    else await tree.sync()
    this.#noteMarks(who)
    const seen = see(who)
    const places = [...tree.places].filter((n) => WINDOWS.has(n.role) && n.states?.visible !== false)
    return places.flatMap(({ key }) => {
      const node = seen.see(key)
      if (node === undefined) return []
      const { role, name, states } = node
      return [{ key, elementId: refs.show(node, who), role, name, modal: states?.modal === true }]
    })
  }

  async #before({ principal }: Call): Promise<Before> {
    const { tree, snapshots, drawnPart } = this.#on
    if (!snapshots.hasTold(principal)) {
      await tree.sync()
      snapshots.note(principal)
    }
    const isBlind = snapshots.bareWindow(principal) !== undefined
    return { focus: tree.focus, active: tree.activeWindow, drawing: isBlind ? await drawnPart.now() : undefined }
  }

  async #told(call: Call, result: Result, before: Before, signal: AbortSignal): Promise<Result> {
    const { tree, snapshots, see, refs, recorder, drawnPart } = this.#on
    const { principal: who } = call
    const target = result.resolvedTarget?.elementId
    const node = target === undefined ? undefined : refs.known({ elementId: target }, (key) => see(who).see(key), who)
    if (result.sent === 'none' && call.kind !== 'code' && call.kind !== 'wait') await tree.sync()
    else await this.#settle(call, node, signal, before.active)
    const budget = Math.max(LEAST, BUDGET - HEAD - tokens(result.text ?? ''))
    const entered = call.kind === 'type' && (result.effect === 'confirmed' || result.text?.startsWith(HOLDS) === true)
    const { text, opened } = snapshots.changes(who, { budget, target: node?.key, entered, own: result.text, warning: warningOf })
    const pixels = call.kind === 'wait' ? {} : await drawnPart.told(call, node, before.drawing)
    const saved = opened.length > 0 || tellsSaved(text) ? undefined : (this.#markGone(call) ?? this.#whetherSaved(call, result))
    const lines = [result.text, text, pixels.text, saved, this.#nextKey(call, node, before, text)].filter(Boolean)
    if (lines.length === 0 && result.effect === 'changed') lines.push(NOT_IN_VIEW)
    const words = recorder.presentable(lines.join('\n'), result.decision)
    const data =
      opened.length === 0 ? result.data : { ...Object(result.data), opened: opened.map((n) => describeOpened(n, snapshots, who)) }
    return {
      ...result,
      data: opened.length === 0 ? data : recorder.presentable(data, result.decision),
      text: words === '' ? undefined : words,
      images: result.images ?? pixels.images,
    }
  }

  /**
   * Waits until the application has answered and nothing has changed for a while, and where its active window has closed, until another one is
   * active. A simulated desktop has changed by now.
   */
  async #settle(call: Pick<Call, 'kind'>, node: UiNode | undefined, signal: AbortSignal, active?: string): Promise<void> {
    const { tree, observe, desktop } = this.#on
    if (desktop === 'virtual') return tree.sync()
    const { quietMs, mostMs } = call.kind === 'launch' ? STARTING : QUIET
    const key = node?.key ?? tree.activeWindow
    const end = performance.now() + mostMs
    do {
      // Once it answers, it is through with what it was sent.
      if (key !== undefined) await observe.check([key], within(ASK_MS, signal)).catch(() => undefined)
    } while (((await tree.changed(quietMs, signal)) || this.#isBetween(active)) && performance.now() < end)
  }

  /** Whether the window that was active is not there any more, and no other one has become so. */
  #isBetween(active: string | undefined): boolean {
    const { tree } = this.#on
    const was = active === undefined ? undefined : tree.node(active)
    const isClosed = active !== undefined && (was === undefined || was.states?.visible === false)
    return isClosed && (tree.activeWindow === undefined || tree.activeWindow === active)
  }

  #noteMarks({ id }: Principal): void {
    const marked = this.#marked.get(id)
    if (marked !== undefined) for (const { key, name } of this.#on.tree.places) if (isMarked(name)) marked.add(key)
  }

  /** A mark that came and went between the parts of a call is no difference before and after it. */
  #markGone({ kind, principal }: Call): string | undefined {
    const { tree, see, refs } = this.#on
    const marked = kind === 'code' ? this.#marked.get(principal.id) : undefined
    const node = marked?.has(tree.activeWindow ?? '') ? see(principal).see(tree.activeWindow) : undefined
    if (node === undefined || isMarked(node.name)) return undefined
    return `now ${refs.show(node, principal)} ${label(node)} (${NOT_MARKED})`
  }

  /** What is known of the outcome of a command to save, where nothing that changed tells it. */
  #whetherSaved({ kind, args, principal }: Call, { resolvedTarget, sent, data }: Result): string | undefined {
    const { left, failed } = Object(kind === 'code' ? data : undefined) as { left?: number; failed?: number }
    const last: unknown = kind === 'code' ? Object([Object(args)['steps']].flat().at(-1))['args'] : args
    const keys: unknown[] = [Object(last)['keys']].flat()
    const isAsked =
      keys.some((key) => /^(?:ctrl|control|cmd|meta)\+s$/i.test(String(key))) || /^\s*save\s*$/i.test(resolvedTarget?.name ?? '')
    if (!isAsked || failed !== undefined || (left ?? 0) > 0 || sent === 'none') return undefined
    const title = this.#on.see(principal).see(this.#on.tree.activeWindow)?.name
    return isMarked(title) ? 'The title still marks unsaved changes.' : 'Nothing that shows says whether it was saved.'
  }

  /** What gets the next key, where the focus moved, or where keys were sent to something else. */
  #nextKey({ kind, principal }: Call, target: UiNode | undefined, before: Before, told: string): string | undefined {
    const { tree, see, refs } = this.#on
    const { focus, activeWindow } = tree
    const isKeyboard = kind === 'key' || kind === 'type'
    if (isKeyboard && activeWindow === undefined && focus === undefined) return NONE_ACTIVE
    const key = focus ?? activeWindow
    const node = see(principal).see(key)
    if (node === undefined || (focus === before.focus && (!isKeyboard || key === target?.key))) return undefined
    // The target has the focus, which the answer need not say beside something else.
    if (key === target?.key && told !== '') return undefined
    const id = refs.show(node, principal)
    return new RegExp(`\\b${id} .* focused`).test(told) ? undefined : `The next key goes to ${id} ${label(node)}.`
  }
}

const NOT_IN_VIEW = 'what changed is nothing that the outline shows'
