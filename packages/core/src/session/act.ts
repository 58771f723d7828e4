import type { CapName, DriverInfo, Guard, Sent, Step } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { center, parseChord, type Action, type FlatNode, type KeyEvent, type Point, type PointerEvent, type Rect } from '../model/index.ts'
import { endOfKeys, endOfText } from './following.ts'
import type { Hands } from './lease.ts'
import type { Resolved } from './resolve.ts'

/** Where an action is carried out: the lease, the re-checked nodes, and what this desktop can do. */
export interface Stage {
  hands: Hands
  info: DriverInfo
  targets: readonly Resolved[]
  /** The targets as the application has them right now, in the same order. */
  fresh: readonly (FlatNode | undefined)[]
  check(key: string): Promise<FlatNode | undefined>
  /** The text to type, secrets filled in. */
  text?: string
  signal: AbortSignal
  /** Judges what has the focus now, when it moved, and answers with the targets from here on. */
  follow(): Promise<readonly Resolved[]>
}

/** Carries an action out in the best way this node and this desktop allow, and says which way that was. */
export async function act(action: Action, on: Stage): Promise<Sent> {
  switch (action.do) {
    case 'click':
      return click(on, { button: action.button, count: action.clickCount, modifiers: action.modifiers ?? [] })
    case 'click_xy':
      return clickAt(on, pointOf(on), { button: action.button, count: action.clickCount, modifiers: [] })
    case 'hover':
      return atNode(on, (p) => [{ type: 'move', ...p }])
    case 'scroll':
      return scroll(on, action.deltaX, action.deltaY)
    case 'focus':
      return focus(on)
    case 'type':
      return type(on, action.mode, action.target !== undefined)
    case 'key':
      return keys(on, chordEvents(action.keys, action.holdMs), action.target !== undefined)
    case 'keys':
      return keys(on, action.events, false)
    case 'pointer':
      return pointer(on, action.events)
    case 'drag':
      return drag(on, action.durationMs)
    case 'window':
      return on.hands.step({ do: 'window', key: keyOf(on), op: action.op, rect: action.bounds }, {}, on.signal)
    case 'launch':
      return on.hands.step({ do: 'launch', app: action.app, args: action.args }, {}, on.signal)
    case 'clipboard_write':
      return on.hands.step({ do: 'clipboard', text: on.text ?? action.text }, {}, on.signal)
    case 'close':
      throw new DeskhandError('INTERNAL', 'an application is closed by its windows')
    case 'capabilities':
    case 'snapshot':
    case 'query':
    case 'describe':
    case 'capture':
    case 'wait':
    case 'assert':
    case 'screens':
    case 'apps':
    case 'clipboard_read':
    case 'code':
    case 'simulate':
      throw new DeskhandError('INTERNAL', `${action.do} sends no input`)
    default:
      return action satisfies never
  }
}

interface Click {
  button: 'left' | 'right' | 'middle'
  count: number
  modifiers: readonly string[]
}

/** The pointer, at a point that belongs to the node; else the node brought into view; else its own action. */
async function click(on: Stage, how: Click): Promise<Sent> {
  const byPointer = await atNode(on, (p) => clickEvents(p, how), how.modifiers).catch(incapable)
  if (byPointer !== undefined && byPointer.broken === undefined) return byPointer
  const plain = how.button === 'left' && how.count === 1 && how.modifiers.length === 0
  if (plain && can(on, 'step:press')) {
    const pressed = await on.hands.step({ do: 'press', key: keyOf(on) }, {}, on.signal).catch(incapable)
    if (pressed !== undefined) return pressed
  }
  return byPointer ?? unable('neither the pointer nor an action of its own reaches this element')
}

/** Runs pointer events at the first point of the node that the node itself would receive. */
async function atNode(on: Stage, events: (p: Point) => PointerEvent[], modifiers: readonly string[] = []): Promise<Sent> {
  need(on, 'step:pointer')
  const key = keyOf(on)
  let bounds = on.fresh[0]?.bounds
  let last: Sent | undefined
  for (const revealed of [false, true]) {
    if (revealed) {
      if (!can(on, 'step:reveal')) break
      const shown = await on.hands.step({ do: 'reveal', key }, {}, on.signal).catch(incapable)
      if (shown === undefined) break
      bounds = (await on.check(key))?.bounds
    }
    for (const at of bounds === undefined ? [] : pointsOf(bounds)) {
      last = await clickWith(on, events(at), { hit: { at, key } }, modifiers)
      if (last.broken !== 'hit') return last
    }
  }
  return last ?? unable('the element does not tell where it is')
}

async function clickAt(on: Stage, at: Point, how: Click): Promise<Sent> {
  need(on, 'step:pointer')
  const key = on.targets[0]?.facts.key
  return clickWith(on, clickEvents(at, how), key === undefined ? {} : { hit: { at, key } }, how.modifiers)
}

