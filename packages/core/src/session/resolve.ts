import { within, type Observe } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import {
  type Action,
  type CoordinateSpace,
  type Point,
  type Principal,
  type Screen,
  type Target,
  type TargetFacts,
  type UiNode,
  contains,
} from '../model/index.ts'
import { explain, generator, match, type Match } from '../selector/index.ts'
import { appNamed } from './apps.ts'
import { factsOf } from './facts.ts'
import type { Refs } from './refs.ts'
import type { Sight } from './view.ts'
import { touching } from './touching.ts'
import type { LiveNode, LiveTree } from './tree.ts'

/** What a call would touch: the node in the replica, and the facts that policy, people and the journal see. */
export interface Resolved {
  node?: LiveNode
  facts: TargetFacts
}

export interface Looking {
  tree: LiveTree
  /** What the caller may know of, as the tree is when this is read. */
  readonly seen: Sight
  who: Principal
  refs: Refs
  observe: Observe
  /** The kind of the driver, which selectors may ask for. */
  driver: string
  screens(): Promise<readonly Screen[]>
  /** Where the pixels of a screenshot that was handed out lie. */
  image(id: string): { origin: Point; scale: number } | undefined
}

type Place = Point & { coordinateSpace?: CoordinateSpace; imageId?: string }

const HIT_MS = 2_000
const MAX_CANDIDATES = 8

/** Everything an action would touch, in order. Nothing is guessed: several matches are an error that lists them. */
export async function resolve(action: Action, on: Looking, synced?: Promise<void>): Promise<Resolved[]> {
  // What lies under a pixel is asked while the tree is still being brought up to date.
  if (!PLACED.has(action.do)) await synced
  switch (action.do) {
    case 'click':
    case 'focus':
    case 'hover':
      return [named(action.target, on)]
    case 'type':
    case 'key':
      return [action.target === undefined ? focused(on) : named(action.target, on)]
    case 'keys':
    case 'clipboard_write':
      return [focused(on)]
    case 'scroll':
      return [action.target === undefined ? focused(on) : named(action.target, on)]
    case 'window':
      return [action.target === undefined ? active(on) : named(action.target, on)]
    case 'drag':
      return Promise.all(
        [action.from, action.to].map(async (end) => ('x' in end ? under(end, on, synced) : (await synced, named(end, on)))),
      )
    case 'click_xy':
      return [await under(action, on, synced)]
    case 'pointer':
      return pressed(action.events, on, synced)
    case 'launch':
      return [nothing('application', action.app, `launches ${action.app}`)]
    case 'close':
      return windowsOf(action.app, on)
    case 'describe':
      return [named(action.element, on)]
    case 'capture':
      return action.target === undefined ? [] : [named(action.target, on)]
    case 'snapshot':
      return action.root === undefined ? [] : [named(action.root, on)]
    case 'capabilities':
    case 'query':
    case 'wait':
    case 'assert':
    case 'screens':
    case 'apps':
    case 'clipboard_read':
    case 'ask':
    case 'plan':
    case 'code':
    case 'simulate':
      return []
    default:
      return action satisfies never
  }
}

const PLACED: ReadonlySet<Action['do']> = new Set<Action['do']>(['drag', 'click_xy', 'pointer'])

/** Whether an action touches no element at all, so that nobody has to know how things are before it is decided. */
export function touchesNothing(action: Action): boolean {
  if (action.do === 'pointer') return touching(action.events).every((touch) => touch === undefined)
  if (action.do === 'capture') return action.target === undefined
  if (action.do === 'snapshot') return action.root === undefined
  return UNTOUCHING.has(action.do)
}

const UNTOUCHING: ReadonlySet<Action['do']> = new Set<Action['do']>([
  'capabilities',
  'query',
  'wait',
  'assert',
  'screens',
  'apps',
  'clipboard_read',
  'ask',
  'code',
  'simulate',
])

