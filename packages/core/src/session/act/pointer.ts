import type { Guard, Sent, Step } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { center, INTERACTIVE, PRESSED, WINDOWS, type Point, type PointerEvent } from '../../model/index.ts'
import { pointsOf } from '../see/aim.ts'
import { isAnother } from '../see/refs.ts'
import { pressTargets, type Touch } from '../see/press-targets.ts'
import type { Resolved } from '../see/targets.ts'
import { label } from '../words.ts'
import { atRest, inView } from './in-view.ts'
import { byInterface, isChosen } from './semantic.ts'
import { incapable, isUnreached, keyOf, pointOf, unable, unreached, type ActContext, type Pause, type Unreached } from './act-context.ts'

interface Click {
  button: 'left' | 'right' | 'middle'
  count: number
  modifiers: readonly string[]
}

/** By the pointer, at a point that belongs to the node, which is brought into view for it; or by its own action. A region is clicked in its middle. */
export function click(on: ActContext, how: Click): Promise<Sent | Unreached> {
  if (on.route?.by === 'interface' || on.route?.by === 'opening') return byInterface(on)
  return byPointer(on, how)
}

async function byPointer(on: ActContext, how: Click): Promise<Sent | Unreached> {
  if (on.targets[0]?.facts.region !== undefined) return clickAt(on, pointOf(on), how)
  // A list that is longer than the screen has entries that no pointer reaches.
  const once = (count: number): Promise<Sent> =>
    atNode(on, (p) => clickEvents(p, { ...how, count }), { by: 'press', modifiers: how.modifiers })
  const [{ facts } = { facts: { role: '' } }] = on.targets
  const pause = pauseOn(facts)
  const clicks = pause === undefined ? 1 : how.count
  let sent: Sent | Unreached = await once(clicks === 1 ? how.count : 1).catch(unreached('by', isChosen(on)))
  for (let i = 1; i < clicks; i++) {
    if (isUnreached(sent) || sent.sent !== 'all') return sent
    await on.again.settled(pause)
    const now = await on.again.check(keyOf(on))
    if (now === undefined || isAnother(facts, now))
      throw new DeskhandError('GUARD_BROKEN', `one click was sent; what it left there is not ${label(facts)} any more`, {
        next: 'Look at what is there now, and click it in a call of its own.',
      })
    const next: Sent = await once(1)
    sent = { ...next, units: sent.units + next.units, sent: next.sent === 'none' ? 'partial' : next.sent }
  }
  return sent
}

/**
 * How long is waited between two clicks, of which the first may put something else there. On what is pressed they are two presses, and there is
 * time; rows and fields tell two clicks from one, and are clicked at once; of anything else a page may make either.
 */
function pauseOn({ role, region }: { role: string; region?: unknown }): Pause | undefined {
  if (region !== undefined || WINDOWS.has(role)) return undefined
  return PRESSED.has(role) ? 'until quiet' : INTERACTIVE.has(role) || role === '' ? undefined : 'a moment'
}

interface AtNode {
  by: 'press' | 'wheel' | 'move'
  modifiers?: readonly string[]
}

/** Runs pointer events at the first point of the node that the node itself would receive. */
export async function atNode(on: ActContext, events: (p: Point) => PointerEvent[], how: AtNode): Promise<Sent> {
  const { modifiers = [], by } = how
  on.driver.need('step:pointer')
  const [target] = on.targets
  if (target?.facts.region !== undefined) {
    const at = pointOf(on)
    return clickWith(on, events(at), { hit: { at, key: target.facts.key, by } }, modifiers)
  }
  const key = keyOf(on)
  let bounds = on.fresh[0]?.bounds
  let last: Sent | undefined
  for (const revealed of [false, true]) {
    if (revealed) {
      if (!on.driver.can('step:reveal')) break
      const shown = await on.lease.step({ do: 'reveal', key }, {}, on.signal).catch(incapable)
      if (shown === undefined) break
      bounds = await atRest(() => on.again.check(key))
    }
    const part = bounds && (inView(target?.node, bounds) ?? (revealed ? bounds : undefined))
    for (const at of part === undefined ? [] : pointsOf(part, on.fresh[0]?.role)) {
      last = await clickWith(on, events(at), { hit: { at, key, by } }, modifiers)
      if (last.broken !== 'hit' || last.sent !== 'none') return last
    }
  }
  if (last === undefined) throw new DeskhandError('NOT_CAPABLE', 'the element does not tell where it is')
  return last
}