/** Raw events, from one move to the next; each part is guarded by what was decided to lie under its first press. */
async function pointer(on: Stage, events: readonly PointerEvent[]): Promise<Sent> {
  need(on, 'step:pointer')
  let next = 0
  let last: Sent | undefined
  for (const part of partsOf(events)) {
    const presses = part.filter((e) => e.type === 'down' || e.type === 'wheel').length
    const target = presses > 0 ? on.targets[next]?.facts : undefined
    next += presses
    const guard: Guard = target?.key === undefined || target.at === undefined ? {} : { hit: { at: target.at, key: target.key } }
    last = await on.hands.step({ do: 'pointer', events: part }, guard, on.signal)
    if (last.sent !== 'all') return last
  }
  return last ?? unable('there is nothing to send')
}

/** Splits before every move that is made with no button down. */
function partsOf(events: readonly PointerEvent[]): PointerEvent[][] {
  const parts: PointerEvent[][] = []
  let down = 0
  for (const event of events) {
    if (parts.length === 0 || (event.type === 'move' && down === 0 && parts.at(-1)?.some((e) => e.type === 'down' || e.type === 'wheel')))
      parts.push([])
    parts.at(-1)?.push(event)
    if (event.type === 'down') down++
    if (event.type === 'up') down = Math.max(0, down - 1)
  }
  return parts
}

/** Modifiers go down first and come up last; a broken guard still lets them up. */
async function clickWith(on: Stage, events: PointerEvent[], guard: Guard, modifiers: readonly string[]): Promise<Sent> {
  const step: Step = { do: 'pointer', events }
  if (modifiers.length === 0) return on.hands.step(step, guard, on.signal)
  await on.hands.step({ do: 'keys', events: modifiers.map((key) => ({ type: 'down', key })) }, {}, on.signal)
  try {
    return await on.hands.step(step, guard, on.signal)
  } finally {
    await on.hands.step({ do: 'keys', events: modifiers.toReversed().map((key) => ({ type: 'up', key })) }, {}, on.signal)
  }
}

function clickEvents(at: Point, how: Click): PointerEvent[] {
  const events: PointerEvent[] = [{ type: 'move', ...at }]
  for (let i = 0; i < how.count; i++) events.push({ type: 'down', button: how.button }, { type: 'up', button: how.button })
  return events
}

async function scroll(on: Stage, dx: number, dy: number): Promise<Sent> {
  return atNode(on, (p) => [
    { type: 'move', ...p },
    { type: 'wheel', dx, dy },
  ])
}

async function focus(on: Stage): Promise<Sent> {
  const key = keyOf(on)
  if (on.fresh[0]?.states?.focused === true) return { sent: 'all', units: 0, via: 'already', held: [] }
  if (can(on, 'step:focus')) {
    const grabbed = await on.hands.step({ do: 'focus', key }, {}, on.signal).catch(incapable)
    if (grabbed !== undefined && (await on.check(key))?.states?.focused !== false) return grabbed
  }
  return click(on, { button: 'left', count: 1, modifiers: [] })
}

async function type(on: Stage, mode: 'insert' | 'replace' | 'append', targeted: boolean): Promise<Sent> {
  const text = on.text ?? ''
  const key = on.targets[0]?.facts.key
  if (targeted) {
    if (on.fresh[0]?.states?.editable === false) throw new DeskhandError('NOT_ACTIONABLE', 'this element cannot be edited')
    if (key !== undefined && can(on, 'step:setText')) {
      const set = await on.hands.step({ do: 'setText', key, text, mode }, {}, on.signal).catch(incapable)
      if (set !== undefined) return set
    }
    const focused = await focus(on)
    if (focused.sent !== 'all') return focused
  }
  need(on, 'step:text')
  const guard: Guard = { focus: key }
  if (mode !== 'insert') {
    const select = mode === 'replace' ? 'ctrl+a' : 'ctrl+End'
    const prepared = await on.hands.step({ do: 'keys', events: chordEvents(select) }, guard, on.signal)
    if (prepared.sent !== 'all') return prepared
    if (text === '' && mode === 'replace') return on.hands.step({ do: 'keys', events: chordEvents('Delete') }, guard, on.signal)
  }
  const chars = [...text]
  return inTurn(on, chars.length, (from) => endOfText(chars, from, on.targets[0]), (from, to) =>
    on.hands.step({ do: 'text', text: chars.slice(from, to).join('') }, { focus: on.targets[0]?.facts.key }, on.signal),
  )
}

