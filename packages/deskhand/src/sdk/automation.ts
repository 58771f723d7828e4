import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { Point, Screen, keyProblem, toKey, type PointerEvent, type Result } from '@deskhand/core/model'
import { ScreenRegion } from './accessibility.ts'
import type { HoldingDesk } from './desk.ts'

export interface AutomationOptions {
  /** The pointer in a corner of the screen aborts. */
  fail_safe?: boolean
  /** Seconds after every action, per typed character, and for a move and a drag; zero is as fast as the desktop takes it. */
  pause?: number
  interval?: number
  move_duration?: number
  drag_duration?: number
}

type Button = 'left' | 'right' | 'middle'
const STEP_MS = 20

/**
 * Mouse and keyboard by pixels, for people who come from PyAutoGUI, on a desktop that was opened or connected to. Every call is an action
 * of the session, judged by the element under the pixel.
 */
export class GUIAutomation {
  readonly #desk: HoldingDesk
  readonly #options: Required<AutomationOptions>
  readonly #held = new Set<string>()
  #hold?: string

  constructor(desk: HoldingDesk, options: AutomationOptions = {}) {
    this.#desk = desk
    const { fail_safe = true, pause = 0.1, interval = 0.05, move_duration = 0.25, drag_duration = 0.5 } = options
    for (const [name, value] of Object.entries({ pause, interval, move_duration, drag_duration })) milliseconds(name, value)
    this.#options = { fail_safe, pause, interval, move_duration, drag_duration }
  }

  async click(x: number, y: number, button: Button = 'left', clicks = 1): Promise<void> {
    await this.#act('click_xy', { x, y, button, clickCount: clicks })
  }

  double_click(x: number, y: number): Promise<void> {
    return this.click(x, y, 'left', 2)
  }

  right_click(x: number, y: number): Promise<void> {
    return this.click(x, y, 'right')
  }