export async function clickAt(on: ActContext, at: Point, how: Click): Promise<Sent> {
  on.driver.need('step:pointer')
  const [target] = on.targets
  if (how.count > 1 && target !== undefined && pauseOn(target.facts) !== undefined && how.modifiers.length === 0)
    return pointer(on, clickEvents(at, how))
  return clickWith(on, clickEvents(at, how), { hit: { at, key: target?.facts.key } }, how.modifiers)
}

/** Raw events in parts: each is guarded by what was judged to lie where it first presses, or where it lets go of what was pressed elsewhere. */
export async function pointer(on: ActContext, events: readonly PointerEvent[]): Promise<Sent> {
  on.driver.need('step:pointer')
  let sent: Sent | undefined
  for (const part of partsOf(events, on.targets)) {
    const step: Step = { do: 'pointer', events: part.events }
    const { at } = part
    if (part.isRepeated) await on.again.settled(pauseOn(part.target?.facts ?? { role: '' }))
    const isNew = part.touch === 'release' || part.isRepeated
    const target = isNew && at !== undefined ? await on.again.release(at, part.target) : part.target
    const guard: Guard = target === undefined || at === undefined ? {} : { hit: { at, key: target.facts.key } }
    const next = await on.lease.step(step, guard, on.signal)
    sent = { ...next, sent: sent !== undefined && next.sent === 'none' ? 'partial' : next.sent }
    if (sent.sent !== 'all') return sent
  }
  return sent ?? unable('there is nothing to send')
}

interface Part {
  events: PointerEvent[]
  /** What its first event does that touches something, to which target, and where. */
  touch?: Touch
  target?: Resolved
  at?: Point
  /** It presses once more what was pressed before. */
  isRepeated?: boolean
}

/** Splits before every move that is made with no button down, before letting go elsewhere than was pressed, and between presses of a button. */
function partsOf(events: readonly PointerEvent[], targets: readonly Resolved[]): Part[] {
  const touches = pressTargets(events)
  const next = { press: 0, release: touches.filter((t) => t === 'press').length }
  const parts: Part[] = []
  let down = 0
  let at: Point | undefined
  for (const [i, event] of events.entries()) {
    const touch = touches[i]
    const last = parts.at(-1)
    const isRepeated =
      event.type === 'down' && down === 0 && last?.touch === 'press' && pauseOn(last.target?.facts ?? { role: '' }) !== undefined
    const isApart = touch === 'release' || isRepeated || (event.type === 'move' && down === 0 && last?.touch !== undefined)
    if (parts.length === 0 || isApart) parts.push({ events: [], isRepeated })
    const part = parts.at(-1)
    part?.events.push(event)
    if (event.type === 'move') at = { x: event.x, y: event.y }
    if (event.type === 'down') down++
    if (event.type === 'up') down = Math.max(0, down - 1)
    const own = touch === undefined ? undefined : targets[next[touch]++]
    const target = isRepeated ? last?.target : own
    if (touch !== undefined && part !== undefined && part.touch === undefined)
      Object.assign(part, { touch, target, at: at ?? target?.facts.at })
  }
  return parts
}

/** Modifiers go down first and come up last; a broken guard still lets them up. */
async function clickWith(on: ActContext, events: PointerEvent[], guard: Guard, modifiers: readonly string[]): Promise<Sent> {
  const step: Step = { do: 'pointer', events }
  if (modifiers.length === 0) return await on.lease.step(step, guard, on.signal)
  await on.lease.step({ do: 'keys', events: modifiers.map((key) => ({ type: 'down', key })) }, {}, on.signal)
  try {
    return await on.lease.step(step, guard, on.signal)
  } finally {
    await on.lease.step({ do: 'keys', events: modifiers.toReversed().map((key) => ({ type: 'up', key })) }, {}, on.signal)
  }
}