/** Sends in pieces, between which the focus may move; each piece goes to what was judged for it. */
async function inTurn(on: Stage, length: number, endOf: (from: number) => number, send: (from: number, to: number) => Promise<Sent>): Promise<Sent> {
  let end = endOf(0)
  let sent = await send(0, end)
  while (sent.sent === 'all' && end < length) {
    on.targets = await on.follow()
    const from = end
    end = endOf(from)
    const next = await send(from, end)
    sent = { ...next, units: sent.units + next.units, sent: next.sent === 'none' ? 'partial' : next.sent }
  }
  return sent
}

async function keys(on: Stage, events: KeyEvent[], targeted: boolean): Promise<Sent> {
  need(on, 'step:keys')
  if (targeted) {
    const focused = await focus(on)
    if (focused.sent !== 'all') return focused
  }
  const guard = (first: boolean): Guard => {
    const target = on.targets[0]
    return target?.facts.key === undefined ? {} : { window: target.facts.window?.key, focus: first && targeted ? target.facts.key : undefined }
  }
  return inTurn(on, events.length, (from) => endOfKeys(events, from, on.targets[0]), (from, to) =>
    on.hands.step({ do: 'keys', events: events.slice(from, to) }, guard(from === 0), on.signal),
  )
}

async function drag(on: Stage, durationMs: number): Promise<Sent> {
  need(on, 'step:pointer')
  const [start, to] = [endOf(on, 0), endOf(on, 1)]
  if (start === undefined || to === undefined) return unable('an end of the drag does not tell where it is')
  const STEPS = 10
  const path = Array.from({ length: STEPS }, (_, i): PointerEvent[] => [
    { type: 'move', x: start.x + ((to.x - start.x) * (i + 1)) / STEPS, y: start.y + ((to.y - start.y) * (i + 1)) / STEPS },
    ...(durationMs > 0 ? [{ type: 'pause' as const, ms: durationMs / STEPS }] : []),
  ]).flat()
  const events: PointerEvent[] = [{ type: 'move', ...start }, { type: 'down', button: 'left' }, ...path, { type: 'up', button: 'left' }]
  return on.hands.step(
    { do: 'pointer', events },
    on.targets[0]?.facts.key === undefined ? {} : { hit: { at: start, key: on.targets[0].facts.key } },
    on.signal,
  )
}

/** Where a drag begins or ends: the point that was given, or the middle of the element. */
function endOf(on: Stage, i: number): Point | undefined {
  const bounds = on.fresh[i]?.bounds
  return on.targets[i]?.facts.at ?? (bounds && center(bounds))
}

/** The events of one chord, or of several in order: pressed left to right, released right to left. */
export function chordEvents(chords: string | readonly string[], holdMs = 0): KeyEvent[] {
  return (typeof chords === 'string' ? [chords] : chords).flatMap((chord): KeyEvent[] => {
    const parts = parseChord(chord)
    if (parts === undefined) {
      throw new DeskhandError('BAD_ARGS', `keys: ${JSON.stringify(chord)} has a key that does not exist`, {
        next: 'Use names such as "ctrl+s", "Enter", "ArrowDown" or "F5".',
      })
    }
    const hold: KeyEvent[] = holdMs > 0 ? [{ type: 'pause', ms: holdMs }] : []
    return [
      ...parts.map((key): KeyEvent => ({ type: 'down', key })),
      ...hold,
      ...parts.toReversed().map((key): KeyEvent => ({ type: 'up', key })),
    ]
  })
}

/** The middle first, then places that something lying over the middle may leave free. */
function pointsOf(r: Rect): Point[] {
  const at = (fx: number, fy: number): Point => ({ x: Math.floor(r.x + r.w * fx), y: Math.floor(r.y + r.h * fy) })
  return r.w < 1 || r.h < 1 ? [] : [at(0.5, 0.5), at(0.2, 0.5), at(0.8, 0.5), at(0.5, 0.2), at(0.5, 0.8)]
}

const can = (on: Stage, cap: CapName): boolean => on.info.can[cap].ok

function need(on: Stage, name: CapName): void {
  const cap = on.info.can[name]
  if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', `this desktop cannot do ${name}: ${cap.reason}`, { next: cap.fix })
}

function keyOf(on: Stage): string {
  const key = on.targets[0]?.facts.key
  if (key === undefined) throw new DeskhandError('NOT_FOUND', 'there is no element to act upon')
  return key
}

function pointOf(on: Stage): Point {
  const at = on.targets[0]?.facts.at
  if (at === undefined) throw new DeskhandError('INTERNAL', 'a coordinate action without its point')
  return at
}

/** A way that this node or desktop does not have leaves room for the next one. */
function incapable(thrown: unknown): undefined {
  if (thrown instanceof DeskhandError && thrown.code === 'NOT_CAPABLE') return undefined
  throw thrown
}

function unable(message: string): never {
  throw new DeskhandError('NOT_ACTIONABLE', message)
}