  async drag(start_x: number, start_y: number, end_x: number, end_y: number, duration = this.#options.drag_duration): Promise<void> {
    await this.#act('drag', {
      from: { x: start_x, y: start_y },
      to: { x: end_x, y: end_y },
      durationMs: milliseconds('duration', duration),
    })
  }

  /** Where x or y is left out or null, the pointer stays. */
  async scroll(clicks: number, x?: number | null, y?: number | null): Promise<void> {
    const events: PointerEvent[] = [{ type: 'wheel', dx: 0, dy: -clicks }]
    if (typeof x === 'number' || typeof y === 'number') {
      const [pointerX, pointerY] = await this.get_mouse_position()
      events.unshift({ type: 'move', x: x ?? pointerX, y: y ?? pointerY })
    }
    await this.#act('pointer', { events })
  }

  async move_to(x: number, y: number, duration = this.#options.move_duration): Promise<void> {
    const steps = Math.max(1, Math.round(milliseconds('duration', duration) / STEP_MS))
    const [fromX, fromY] = await this.get_mouse_position()
    const events: PointerEvent[] = []
    for (let i = 1; i <= steps; i++) {
      events.push({ type: 'move', x: fromX + ((x - fromX) * i) / steps, y: fromY + ((y - fromY) * i) / steps })
      if (i < steps) events.push({ type: 'pause', ms: STEP_MS })
    }
    await this.#act('pointer', { events })
  }

  async type_text(text: string, interval = this.#options.interval): Promise<void> {
    const ms = milliseconds('interval', interval)
    if (ms === 0) return this.#act('type', { text }).then(() => {})
    for (const character of text) {
      await this.#act('type', { text: character }, 0)
      await sleep(ms)
    }
    return this.#pause()
  }

  press(key: string): Promise<void> {
    return this.hotkey(key)
  }

  async hotkey(...keys: string[]): Promise<void> {
    await this.#act('key', { keys: keys.map((k) => (k === '+' ? 'plus' : k)).join('+') })
  }

  /** Holds a key, and with it the input lease, until `key_up`. */
  async key_down(name: string): Promise<void> {
    const key = keyNamed(name)
    await this.#take()
    try {
      await this.#act('keys', { events: [{ type: 'down', key }] })
      this.#held.add(key)
    } finally {
      if (this.#held.size === 0) await this.#release()
    }
  }

  /** Lets a key go; whatever becomes of the call, the key is not held any more. */
  async key_up(name: string): Promise<void> {
    const key = keyNamed(name)
    this.#held.delete(key)
    try {
      await this.#act('keys', { events: [{ type: 'up', key }] })
    } catch (thrown) {
      await this.#release()
      throw thrown
    }
    if (this.#held.size === 0) await this.#release()
  }

  /** A screenshot as PNG. */
  async screenshot(region?: ScreenRegion): Promise<Buffer> {
    const { images } = await this.#act('capture', { region: region && { x: region.x, y: region.y, w: region.width, h: region.height } }, 0)
    const [image] = images ?? []
    if (image === undefined) throw new DeskhandError('NOT_CAPABLE', 'no picture came back')
    return Buffer.from(image.data)
  }

  async screenshot_base64(region?: ScreenRegion): Promise<string> {
    return (await this.screenshot(region)).toString('base64')
  }

  /** Where a picture of the operator's folders lies, or null. Several places that look like it are an error. */
  async locate_on_screen(image_path: string, confidence = 0.9): Promise<ScreenRegion | null> {
    const { region } = Located.parse((await this.#act('locate', { image_path, confidence }, 0)).data)
    return region && new ScreenRegion(region.x, region.y, region.width, region.height)
  }

  async get_screen_size(): Promise<[number, number]> {
    const { screens } = await this.#screens()
    const screen = screens.find((s) => s.primary) ?? screens[0]
    return [screen?.bounds.w ?? 0, screen?.bounds.h ?? 0]
  }

  async get_mouse_position(): Promise<[number, number]> {
    const { pointer } = await this.#screens()
    return [pointer.x, pointer.y]
  }

  async #screens(): Promise<{ screens: Screen[]; pointer: Point }> {
    return Screens.parse((await this.#act('screens', {}, 0)).data)
  }

  async #act(kind: keyof typeof TOOL, args: unknown, pause = this.#options.pause): Promise<Result> {
    if (this.#options.fail_safe && !LOOKS.has(kind)) await this.#refuseInCorner()
    const result = await this.#desk.call(TOOL[kind], args, { hold: this.#hold })
    // What comes next is done without them.
    if (result.error?.code === 'LEASE_LOST') await this.#release()
    if (result.error !== undefined) throw DeskhandError.revive(result.error)
    if (pause > 0) await sleep(pause * 1000)
    return result
  }

  #pause(): Promise<void> {
    return this.#options.pause > 0 ? sleep(this.#options.pause * 1000) : Promise.resolve()
  }

  async #refuseInCorner(): Promise<void> {
    const { screens, pointer } = await this.#screens()
    const corner = screens.some(
      ({ bounds: b }) => (pointer.x <= b.x || pointer.x >= b.x + b.w - 1) && (pointer.y <= b.y || pointer.y >= b.y + b.h - 1),
    )
    if (corner && this.#moved) {
      await this.#release()
      throw new DeskhandError('STOPPED', 'the pointer is in a corner of the screen: the fail-safe aborts', {
        next: 'Move the pointer out of the corner.',
      })
    }
    this.#moved ||= !corner
  }
  /** A pointer that has been in the corner all along was not moved there by a person. */
  #moved = false

  async #take(): Promise<void> {
    this.#hold ??= await this.#desk.hold()
  }

  /** Gives the lease back, and with it every key that is held. */
  async #release(): Promise<void> {
    const hold = this.#hold
    this.#hold = undefined
    this.#held.clear()
    if (hold !== undefined) await this.#desk.release(hold)
  }
}

/** Actions by the tools that make them. */
const TOOL = {
  click_xy: 'ui.click_xy',
  drag: 'ui.drag',
  type: 'ui.type',
  key: 'ui.key',
  pointer: 'input.pointer',
  keys: 'input.keys',
  capture: 'input.capture',
  screens: 'input.screens',
  locate: 'gui_locate_on_screen',
} as const

/** What moves nothing is no reason to look where the pointer is. */
const LOOKS: ReadonlySet<keyof typeof TOOL> = new Set(['screens', 'capture', 'locate'])

const side = z.number()
const Located = z.object({ region: z.object({ x: side, y: side, width: side, height: side }).nullable() })
const Screens = z.object({ screens: z.array(Screen), pointer: Point })

function keyNamed(name: string): string {
  const key = toKey(name)
  if (key === undefined) throw new DeskhandError('BAD_ARGS', keyProblem(name))
  return key
}

const LONGEST_S = 60

/** Seconds as people give them; what a clock cannot count is refused. */
function milliseconds(name: string, seconds: number): number {
  if (!(seconds >= 0 && seconds <= LONGEST_S))
    throw new DeskhandError('BAD_ARGS', `${name} is ${seconds}; it must be between 0 and ${LONGEST_S} seconds`, {
      next: 'Give the time in seconds; 0 is as fast as the desktop takes it.',
    })
  return Math.round(seconds * 1000)
}
