import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { KeyEvent, Point, PointerEvent } from '@deskhand/core/model'
import { user32, WINE } from '../win32/api.ts'
import { pointerAt, type SendInput } from '../win32/input.ts'

/** After so many characters other work gets its turn, and after so many more the guard is asked again. */
const CHUNK = 8
const LOOK = 64
const SLICE_MS = 20
/** The pointer is taken to stay where it was seen so often, with so much time in between. */
const STILL = 4
const STILL_MS = 8
const CAPITAL = 0x14
const HELD = { Shift: 0x10, Control: 0x11, Alt: 0x12 } as const

/** What a long step asks between two events. */
export interface Pace {
  /** False when the lease, the caller's patience or the deadline is over. */
  mayGoOn(): boolean
  /** True when the guard still holds. */
  holds(): Promise<boolean>
}

/** How far a step came. */
export interface Progress {
  units: number
  total: number
}

export async function pointerEvents(input: SendInput, events: readonly PointerEvent[], pace: Pace): Promise<Progress> {
  const total = events.length
  let units = 0
  let at: Point | undefined
  for (const event of events) {
    if (!pace.mayGoOn()) break
    switch (event.type) {
      case 'move':
        input.move(event)
        at = event
        break
      case 'down':
        if (!(await arrived(input, at, pace))) return { units, total }
        input.press(event.button)
        break
      case 'up':
        input.release(event.button)
        break
      case 'wheel':
        if (!(await arrived(input, at, pace))) return { units, total }
        input.wheel(Math.round(event.dx), Math.round(event.dy))
        break
      case 'pause':
        if (!(await pause(event.ms, pace))) return { units, total }
        break
      default:
        event satisfies never
    }
    units++
  }
  // A caller that asks where the pointer is gets the place that it was sent to.
  await arrived(input, at, pace)
  return { units, total }
}

/** Waits until the pointer stays where it was sent; under Wine an older move can come back from the X server and undo a newer one. */
async function arrived(input: SendInput, at: Point | undefined, pace: Pace): Promise<boolean> {
  for (let still = 0; at !== undefined && still < STILL; still++) {
    if (!pace.mayGoOn()) return false
    const now = pointerAt()
    if (Math.max(Math.abs(now.x - at.x), Math.abs(now.y - at.y)) > 1) {
      input.move(at)
      still = -1
    } else if (WINE === undefined) return true
    await sleep(STILL_MS)
  }
  return true
}

export async function keyEvents(input: SendInput, events: readonly KeyEvent[], pace: Pace): Promise<Progress> {
  let units = 0
  for (const event of events) {
    if (!pace.mayGoOn()) break
    if (event.type === 'pause') {
      if (!(await pause(event.ms, pace))) break
    } else if (event.type === 'down') input.keyDown(event.key)
    else input.keyUp(event.key)
    units++
  }
  return { units, total: events.length }
}

/** Types a text exactly, one character after the other, so that a stop falls between two of them. */
export async function typeText(input: SendInput, text: string, pace: Pace): Promise<Progress> {
  const characters = [...text.replaceAll('\r\n', '\n')]
  const total = characters.length
  const down = Object.entries(HELD).filter(([, vk]) => (user32.GetAsyncKeyState(vk) & 0x8000) !== 0)
  if (down.length > 0)
    throw new DeskhandError(
      'NOT_ACTIONABLE',
      `${down.map(([key]) => key).join(' and ')} is held down, so the text would become something else`,
    )
  const isCapital = (user32.GetKeyState(CAPITAL) & 1) !== 0
  if (isCapital) tap(input, 'CapsLock')
  let units = 0
  try {
    for (const character of characters) {
      if (units > 0 && units % CHUNK === 0) await sleep(1)
      if (units > 0 && units % LOOK === 0 && !(await pace.holds())) break
      if (!pace.mayGoOn()) break
      input.character(character)
      units++
    }
  } finally {
    if (isCapital) tap(input, 'CapsLock')
  }
  return { units, total }
}

function tap(input: SendInput, key: string): void {
  input.keyDown(key)
  input.keyUp(key)
}

async function pause(ms: number, pace: Pace): Promise<boolean> {
  const end = performance.now() + ms
  for (let left = ms; left > 0; left = end - performance.now()) {
    await sleep(Math.min(left, SLICE_MS))
    if (!pace.mayGoOn()) return false
  }
  return true
}
