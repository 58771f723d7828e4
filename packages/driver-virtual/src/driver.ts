import { randomUUID } from 'node:crypto'
import { packageVersion, type Driver, type Step } from '@deskhand/core/driver'
import type { Point, Rect } from '@deskhand/core/model'
import { Actor } from './act.ts'
import { loadUi } from './build.ts'
import { manualClock, realClock } from './clock.ts'
import { describeDesktop } from './describe.ts'
import { Desktop, type Execution } from './desktop.ts'
import { windowOf } from './model/element.ts'
import { parseUiFile, type UiFile, type VirtualInputElementDescription } from './model/ui-file.ts'
import { observeDesktop } from './observe.ts'
import { emit } from './rules.ts'
import { setState } from './values.ts'
import { humanInput } from './human.ts'

export interface VirtualOptions {
  /** A list of elements or `{ windows: … }`, as an object or as JSON text; an empty desktop when left out. */
  ui?: unknown
  /** The screen's size; before that the file's, before that 1280 x 800. */
  width?: number
  height?: number
  /** `manual` (default): time moves only when something waits for it. */
  clock?: 'manual' | 'real'
  /** The URN of this desktop. */
  desktop?: string
  /** The life of it that keys belong to; random when left out. */
  epoch?: string
}

/** A simulated desktop, as a driver and as something to look into. */
export interface VirtualDriver extends Driver {
  /** Replaces the user interface; a bad one is refused with BAD_UI_FILE and nothing changes. */
  load(ui: unknown): void
  /** The elements as AVIS describes them. */
  describe(): VirtualInputElementDescription[]
  state(): {
    cursor: Point
    focused: string | undefined
    hovered: string | undefined
    screen: { width: number; height: number }
    nowMs: number
  }
  /** The driver's key of an element of the file, while it is on an open window. */
  keyOf(elementId: string): string | undefined
  /** Where an element and its window lie, while they can be seen; without an id the active window. */
  boundsOf(elementId?: string): { element: Rect; window: Rect } | undefined
  /** Writes a value as the application itself would. */
  set(elementId: string, value: unknown): boolean
  /** Moves a manual clock on, running what falls due. */
  advance(ms: number): void
  /** Has this called whenever code that the interface asked for has ended. */
  onExecution(listener: (execution: Execution) => void): void
  /** Input by a simulated person: it needs no lease, and readers are told. */
  human(step: Extract<Step, { do: 'pointer' | 'keys' | 'text' }>): void
}

const VERSION = packageVersion(import.meta.url)

export function openVirtual(options: VirtualOptions = {}): VirtualDriver {
  let ui: UiFile = parseUiFile(options.ui ?? [])
  const clock = options.clock === 'real' ? realClock() : manualClock()
  const screen = { width: options.width ?? ui.screen?.width ?? 1280, height: options.height ?? ui.screen?.height ?? 800 }
  const desk = new Desktop(clock, screen, emit)
  const act = new Actor(desk, () => ui)
  loadUi(desk, { ...ui, screen })
  desk.flush()
  const identity = {
    name: 'virtual',
    version: VERSION,
    desktop: options.desktop ?? 'urn:deskhand:virtual:default',
    epoch: options.epoch ?? randomUUID(),
  }
  return {
    observe: observeDesktop(desk, () => ui, identity),
    act,
    async close() {
      await act.stop()
      clock.clear()
      desk.closed = true
      desk.log.wake()
      desk.activity.close()
    },
    load(input) {
      const next = parseUiFile(input)
      ui = next
      loadUi(desk, next)
      desk.flush()
      desk.log.add({ type: 'can' })
    },
    describe: () => describeDesktop(desk),
    state: () => ({
      cursor: { ...desk.pointer },
      focused: desk.focus?.id,
      hovered: desk.hovered?.id,
      screen: { ...desk.screen },
      nowMs: clock.now(),
    }),
    keyOf(elementId) {
      const el = desk.byId.get(elementId)
      return el && desk.find(el.key)?.key
    },
    boundsOf(elementId) {
      const el = elementId === undefined ? desk.active : desk.byId.get(elementId)
      return el && desk.find(el.key) && el.shown ? { element: el.clip, window: windowOf(el).rect } : undefined
    },
    set(elementId, value) {
      const el = desk.byId.get(elementId)
      if (!el) return false
      setState(desk, el, value)
      desk.flush()
      return true
    },
    advance(ms) {
      clock.advance(ms)
      desk.flush()
    },
    onExecution(listener) {
      desk.onExecution = listener
    },
    human: (step) => humanInput(desk, act, step),
  }
}
