import { WINDOWS, type Point } from '@deskhand/core/model'
import type { Touched } from '@deskhand/core/session'
import { gestures, type Gesture, type Pointer } from './gestures.ts'
import type { ScriptAction, ScriptActions } from './script-port.ts'
import { FIELDS } from './rehearse.ts'
import { strokes, type Stroke } from './strokes.ts'

/** A call as `deskhand call --stdin` reads it. */
export interface ToolCall {
  tool: string
  args: Record<string, unknown>
}

/** What an action would touch now. */
type Look = (kind: 'pointer' | 'keys' | 'click_xy', args: unknown) => Promise<Touched[]>

/** Roles in which the position of a click matters more than the element. */
// oxfmt-ignore
const PLACES: ReadonlySet<string> = new Set([
  ...WINDOWS, 'desktop', 'application', 'group', 'panel', 'scrollpane', 'tabpanel', 'form', 'document', 'canvas', 'image', 'table', 'list',
  'tree', 'slider', 'scrollbar', 'unknown',
])
/** Keys that may move the focus. */
const MOVES_ON = /(^|\+)(Tab|Enter|Escape)$/
/** The press of a button that an earlier call left down. */
const BEFORE = -1
const PATIENCE_MS = 1_000
const LONGEST_MS = 600_000

/** Writes a script's actions as governed calls by selectors: an action on a pixel becomes one on the element there. */
export class ToolWriter {
  readonly #look: Look
  #pointer: Pointer & { touched?: Touched } = {}
  readonly #held = new Set<string>()
  #copied: string | undefined
  #waited = 0
  readonly #rehearsed: boolean
  /** In a rehearsal: the expected focus; `null` when it is unknown. */
  #imagined: { target?: object } | null | undefined

  /** `rehearsed`: no action is really sent, so the writer has to track the focus. */
  constructor(look: Look, { rehearsed = false } = {}) {
    this.#look = look
    this.#rehearsed = rehearsed
  }

  /** A sleep of the script becomes a longer timeout of the next call. */
  waited(ms: number): void {
    this.#waited += ms
  }

  /** The calls for an action; to be called before the action changes what it touches. */
  async write<K extends ScriptAction>(kind: K, args: ScriptActions[K]): Promise<ToolCall[]> {
    const calls = await this.#calls(kind, args)
    const [first] = calls
    if (first !== undefined && this.#waited >= PATIENCE_MS && !NO_PATIENCE.has(first.tool)) {
      first.args['timeoutMs'] = Math.min(LONGEST_MS, Math.round(PATIENCE_MS + this.#waited))
    }
    if (first !== undefined) this.#waited = 0
    return calls
  }

  async #calls<K extends ScriptAction>(kind: K, args: ScriptActions[K]): Promise<ToolCall[]> {
    if (kind === 'pointer' && 'events' in args) return this.#pointed({ events: args.events.filter(isPointer) })
    if (kind === 'keys' && 'events' in args) return this.#pressed({ events: args.events.filter(isKey) })
    if (kind === 'clipboard_write' && 'text' in args) this.#copied = args.text
    if (kind !== 'type' || !('text' in args)) return []
    const target = await this.#focus()
    return [
      {
        tool: 'ui.type',
        args: { ...target, ...('redactInLogs' in args && args.redactInLogs ? { secret: 'password' } : { text: args.text }) },
      },
    ]
  }

  async #pointed(args: ScriptActions['pointer']): Promise<ToolCall[]> {
    const held = this.#pointer
    const touched = await this.#look('pointer', args)
    const { gestures: found, after } = gestures(args.events, held)
    const { pressed } = after
    const clicked = touched.at(-1)
    if (found.some((g) => g.do === 'click' || g.do === 'drag')) this.#imagined = clicked && FIELDS.has(clicked.role) ? on(clicked) : null
    this.#pointer =
      pressed === undefined ? after : { ...after, pressed: { ...pressed, press: BEFORE }, touched: touched[pressed.press] ?? held.touched }
    const calls: ToolCall[] = []
    for (const g of found) {
      const on = 'press' in g ? (g.press === BEFORE ? held.touched : touched[g.press]) : undefined
      const call = await this.#gesture(g, on)
      if (call !== undefined) calls.push(call)
    }
    return calls
  }

