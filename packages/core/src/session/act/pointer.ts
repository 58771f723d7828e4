import type { Guard, Sent, Step } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { center, type Point, type PointerEvent } from '../../model/index.ts'
import { pointsOf } from '../see/aim.ts'
import { pressTargets, type Touch } from '../see/press-targets.ts'
import type { Resolved } from '../see/targets.ts'
import { label } from '../words.ts'
import { atRest, inView } from './in-view.ts'
import { incapable, keyOf, pointOf, unable, type ActContext } from './act-context.ts'

interface Click {
  button: 'left' | 'right' | 'middle'
  count: number
  modifiers: readonly string[]
}

/** The pointer, at a point that belongs to the node; else the node brought into view; else its own action. A region is clicked in its middle. */
export async function click(on: ActContext, how: Click): Promise<Sent> {
  if (on.targets[0]?.facts.region !== undefined) return clickAt(on, pointOf(on), how)
  const chosen = isChosen(on)
  const byPointer = await atNode(on, (p) => clickEvents(p, how), { by: 'press', modifiers: how.modifiers }).catch(
    chosen ? outOfReach : incapable,
  )
  if (byPointer !== undefined && byPointer.broken !== 'hit') return byPointer
  const plain = how.button === 'left' && how.count === 1 && how.modifiers.length === 0
  // A click on an entry chooses it; its own action may do more, such as opening it.
  const ways = plain ? (chosen ? (['select', 'press'] as const) : (['press'] as const)) : []
  for (const way of ways) {
    if (!on.driver.can(`step:${way}`)) continue
    const done = await on.lease.step({ do: way, key: keyOf(on) }, {}, on.signal).catch(incapable)
    if (done !== undefined) return done
  }
  return byPointer ?? unable('neither the pointer nor an action of its own reaches this element')
}

/** An entry of a list, also one that opens from a combobox. */
function isChosen({ fresh, targets }: ActContext): boolean {
  const { role } = fresh[0] ?? {}
  const menu = targets[0]?.node?.parent
  return CHOSEN.has(role ?? '') || (role === 'menuitem' && (menu?.role === 'combobox' || menu?.parent?.role === 'combobox'))
}

/** A list that is longer than the screen has entries that no pointer reaches; they can be chosen all the same. */
function outOfReach(thrown: unknown): undefined {
  if (thrown instanceof DeskhandError && thrown.code === 'NOT_ACTIONABLE') return undefined
  return incapable(thrown)
}

/** A click on these chooses one of several. */
export const CHOSEN: ReadonlySet<string> = new Set(['option', 'listitem', 'row', 'treeitem', 'cell', 'tab'])

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
      bounds = await atRest(() => on.check(key))
    }
    const part = bounds && (inView(target?.node, bounds) ?? (revealed ? bounds : undefined))
    for (const at of part === undefined ? [] : pointsOf(part, on.fresh[0]?.role)) {
      last = await clickWith(on, events(at), { hit: { at, key, by } }, modifiers)
      if (last.broken !== 'hit') return last
    }
  }
  if (last === undefined) throw new DeskhandError('NOT_CAPABLE', 'the element does not tell where it is')
  return last
}

export async function clickAt(on: ActContext, at: Point, how: Click): Promise<Sent> {
  on.driver.need('step:pointer')
  const key = on.targets[0]?.facts.key
  return clickWith(on, clickEvents(at, how), { hit: { at, key } }, how.modifiers)
}

/** Raw events in parts: each is guarded by what was judged to lie where it first presses, or where it lets go of what was pressed elsewhere. */
export async function pointer(on: ActContext, events: readonly PointerEvent[]): Promise<Sent> {
  on.driver.need('step:pointer')
  let sent: Sent | undefined
  for (const part of partsOf(events, on.targets)) {
    const step: Step = { do: 'pointer', events: part.events }
    const { at } = part
    const target = part.touch === 'release' && at !== undefined ? await on.again.release(at, part.target) : part.target
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
}

/** Splits before every move that is made with no button down, and before letting go elsewhere than was pressed. */
function partsOf(events: readonly PointerEvent[], targets: readonly Resolved[]): Part[] {
  const touches = pressTargets(events)
  const next = { press: 0, release: touches.filter((t) => t === 'press').length }
  const parts: Part[] = []
  let down = 0
  let at: Point | undefined
  for (const [i, event] of events.entries()) {
    const touch = touches[i]
    const isApart = touch === 'release' || (event.type === 'move' && down === 0 && parts.at(-1)?.touch !== undefined)
    if (parts.length === 0 || isApart) parts.push({ events: [] })
    const part = parts.at(-1)
    part?.events.push(event)
    if (event.type === 'move') at = { x: event.x, y: event.y }
    if (event.type === 'down') down++
    if (event.type === 'up') down = Math.max(0, down - 1)
    const target = touch === undefined ? undefined : targets[next[touch]++]
    if (touch !== undefined && part !== undefined && part.touch === undefined)
      Object.assign(part, { touch, target, at: at ?? target?.facts.at })
  }
  return parts
}

/** Modifiers go down first and come up last; a broken guard still lets them up. */
async function clickWith(on: ActContext, events: PointerEvent[], guard: Guard, modifiers: readonly string[]): Promise<Sent> {
  const step: Step = { do: 'pointer', events }
  if (modifiers.length === 0) return on.lease.step(step, guard, on.signal)
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

export async function scroll(on: ActContext, dx: number, dy: number): Promise<Sent> {
  return atNode(
    on,
    (p) => [
      { type: 'move', ...p },
      { type: 'wheel', dx, dy },
    ],
    { by: 'wheel' },
  )
}

export async function focus(on: ActContext): Promise<Sent> {
  // A place in pixels gets the keyboard as a person gives it.
  if (on.targets[0]?.facts.region !== undefined) return click(on, { button: 'left', count: 1, modifiers: [] })
  const key = keyOf(on)
  if (on.fresh[0]?.states?.focused === true && (await hasKeyboard(on))) return { sent: 'all', units: 0, via: 'already', held: [] }
  if (on.driver.can('step:focus')) {
    const grabbed = await on.lease.step({ do: 'focus', key }, {}, on.signal).catch(incapable)
    if (grabbed?.broken !== undefined || (grabbed !== undefined && (await on.check(key))?.states?.focused !== false)) return grabbed
  }
  // A click puts the caret into a field; anything else it would press.
  if (on.fresh[0]?.states?.editable === true) return click(on, { button: 'left', count: 1, modifiers: [] })
  throw new DeskhandError('NOT_CAPABLE', `${label(on.targets[0]?.facts ?? { role: 'the element' })} does not take the focus`, {
    next: 'Click it if it is to be pressed, or go to it with the Tab key.',
  })
}

/** Qt says of an element that it has the focus also while its window has not. */
async function hasKeyboard(on: ActContext): Promise<boolean> {
  const window = on.targets[0]?.facts.window?.key
  return window === undefined || (await on.check(window))?.states?.active !== false
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
