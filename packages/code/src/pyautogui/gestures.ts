import type { Button, Point, PointerEvent } from '@deskhand/core/model'

/** A gesture made of pointer events; `press` is the number of presses and wheel turns before it, as a session resolves them. */
export type Gesture =
  | { do: 'click'; at: Point; button: Button; count: number; press: number }
  | { do: 'drag'; from: Point; to: Point; button: Button; press: number }
  | { do: 'scroll'; at: Point; dx: number; dy: number; press: number }
  | { do: 'hover'; at: Point }

/** A button that a script holds down between two of its calls. */
export interface Pressed {
  at: Point
  button: Button
  press: number
}

/** The pointer's position and the button it holds. */
export interface Pointer {
  at?: Point
  pressed?: Pressed
}

/** A button released within this distance is a click, beyond it a drag. */
const STILL_PX = 3

/** The gestures in raw events, and the pointer afterwards. A button that is still down makes no gesture yet. */
export function gestures(events: readonly PointerEvent[], before: Pointer): { gestures: Gesture[]; after: Pointer } {
  const found: Gesture[] = []
  let { at, pressed } = before
  let press = 0
  for (const e of events) {
    if (e.type === 'move') at = { x: e.x, y: e.y }
    if (at === undefined) continue
    if (e.type === 'wheel') found.push({ do: 'scroll', at, dx: e.dx, dy: e.dy, press: press++ })
    if (e.type === 'down') pressed = { at, button: e.button, press: press++ }
    if (e.type === 'up' && pressed !== undefined) {
      const { at: from, button } = pressed
      const moved = Math.hypot(at.x - from.x, at.y - from.y) > STILL_PX
      if (moved) found.push({ do: 'drag', from, to: at, button, press: pressed.press })
      else addClick(found, { do: 'click', at: from, button, count: 1, press: pressed.press })
      pressed = undefined
    }
  }
  if (found.length === 0 && at !== undefined && pressed === undefined && events.some((e) => e.type === 'move'))
    found.push({ do: 'hover', at })
  return { gestures: found, after: { at, pressed } }
}

/** Clicks in a row at one place are one click, up to three. */
function addClick(found: Gesture[], click: Extract<Gesture, { do: 'click' }>): void {
  const last = found.at(-1)
  const again =
    last?.do === 'click' && last.button === click.button && last.at.x === click.at.x && last.at.y === click.at.y && last.count < 3
  if (again) last.count++
  else found.push(click)
}