  async #gesture(g: Gesture, on: Touched | undefined): Promise<ToolCall | undefined> {
    switch (g.do) {
      case 'click': {
        const how = { button: g.button, clickCount: g.count }
        const named = element(on)
        if (named === undefined) return { tool: 'ui.click_xy', args: { ...place(g.at, on), ...how } }
        const modifiers = [...this.#held]
        return { tool: 'ui.click', args: { target: named, ...how, ...(modifiers.length === 0 ? {} : { modifiers }) } }
      }
      case 'drag': {
        const [end] = await this.#look('click_xy', g.to)
        return { tool: 'ui.drag', args: { from: element(on) ?? place(g.from, on), to: element(end) ?? place(g.to, end) } }
      }
      case 'scroll':
        return {
          tool: 'ui.scroll',
          args: { ...(on?.selector === undefined ? {} : { target: { selector: on.selector } }), deltaX: g.dx, deltaY: g.dy },
        }
      case 'hover': {
        const [under] = await this.#look('click_xy', g.at)
        const target = element(under)
        return target && { tool: 'ui.hover', args: { target } }
      }
      default:
        return g satisfies never
    }
  }

  async #pressed(args: ScriptActions['keys']): Promise<ToolCall[]> {
    let target = await this.#focus()
    return strokes(args.events, this.#held).map((stroke) => {
      const call = this.#stroke(stroke, target)
      if (stroke.do === 'chord' && MOVES_ON.test(stroke.keys)) {
        target = {}
        this.#imagined = null
      }
      return call
    })
  }

  #stroke(stroke: Stroke, target: { target?: object }): ToolCall {
    if (stroke.do === 'text') return { tool: 'ui.type', args: { ...target, text: stroke.text } }
    // Pasting a text that the script copied is written as typing it.
    if (this.#copied !== undefined && /^(Control|Meta)\+v$/i.test(stroke.keys))
      return { tool: 'ui.type', args: { ...target, text: this.#copied } }
    return { tool: 'ui.key', args: { ...target, keys: stroke.keys } }
  }

  async #focus(): Promise<{ target?: object }> {
    if (this.#rehearsed && this.#imagined !== undefined) return this.#imagined ?? {}
    return on((await this.#look('keys', { events: [{ type: 'pause', ms: 0 }] }))[0])
  }
}

/** Joins consecutive texts for one element into one call; `end` writes the last one. */
export function joining(write: (call: ToolCall) => void): { write(call: ToolCall): void; end(): void } {
  let last: ToolCall | undefined
  const end = (): void => {
    if (last !== undefined) write(last)
    last = undefined
  }
  return {
    end,
    write: (call) => {
      const [before, next] = [textOf(last), textOf(call)]
      if (last !== undefined && before !== undefined && next !== undefined && restOf(last) === restOf(call)) {
        last = { ...last, args: { ...last.args, text: before + next } }
        return
      }
      end()
      last = call
    },
  }
}

const textOf = (call: ToolCall | undefined): string | undefined =>
  call?.tool === 'ui.type' && typeof call.args['text'] === 'string' ? call.args['text'] : undefined
const restOf = ({ args }: ToolCall): string => JSON.stringify({ ...args, text: undefined })

const NO_PATIENCE: ReadonlySet<string> = new Set(['ui.click_xy'])

const isPointer = (e: { type: string }): e is ScriptActions['pointer']['events'][number] => !('key' in e)
const isKey = (e: { type: string }): e is ScriptActions['keys']['events'][number] => 'key' in e || e.type === 'pause'

function on(touched: Touched | undefined): { target?: object } {
  const target = element(touched)
  return target === undefined ? {} : { target }
}

function element(touched: Touched | undefined): { selector: string } | undefined {
  if (touched?.selector === undefined || PLACES.has(touched.role)) return undefined
  return { selector: touched.selector }
}

/** A position relative to its window where there is one, so that it stays right when the window moves. */
function place(at: Point, on: Touched | undefined): Record<string, unknown> {
  if (on?.window === undefined) return { x: at.x, y: at.y }
  return { x: at.x - on.window.x, y: at.y - on.window.y, coordinateSpace: 'window' }
}