function clickEvents(at: Point, how: Click): PointerEvent[] {
  const events: PointerEvent[] = [{ type: 'move', ...at }]
  for (let i = 0; i < how.count; i++) events.push({ type: 'down', button: how.button }, { type: 'up', button: how.button })
  return events
}

/** Where what scrolls brings a control under the pointer that the wheel would change, the rest is turned elsewhere over the target. */
export async function scroll(on: ActContext, dx: number, dy: number): Promise<Sent> {
  let [turned, sent] = [0, await turnBy(on, dx, dy)]
  for (;;) {
    const notches = Number(sent.detail?.['notches'] ?? 0)
    turned += notches
    const whole =
      turned === 0
        ? sent
        : { ...sent, sent: sent.sent === 'none' ? ('partial' as const) : sent.sent, detail: { ...sent.detail, notches: turned } }
    if (sent.broken !== 'hit' || notches === 0) return whole
    const down = Math.min(Math.abs(dy), turned)
    sent = await turnBy(on, dx - Math.sign(dx) * (turned - down), dy - Math.sign(dy) * down)
  }
}

const turnBy = (on: ActContext, dx: number, dy: number): Promise<Sent> =>
  atNode(
    on,
    (p) => [
      { type: 'move', ...p },
      { type: 'wheel', dx, dy },
    ],
    { by: 'wheel' },
  )

export const focus = async (on: ActContext): Promise<Sent | Unreached> =>
  await focusBy(on, on.route?.by === 'pointer' ? 'pointer' : 'interface', 'by')

/** Gives the target the keyboard: by its own interface, or by a click, which puts the caret into a field and is how a place in pixels gets it. */
export async function focusBy(on: ActContext, by: 'pointer' | 'interface', part: Unreached['unreached']): Promise<Sent | Unreached> {
  if (on.targets[0]?.facts.region === undefined && on.fresh[0]?.states?.focused === true && (await hasKeyboard(on)))
    return { sent: 'all', units: 0, via: 'already', held: [] }
  if (by === 'pointer') {
    const clicked = await byPointer(on, { button: 'left', count: 1, modifiers: [] })
    return isUnreached(clicked) ? { ...clicked, unreached: part } : clicked
  }
  const key = keyOf(on)
  if (on.driver.can('step:focus')) {
    const grabbed = await on.lease.step({ do: 'focus', key, delivery: 'semantic' }, {}, on.signal).catch(incapable)
    if (grabbed?.broken !== undefined || (grabbed !== undefined && (await on.again.check(key))?.states?.focused !== false)) return grabbed
  }
  const why = new DeskhandError('NOT_CAPABLE', `${label(on.targets[0]?.facts ?? { role: 'the element' })} does not take the focus`, {
    next: 'Click it if it is to be pressed, or go to it with the Tab key.',
  })
  return { unreached: part, why }
}

/** Qt says of an element that it has the focus also while its window has not. */
async function hasKeyboard(on: ActContext): Promise<boolean> {
  const window = on.targets[0]?.facts.window?.key
  return window === undefined || (await on.again.check(window))?.states?.active !== false
}

export async function drag(on: ActContext, durationMs: number): Promise<Sent> {
  const [start, to] = [endOf(on, 0), endOf(on, 1)]
  if (start === undefined || to === undefined) return unable('an end of the drag does not tell where it is')
  const STEPS = 10
  const path = Array.from({ length: STEPS }, (_, i): PointerEvent[] => [
    { type: 'move', x: start.x + ((to.x - start.x) * (i + 1)) / STEPS, y: start.y + ((to.y - start.y) * (i + 1)) / STEPS },
    ...(durationMs > 0 ? [{ type: 'pause' as const, ms: durationMs / STEPS }] : []),
  ]).flat()
  return pointer(on, [{ type: 'move', ...start }, { type: 'down', button: 'left' }, ...path, { type: 'up', button: 'left' }])
}

/** Where a drag begins or ends: the point that was given, or the middle of the element. */
function endOf(on: ActContext, i: number): Point | undefined {
  const bounds = on.fresh[i]?.bounds
  return on.targets[i]?.facts.at ?? (bounds && center(bounds))
}
