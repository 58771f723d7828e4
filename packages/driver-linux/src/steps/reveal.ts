import { setTimeout as sleep } from 'node:timers/promises'
import { type Point, type Rect, center, contains } from '@deskhand/core/model'
import { toRect } from '../atspi/details.ts'
import { COMPONENT, offers } from '../atspi/names.ts'
import type { MirrorNode } from '../atspi/node.ts'
import { ROLE, roleOf } from '../atspi/roles.ts'
import { refreshNode } from '../check.ts'
import type { Desk } from '../desk.ts'
import { type Hand, incapable } from './semantic.ts'

const ANYWHERE = 6
const SHOWS_MS = 500
const LOOK_MS = 15
/** How often the wheel is turned at most, and how far at once; a turn that moves nothing ends it. */
const TURNS = 200
const NOTCHES = 3
/** The wheel changes the value of these, or scrolls them instead of what they are in. */
const TAKES_WHEEL: ReadonlySet<string> = new Set(['slider', 'spinbutton', 'combobox', 'scrollbar', 'tab', 'tablist'])

/** Brings a node that is scrolled out of view into it: by itself if it can, else with the wheel. */
export async function reveal(desk: Desk, node: MirrorNode, hand: Hand): Promise<string> {
  if (!offers(node.interfaces, COMPONENT)) throw incapable(node, 'does not tell where it is')
  const asked = await node.app.call(node.path, COMPONENT, 'ScrollTo', 'u', [ANYWHERE], 'b').then(
    ([done]) => done,
    () => false,
  )
  if (asked && (await comesOut(node))) return 'ScrollTo'
  const pane = paneOf(node)
  if (pane === undefined) throw incapable(node, 'is in nothing that scrolls')
  let before = await placeOf(node)
  if (before === undefined) throw incapable(node, 'does not tell where it is')
  for (let turn = 0; turn < TURNS; turn++) {
    if (pane.bounds === undefined || (contains(pane.bounds, center(before)) && node.isShown)) break
    await turnWheel(desk, pane, before, hand)
    before = await movedFrom(node, before)
  }
  if (!(await comesOut(node))) throw incapable(node, 'does not come into view')
  return 'wheel'
}

/** Whether the node gets on the screen in a moment. */
async function comesOut(node: MirrorNode): Promise<boolean> {
  for (const end = performance.now() + SHOWS_MS; ; await sleep(LOOK_MS)) {
    if ((await refreshNode(node)) && node.isShown && node.bounds !== undefined) return true
    if (performance.now() > end) return false
  }
}

/** Its place after a turn of the wheel, which it may take a moment to follow. */
async function movedFrom(node: MirrorNode, before: Rect): Promise<Rect> {
  for (const end = performance.now() + SHOWS_MS; ; await sleep(LOOK_MS)) {
    const now = await placeOf(node)
    if (now !== undefined && (now.x !== before.x || now.y !== before.y)) return now
    if (performance.now() > end) throw incapable(node, 'does not come into view')
  }
}

function paneOf(node: MirrorNode): MirrorNode | undefined {
  for (let n = node.parent; n !== undefined; n = n.parent) if (n.role === ROLE.SCROLL_PANE && n.isShown && n.bounds !== undefined) return n
  return undefined
}

/** Where it is or would be, also where nobody sees it. */
async function placeOf(node: MirrorNode): Promise<Rect | undefined> {
  await refreshNode(node)
  if (node.bounds !== undefined) return node.bounds
  const [[x, y, w, h]] = await node.app.call(node.path, COMPONENT, 'GetExtents', 'u', [0], '(iiii)')
  return toRect(x, y, w, h)
}

async function turnWheel(desk: Desk, pane: MirrorNode, goal: Rect, hand: Hand): Promise<void> {
  const bounds = pane.bounds ?? goal
  const [to, from] = [center(goal), center(bounds)]
  const dy = goal.y < bounds.y || goal.y + goal.h > bounds.y + bounds.h ? Math.sign(to.y - from.y) * NOTCHES : 0
  const dx = dy === 0 ? Math.sign(to.x - from.x) * NOTCHES : 0
  for (const at of pointsOf(bounds)) {
    const { node: key } = await desk.hit(at)
    const under = key === undefined ? undefined : desk.mirror.node(key)
    if (under !== undefined && isSafe(under, pane) && (await hand.wheel(at, under, dx, dy))) return
  }
  throw incapable(pane, 'has no place where the wheel would only scroll it')
}

function isSafe(under: MirrorNode, pane: MirrorNode): boolean {
  for (let n: MirrorNode | undefined = under; n !== undefined; n = n.parent) {
    if (n === pane) return true
    if (TAKES_WHEEL.has(roleOf(n.role)) || n.role === ROLE.SCROLL_PANE) return false
  }
  return false
}

const pointsOf = (r: Rect): Point[] =>
  [0.5, 0.1, 0.9, 0.3, 0.7].flatMap((fy) =>
    [0.5, 0.03, 0.9, 0.25].map((fx) => ({ x: Math.floor(r.x + r.w * fx), y: Math.floor(r.y + r.h * fy) })),
  )
