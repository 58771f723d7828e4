import { DeskhandError } from '@deskhand/core/errors'
import type { KeyEvent, Point, PointerEvent } from '@deskhand/core/model'
import type { Input } from '../display-server.ts'
import { keysymOf, symbolsOf } from '../keysyms.ts'

/** After so many characters the application may catch up, and the guard is asked again, even if nothing was seen to move. */
const CHUNK = 32
const SLICE_MS = 20
/** The wheel is turned by so many notches at once, and after so many the application may catch up. */
const TURN = 8
const TURNS_AHEAD = 40
/** How long Qt shows a button as pressed, and a little more. */
const REPEAT_MS = 120
const FORGET_MS = 2000
/** How long Qt needs to know that Alt is down; a letter before that opens no menu. */
const ALT_MS = 50
/** Between two characters for such an application. An emulated PC keeps fifteen that its program has not read yet. */
const SLOW_MS = 20
/** Keys besides characters that may be a button's shortcut. */
const SHORTCUTS: ReadonlySet<string> = new Set(['Enter', 'Backspace', 'Delete', 'Escape', 'Space'])

/** What a long step asks between two events. */
export interface Pace {
  /** False when the lease, the caller's patience or the deadline is over. */
  mayGoOn(): boolean
  /** True when the keyboard may have gone elsewhere since this was last asked. */
  moved(): boolean
  /** True when the guard still holds. */
  holds(): Promise<boolean>
  /** Waits until the application with the keyboard has taken in what was sent; false when it hangs. */
  caughtUp(): Promise<boolean>
  /** The application with the keyboard would drop a key that comes again at once. */
  dropsRepeats(): boolean
  /** The application with the keyboard would not see a key that follows Alt at once as a chord. */
  missesFastAlt(): boolean
  /** Nothing tells what the application with the keyboard has taken in, and it may drop what comes faster than a person types. */
  readsSlowly(): boolean
  /** Sends this at once and only where what was judged still lies under the pointer, as one; false when something else does. */
  sendTo(at: Point | undefined, send: () => void): Promise<boolean>
  /** Whether what the wheel scrolls may bring something under the pointer that would take it. */
  mindsWheel(): boolean
  /** Waits until the last notch has been taken in; false when the next one would go to a control that was not judged. */
  mayTurn(at: Point | undefined): Promise<boolean>
  /** Nothing lies where the first press goes, so no window manager holds it back. */
  isLoose: boolean
}

/** How far a step came. */
export interface Progress {
  units: number
  total: number
  /** How far the wheel was turned. */
  notches?: number
}

export async function pointerEvents(input: Input, events: readonly PointerEvent[], pace: Pace): Promise<Progress> {
  const total = events.length
  let units = 0
  let notches: number | undefined
  let at: Point | undefined
  let hasPressed = false
  for (const [i, event] of events.entries()) {
    if (!pace.mayGoOn()) break
    const isThere = event.type === 'move' && event.x === at?.x && event.y === at.y
    const isLast = i === events.length - 1
    switch (event.type) {
      case 'move':
        input.move(event.x, event.y)
        at = event
        break
      case 'down':
        // What lay there when the pointer set out may have moved away since.
        if (units > 0 && pace.moved() && !(await pace.holds())) return { units, total, notches }
        await input.clicked()
        {
          const press = (): void => input.press(event.button, !pace.isLoose || hasPressed)
          if (hasPressed) press()
          else if (!(await pace.sendTo(input.at, press))) return { units: 0, total }
        }
        hasPressed = true
        break
      case 'up':
        input.release(event.button)
        break
      case 'wheel':
        {
          if (!hasPressed && !(await pace.sendTo(input.at, () => {}))) return { units: 0, total }
          hasPressed = true
          const turned = await turn(input, event.dx, event.dy, pace)
          notches = (notches ?? 0) + turned.notches
          if (!turned.isAll) return { units, total, notches }
        }
        break
      case 'pause':
        if (!(await pause(event.ms, pace))) return { units, total, notches }
        break
      default:
        event satisfies never
    }
    // No caller waits for a move alone; the next event that one waits for comes after it in any case.
    if (event.type === 'move' && isLast && !input.isPressing) input.deliverLater()
    // A move to where the pointer already is, or to where it presses at once, tells the application nothing that would have to be waited for.
    else if (isLast || !(isThere || isApproach(events, i) || isTap(events, i, at))) await input.delivered()
    units++
  }
  return { units, total, notches }
}