/** The nodes a target names now, for conditions; a dead id names none. */
export function find(target: Target, on: Looking): UiNode[] {
  if ('selector' in target) return match(target.selector, on.seen, { driver: on.driver }).map((m) => m.node)
  try {
    return [on.refs.node(target, on.seen.see, on.who)]
  } catch {
    return []
  }
}

function facts(node: UiNode, on: Looking, found: Parameters<typeof factsOf>[1]): TargetFacts {
  const known = on.seen.see(node.key)
  return { ...factsOf(node, found), elementId: known === undefined ? undefined : on.refs.show(known, on.who) }
}

function named(target: Target, on: Looking): Resolved {
  if (!('selector' in target)) {
    const node = on.tree.node(on.refs.node(target, on.seen.see, on.who).key)
    if (node === undefined) throw new DeskhandError('STALE_REF', `${target.elementId} is gone`)
    return { node, facts: facts(node, on, { source: 'structure', confidence: 1, why: [`the element shown as ${target.elementId}`] }) }
  }
  const [one, ...others] = preferVisible(match(target.selector, on.seen, { driver: on.driver }))
  if (one === undefined) throw missing(target.selector, on)
  if (others.length > 0) throw ambiguous(target.selector, [one, ...others], on)
  const node = on.tree.node(one.node.key)
  if (node === undefined) throw new DeskhandError('STALE_REF', `what ${target.selector} named is gone`)
  const { source, confidence, why } = one
  return { node, facts: facts(node, on, { source, confidence, why, selector: target.selector }) }
}

/** Hidden twins (a closed menu's entries) do not make a visible element ambiguous. */
function preferVisible(matches: Match[]): Match[] {
  const visible = matches.filter((m) => m.node.states?.visible !== false)
  return visible.length > 0 ? visible : matches
}

function missing(selector: string, on: Looking): DeskhandError {
  const miss = explain(selector, on.seen, { driver: on.driver })
  const describe = briefly(on)
  const candidates = miss.candidates.map((c) => ({ ...describe(c.node), failed: c.failed }))
  const holes = on.seen.completeness.complete
    ? ''
    : ` (the tree is incomplete: ${on.seen.completeness.reasons.map((r) => r.detail).join('; ')})`
  return new DeskhandError('NOT_FOUND', `nothing matches ${selector}. ${miss.sentence}${holes}`, { details: { candidates } })
}

function ambiguous(selector: string, matches: Match[], on: Looking): DeskhandError {
  const describe = briefly(on)
  const candidates = matches.slice(0, MAX_CANDIDATES).map((m) => describe(m.node))
  return new DeskhandError('AMBIGUOUS_TARGET', `${selector} matches ${matches.length} elements`, { details: { candidates } })
}

/** A node as an error lists it: with its id, and a selector that names it alone. */
function briefly(on: Looking): (node: UiNode) => { elementId: string; role: string; name?: string; selector: string } {
  const selectorOf = generator(on.seen)
  return (node) => ({ elementId: on.refs.show(node, on.who), role: node.role, name: node.name, selector: selectorOf(node) })
}

function focused(on: Looking): Resolved {
  const node = on.tree.focus === undefined ? undefined : on.tree.node(on.tree.focus)
  if (node !== undefined) return { node, facts: facts(node, on, { source: 'focus', confidence: 0.9, why: ['it has the focus'] }) }
  const window = on.tree.activeWindow === undefined ? undefined : on.tree.node(on.tree.activeWindow)
  if (window === undefined) return nothing('desktop', undefined, 'nothing has the focus')
  return { node: window, facts: facts(window, on, { source: 'focus', confidence: 0.5, why: ['its window is active'] }) }
}

function active(on: Looking): Resolved {
  const window = on.tree.activeWindow === undefined ? undefined : on.tree.node(on.tree.activeWindow)
  if (window === undefined) throw new DeskhandError('NOT_FOUND', 'no window is active')
  return { node: window, facts: facts(window, on, { source: 'focus', confidence: 0.9, why: ['it is the active window'] }) }
}

