import { DeskhandError } from '@deskhand/core/errors'
import { ActivityLog, ChangeLog } from '@deskhand/core/driver'
import { union, type AppIdentity, type Point, type Rect } from '@deskhand/core/model'
import type { Clock } from './clock.ts'
import { placePopups } from './layout-popups.ts'
import { layoutWindow } from './layout.ts'
import { isFocusable, setFocus } from './focus.ts'
import { SHADOW } from './metrics.ts'
import { isInside, isLive, windowOf, type Element } from './model/element.ts'
import type { ExecutionResult } from './model/execution.ts'
import type { ThemeName } from './render/theme.ts'
import { buildNode, sameNode } from './tree.ts'

/** Code that the interface had run, and its outcome. */
export interface Execution {
  code: string
  into: string | undefined
  result: ExecutionResult
}

/** A simulated desktop: its elements, and what is active, focused, open and pointed at. Everything else works on it. */
export class Desktop {
  readonly log = new ChangeLog(10_000)
  readonly activity: ActivityLog
  readonly clock: Clock
  screen: { width: number; height: number }
  theme: ThemeName = 'light'
  /** Every element by key, and by the id of its file. */
  readonly elements = new Map<string, Element>()
  readonly byId = new Map<string, Element>()
  readonly apps = new Map<string, AppIdentity>()
  /** In the order in which they were made; and open ones from the bottom to the top. */
  windows: Element[] = []
  stack: Element[] = []
  focus: Element | undefined
  hovered: Element | undefined
  /** Open menus and drop-down lists, the innermost last, and the menu item that the keyboard is on. */
  popups: Element[] = []
  current: Element | undefined
  pointer: Point = { x: 0, y: 0 }
  clipboard = ''
  closed = false
  /** Code that was handed to the session, and the elements that want the answers. */
  readonly requests = new Map<string, { code: string; into: Element | undefined }>()
  /** Called when code that the interface asked for has ended. */
  onExecution: (execution: Execution) => void = () => {}
  #keys = 0
  #requestCount = 0
  #dirty = new Set<Element>()
  #unlaid = new Set<Element>()
  #told: { focus?: Element; window?: Element } = {}

  /** Runs what the interface declares for an event on an element. */
  readonly emit: (el: Element, event: string) => void

  constructor(clock: Clock, screen: { width: number; height: number }, rules: (desk: Desktop, el: Element, event: string) => void) {
    this.clock = clock
    this.screen = screen
    this.activity = new ActivityLog(this.screenRect)
    this.emit = (el, event) => rules(this, el, event)
  }

  get active(): Element | undefined {
    for (let i = this.stack.length - 1; i >= 0; i--) {
      const window = this.stack[i]
      if (window?.frame && window.frame.mode !== 'minimized') return window
    }
    return undefined
  }

  get screenRect(): Rect {
    return { x: 0, y: 0, w: this.screen.width, h: this.screen.height }
  }

  resize(screen: { width: number; height: number }): void {
    if (screen.width === this.screen.width && screen.height === this.screen.height) return
    this.screen = screen
    this.activity.resize(this.screenRect)
    this.log.add({ type: 'screens' })
  }

  nextKey(): string {
    return `v${++this.#keys}`
  }

  nextRequest(): string {
    return `run-${++this.#requestCount}`
  }

  find(key: string): Element | undefined {
    const el = this.elements.get(key)
    return el && isLive(el) ? el : undefined
  }

  need(key: string): Element {
    const el = this.find(key)
    if (!el) throw new DeskhandError('STALE_REF', `The simulated desktop has no element ${key} any more.`)
    return el
  }

  /** Something about the element's own node or pixels changed. */
  touch(el: Element): void {
    this.#dirty.add(el)
  }

  /** Something about sizes, places or visibility in this element's window changed. */
  relayout(el: Element): void {
    this.#unlaid.add(windowOf(el))
  }

  forget(el: Element): void {
    this.elements.delete(el.key)
    if (this.byId.get(el.id) === el) this.byId.delete(el.id)
    this.#dirty.delete(el)
    if (this.focus === el) this.focus = undefined
    if (this.hovered === el) this.hovered = undefined
    if (this.current === el) this.current = undefined
    this.popups = this.popups.filter((p) => !isInside(p, el))
    for (const child of el.children) this.forget(child)
  }

  /** Lays out what moved and tells what changed. Cheap when nothing did. */
  flush(): void {
    if (this.#unlaid.size) {
      const windows = [...this.#unlaid]
      this.#unlaid.clear()
      for (const window of windows) {
        if (!window.frame?.open) continue
        layoutWindow(this, window)
        placePopups(this, window)
      }
      if (this.focus && !isFocusable(this.focus)) setFocus(this, undefined)
    }
    const { focus, active } = this
    if (focus !== this.#told.focus || active !== this.#told.window) {
      for (const el of [this.#told.focus, this.#told.window, focus, active]) if (el && this.elements.has(el.key)) this.#dirty.add(el)
      this.#told = { focus, window: active }
      this.log.add({ type: 'focus', key: focus?.key, window: active?.key })
    }
    if (this.#dirty.size) this.#tell()
  }

  #tell(): void {
    let damage: Rect | undefined
    // Parents first, as the contract asks: a reader cannot place a node whose parent it does not know.
    const tell = (el: Element): void => {
      if (el.parent && !el.parent.node) tell(el.parent)
      const node = buildNode(this, el)
      damage = around(damage, drawnBy(el, el.clip))
      if (el.node && sameNode(el.node, node)) return
      if (el.node?.bounds) damage = around(damage, drawnBy(el, el.node.bounds))
      el.node = node
      this.log.add({ type: 'put', node })
    }
    for (const el of this.#dirty) if (isLive(el)) tell(el)
    this.#dirty.clear()
    if (damage && damage.w > 0) this.activity.draw(damage)
  }
}

/** What is drawn of an element that has these bounds: a window or an entry of a menu has a shadow around it. */
function drawnBy({ frame, kind }: Element, bounds: Rect): Rect {
  const isRaised = frame !== undefined || kind === 'menu' || kind === 'menuitem' || kind === 'option'
  if (!isRaised || bounds.w === 0) return bounds
  const by = SHADOW.reach + SHADOW.down
  return { x: bounds.x - by, y: bounds.y - by, w: bounds.w + 2 * by, h: bounds.h + 2 * by }
}

/** The union, in which a hidden element, of width 0, does not count. */
function around(a: Rect | undefined, b: Rect): Rect {
  if (!a || a.w === 0) return b
  return b.w === 0 ? a : union(a, b)
}