/** Turns the wheel in small parts: an application that is flooded with notches drops some. */
async function turn(input: Input, dx: number, dy: number, pace: Pace): Promise<{ notches: number; isAll: boolean }> {
  let notches = 0
  let ahead = 0
  const most = pace.mindsWheel() ? 1 : TURN
  for (const [way, whole] of [['y', Math.round(dy)] as const, ['x', Math.round(dx)] as const]) {
    for (let left = Math.abs(whole); left > 0;) {
      if (!pace.mayGoOn()) return { notches, isAll: false }
      if (most === 1 && notches > 0 && !(await pace.mayTurn(input.at))) return { notches, isAll: false }
      const part = Math.min(left, most)
      const signed = part * Math.sign(whole)
      input.wheel(way === 'x' ? signed : 0, way === 'y' ? signed : 0)
      await input.delivered()
      left -= part
      notches += part
      ahead += part
      if (ahead < TURNS_AHEAD || left === 0) continue
      ahead = 0
      if (!(await pace.caughtUp())) return { notches, isAll: false }
    }
  }
  return { notches, isAll: true }
}

/** Whether the next thing that happens after a move is a press, at the same place. */
function isApproach(events: readonly PointerEvent[], i: number): boolean {
  const move = events[i]
  if (move?.type !== 'move') return false
  const next = events.slice(i + 1).find((e) => e.type !== 'move' || e.x !== move.x || e.y !== move.y)
  return next?.type === 'down'
}

/** Whether what is pressed here is let go at once, and here: both go out together. */
function isTap(events: readonly PointerEvent[], i: number, at: Point | undefined): boolean {
  const press = events[i]
  const next = events.slice(i + 1).find((e) => e.type !== 'move' || e.x !== at?.x || e.y !== at.y)
  return press?.type === 'down' && next?.type === 'up' && next.button === press.button
}

export async function keyEvents(input: Input, events: readonly KeyEvent[], pace: Pace): Promise<Progress> {
  let units = 0
  if (events.length === 0) return { units, total: 0 }
  await Promise.all([input.keymap.load(), input.clicked()])
  for (const event of events) {
    if (!pace.mayGoOn()) break
    if (event.type === 'pause') {
      if (!(await pause(event.ms, pace))) break
    } else if (event.type === 'down') {
      const symbol = [...event.key].length === 1 || SHORTCUTS.has(event.key) ? keysymOf(event.key) : undefined
      if (symbol !== undefined && !(await mayStrike(input, symbol, pace))) break
      await input.keyDown(event.key)
      if (event.key === 'Alt' && pace.missesFastAlt() && !((await pace.caughtUp()) && (await pause(ALT_MS, pace)))) break
    } else await input.keyUp(event.key)
    await input.delivered()
    units++
  }
  return { units, total: events.length }
}

/** Types a text exactly: each character is delivered before the next but one, so that a stop falls between two of them. */
export async function typeText(input: Input, text: string, pace: Pace): Promise<Progress> {
  const symbols = symbolsOf(text)
  const { down, capsLock } = await input.modifiers()
  if (down.length > 0)
    throw new DeskhandError('NOT_ACTIONABLE', `${down.join(' and ')} is held down, so the text would become something else`)
  await Promise.all([input.keymap.load(), input.clicked()])
  if (capsLock) await input.tap('CapsLock')
  try {
    return await strikeAll(input, symbols, pace)
  } finally {
    if (capsLock) await input.tap('CapsLock')
  }
}

async function strikeAll(input: Input, symbols: readonly number[], pace: Pace): Promise<Progress> {
  const total = symbols.length
  let units = 0
  let reached = 0
  let before: Promise<void> = Promise.resolve()
  const isSlow = pace.readsSlowly()
  while (units < total) {
    if (units === reached) {
      const ahead = symbols.slice(units)
      reached = units + input.keymap.reach(ahead)
      if (!(await input.keymap.borrow(symbols.slice(units, reached), pace.caughtUp))) break
    }
    if (units > 0 && units % CHUNK === 0 && !(await pace.caughtUp())) break
    if (units > 0 && (units % CHUNK === 0 || pace.moved()) && !(await holdsStill(pace))) break
    const symbol = symbols[units]
    if (symbol === undefined || !pace.mayGoOn()) break
    if (!(await mayStrike(input, symbol, pace))) break
    const { delivered } = await input.strike(symbol)
    units++
    await before
    before = delivered
    if (isSlow && !(await pause(SLOW_MS, pace))) break
  }
  await before
  return { units, total }
}

/** Waits until a key that was just struck, in this step or the one before, is heeded when it is struck again; false when the step is over. */
async function mayStrike(input: Input, symbol: number, pace: Pace): Promise<boolean> {
  const { struck } = input
  if (struck?.symbol === symbol && performance.now() - struck.at < FORGET_MS && pace.dropsRepeats())
    if (!(await pace.caughtUp()) || !(await pause(REPEAT_MS, pace))) return false
  input.struck = { symbol, at: performance.now() }
  return true
}

/** An application in the middle of moving its focus gets a second look, when it has come to rest. */
async function holdsStill(pace: Pace): Promise<boolean> {
  return (await pace.holds()) || ((await pace.caughtUp()) && pace.holds())
}

async function pause(ms: number, pace: Pace): Promise<boolean> {
  const end = performance.now() + ms
  for (let left = ms; left > 0; left = end - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, SLICE_MS)))
    if (!pace.mayGoOn()) return false
  }
  return true
}