function windowsOf(app: string, on: Looking): Resolved[] {
  return appNamed(app, on.seen).windows.map((window) => ({
    node: on.tree.node(window.key),
    facts: facts(window, on, { source: 'structure', confidence: 1, why: [`a window of ${window.app.name}`] }),
  }))
}

/** A pixel is lifted to the element under it before anything is decided. */
async function under(at: Place, on: Looking, synced: Promise<void> | undefined): Promise<Resolved> {
  if (at.coordinateSpace === 'window') await synced
  const point = await toDesktop(at, on)
  // The events of a script stop at the edge, and were told so.
  if (at.coordinateSpace !== undefined) await mustBeOnScreen(point, on)
  const [hit] = await Promise.all([on.observe.hit(point, within(HIT_MS)), synced])
  const key = hit.node ?? hit.window
  // It may be newer than what the tree had been told by then.
  if (key !== undefined && on.tree.node(key) === undefined) await on.tree.sync()
  const node = key === undefined ? undefined : on.tree.node(key)
  if (node === undefined)
    return { facts: { ...nothing('desktop', undefined, 'no element lies under this pixel').facts, source: 'pixel', at: point } }
  const confidence = hit.node === undefined ? 0.3 : 0.6
  return { node, facts: facts(node, on, { source: 'pixel', confidence, why: [`it lies under (${point.x}, ${point.y})`], at: point }) }
}

async function mustBeOnScreen({ x, y }: Point, on: Looking): Promise<void> {
  const screens = await on.screens()
  if (screens.length === 0 || screens.some((s) => contains(s.bounds, { x, y }))) return
  const sizes = screens.map(({ bounds: b }) => `${b.w}x${b.h}${screens.length > 1 ? ` at (${b.x}, ${b.y})` : ''}`).join(' and ')
  throw new DeskhandError('BAD_ARGS', `(${x}, ${y}) is outside the screen, which is ${sizes}`, {
    next: 'Name a point on the screen; a capture shows it.',
  })
}

async function toDesktop(at: Place, on: Looking): Promise<Point> {
  const { x, y, coordinateSpace = 'desktop' } = at
  if (coordinateSpace === 'desktop') return { x, y }
  if (coordinateSpace === 'image') {
    const image = on.image(at.imageId ?? '')
    if (image === undefined)
      throw new DeskhandError('STALE_REF', `no screenshot ${at.imageId ?? ''} is kept`, { next: 'Capture again and use its id.' })
    return { x: image.origin.x + x / image.scale, y: image.origin.y + y / image.scale }
  }
  if (coordinateSpace === 'window') {
    const bounds = active(on).facts.bounds
    if (bounds === undefined) throw new DeskhandError('NOT_CAPABLE', 'the active window does not tell where it is')
    return { x: bounds.x + x, y: bounds.y + y }
  }
  const screens = await on.screens()
  const screen = screens.find((s) => s.primary) ?? screens[0]
  if (screen === undefined) throw new DeskhandError('NOT_CAPABLE', 'this desktop has no screen')
  return { x: screen.bounds.x + x * screen.bounds.w, y: screen.bounds.y + y * screen.bounds.h }
}

/** What a run of raw events touches: first what it presses, then where it lets go. */
async function pressed(
  events: Extract<Action, { do: 'pointer' }>['events'],
  on: Looking,
  synced: Promise<void> | undefined,
): Promise<Resolved[]> {
  let at: Point | undefined
  const found = { press: new Array<Resolved>(), release: new Array<Resolved>() }
  const touches = touching(events)
  for (const [i, event] of events.entries()) {
    if (event.type === 'move') at = { x: event.x, y: event.y }
    const touch = touches[i]
    if (touch === undefined) continue
    at ??= await on.observe.pointer(within(HIT_MS))
    found[touch].push(await under(at, on, synced))
  }
  return [...found.press, ...found.release]
}

function nothing(role: string, name: string | undefined, why: string): Resolved {
  return { facts: { role, name, path: [], source: 'none', confidence: 1, why: [why] } }
}
