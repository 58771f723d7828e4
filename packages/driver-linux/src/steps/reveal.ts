import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type Rect, center, contains } from '@deskhand/core/model'
import { toLocal } from '../atspi/local.ts'
import { COMPONENT, TABLE, offers } from '../atspi/names.ts'
import type { MirrorNode } from '../atspi/node.ts'
import { ROLE, roleOf } from '../atspi/roles.ts'
import { type Cell, cellAt, placeIn } from '../atspi/table.ts'
import { refreshNode } from '../check.ts'
import type { LinuxDesktop } from '../desktop.ts'
import { headerAt } from '../hit.ts'
import type { Mouse } from './mouse.ts'
import { incapable } from './refusals.ts'

const ANYWHERE = 6
/** How long an element may take to follow the wheel, and to do what it said it would. */
const FOLLOWS_MS = 1000
const SCROLLS_MS = 2000
const LOOK_MS = 15
/** How often the wheel is turned at most, and how far at once. */
const TURNS = 300
const NOTCHES = 3
const MOST_NOTCHES = 120
/** So many neighbours tell whether a list has moved. */
const MOST_TRACED = 12
/** The wheel changes the value of these, or scrolls them instead of what they are in. */
const TAKES_WHEEL: ReadonlySet<string> = new Set(['slider', 'spinbutton', 'combobox', 'scrollbar', 'tab', 'tablist'])

type Way = readonly [dx: number, dy: number]
const DOWN: Way = [0, 1]
const UP: Way = [0, -1]
const ASIDE: readonly Way[] = [
  [1, 0],
  [-1, 0],
]

/** Brings a node that is scrolled out of view into it: by itself if it can, else with the wheel. */
export async function reveal(desk: LinuxDesktop, node: MirrorNode, mouse: Mouse): Promise<string> {
  if (node.isUnplaced || (node.isMisplaced && node.bounds === undefined)) throw incapable(node, 'does not tell where it is')
  const pane = paneOf(node)
  try {
    return offers(node.interfaces, COMPONENT) && (await asks(desk, node, pane)) ? 'ScrollTo' : await wheelTo(desk, node, pane, mouse)
  } catch (error) {
    if (node.isShown && node.bounds !== undefined && !isReached(desk, node.bounds))
      throw new DeskhandError('NOT_ACTIONABLE', 'the element lies beyond the edge of the screen', {
        next: 'Move its window onto the screen (ui.window), or make it smaller.',
        cause: error,
      })
    throw error
  } finally {
    desk.mirror.touch(node)
  }
}

const isReached = (desk: LinuxDesktop, bounds: Rect): boolean => desk.windows?.reaches(center(bounds)) !== false

async function wheelTo(desk: LinuxDesktop, node: MirrorNode, pane: MirrorNode | undefined, mouse: Mouse): Promise<string> {
  const { parent } = node
  // A table of Qt scrolls by itself.
  if (parent !== undefined && offers(parent.interfaces, TABLE)) return wheelToCell(desk, node, parent, pane ?? parent, mouse)
  if (pane === undefined) throw incapable(node, 'is in nothing that scrolls')
  let turns = 0
  const notches = holdsTakers(pane) ? 1 : NOTCHES
  for (const [dx, dy] of waysTo(node, pane)) {
    while (turns++ < TURNS) {
      if (isIn(desk, node, pane)) return 'wheel'
      const before = await traceOf(node, pane)
      await turnWheel(desk, pane, [dx * notches, dy * notches], mouse)
      if (!(await happens(async () => (await traceOf(node, pane)) !== before))) break
    }
  }
  throw incapable(node, 'does not come into view')
}

/** A table tells which of its cells it shows, though not where the others are. */
async function wheelToCell(desk: LinuxDesktop, node: MirrorNode, table: MirrorNode, pane: MirrorNode, mouse: Mouse): Promise<string> {
  const to = await placeIn(node.app, table, node.path)
  const look = async (): Promise<Cell | undefined> =>
    pane.bounds === undefined ? undefined : cellAt(node.app, table, toLocal(table, center(pane.bounds)))
  let seen = await look()
  let notches = NOTCHES
  for (let turns = 0; turns < TURNS; turns++) {
    if ((await refreshNode(node)) && isIn(desk, node, pane)) return 'wheel'
    if (seen === undefined) break
    const before = seen
    const away = to.row - before.row
    await turnWheel(desk, pane, away === 0 ? [Math.sign(to.column - before.column) * notches, 0] : [0, Math.sign(away) * notches], mouse)
    const isMoved = await happens(
      async () => (seen = await look()) !== undefined && (seen.row !== before.row || seen.column !== before.column),
    )
    if (!isMoved) break
    // How far the rest is, by how far this turn went.
    const moved = Math.abs(seen.row - before.row)
    if (moved > 0) notches = Math.min(MOST_NOTCHES, Math.max(1, Math.round((notches * Math.abs(to.row - seen.row)) / moved)))
  }
  throw incapable(node, 'does not come into view')
}

async function asks(desk: LinuxDesktop, node: MirrorNode, pane: MirrorNode | undefined): Promise<boolean> {
  const answer = await node.app.act(node.path, COMPONENT, 'ScrollTo', 'u', [ANYWHERE], 'b').catch(() => [false])
  return answer?.[0] !== false && happens(async () => (await refreshNode(node)) && isIn(desk, node, pane), SCROLLS_MS)
}

/** Whether something comes true soon enough. */
export async function happens(it: () => Promise<boolean>, ms = FOLLOWS_MS): Promise<boolean> {
  for (const end = performance.now() + ms; ; await sleep(LOOK_MS)) {
    if (await it()) return true
    if (performance.now() > end) return false
  }
}

/** What scrolls around a node: a scroll pane, or the open list of a combobox. */
function paneOf(node: MirrorNode): MirrorNode | undefined {
  for (let n = node.parent; n !== undefined; n = n.parent)
    if ((n.role === ROLE.SCROLL_PANE || isDropDown(n)) && n.isShown && n.bounds !== undefined) return n
  return undefined
}

const isDropDown = (node: MirrorNode): boolean => node.role === ROLE.LIST && node.parent?.role === ROLE.COMBO_BOX

function isIn(desk: LinuxDesktop, node: MirrorNode, pane: MirrorNode | undefined): boolean {
  if (!node.isShown || node.bounds === undefined || !isReached(desk, node.bounds)) return false
  const at = center(node.bounds)
  if (node.parent !== undefined && headerAt(node.parent, at) !== undefined) return false
  return pane?.bounds === undefined || contains(pane.bounds, at)
}

/** The likeliest way first. GTK 3 does not tell where a hidden element is, but its visible neighbours do. */
function waysTo(node: MirrorNode, pane: MirrorNode): Way[] {
  if (node.bounds !== undefined && pane.bounds !== undefined) {
    const [at, { x, y, w, h }] = [center(node.bounds), pane.bounds]
    if (at.y < y || at.y >= y + h) return at.y < y ? [UP] : [DOWN]
    return at.x < x || at.x >= x + w ? [[at.x < x ? -1 : 1, 0]] : []
  }
  for (let n = node; n !== pane && n.parent !== undefined; n = n.parent) {
    const seen = n.parent.children.findIndex((c) => c.isShown)
    if (seen >= 0) return n.parent.children.indexOf(n) < seen ? [UP, DOWN, ...ASIDE] : [DOWN, UP, ...ASIDE]
  }
  return [DOWN, UP, ...ASIDE]
}

/** Something that is another one after every turn of the wheel that had an effect. */
async function traceOf(node: MirrorNode, pane: MirrorNode): Promise<string> {
  // A list that scrolls by itself stays where it is, and so does what it does not show; its visible entries move.
  const path = isDropDown(pane) ? [...pane.children] : (node.parent?.children.filter((n) => n.isShown).slice(0, MOST_TRACED) ?? [])
  for (let n: MirrorNode | undefined = node; n !== undefined && n !== pane; n = n.parent) path.push(n)
  await Promise.all(path.map(refreshNode))
  return path.map(({ isShown, bounds }) => `${isShown} ${bounds?.x} ${bounds?.y}`).join()
}

async function turnWheel(desk: LinuxDesktop, pane: MirrorNode, [dx, dy]: Way, mouse: Mouse): Promise<void> {
  for (const at of pane.bounds === undefined ? [] : pointsOf(pane.bounds)) {
    const { node: key } = await desk.hit(at)
    const under = key === undefined ? undefined : desk.mirror.node(key)
    if (under !== undefined && isSafe(under, pane) && (await mouse.wheel(at, under, dx, dy))) return
  }
  throw incapable(pane, 'has no place where the wheel would only scroll it')
}

const takesWheel = ({ role }: MirrorNode): boolean => TAKES_WHEEL.has(roleOf(role)) || role === ROLE.SCROLL_PANE

/** Whether something in a pane may come under the pointer with a notch that takes the next one. */
const holdsTakers = (node: MirrorNode): boolean =>
  node.children.some((n) => (takesWheel(n) && roleOf(n.role) !== 'scrollbar') || holdsTakers(n))

function isSafe(under: MirrorNode, pane: MirrorNode): boolean {
  for (let n: MirrorNode | undefined = under; n !== undefined; n = n.parent) {
    if (n === pane) return true
    if (takesWheel(n)) return false
  }
  return false
}

const pointsOf = ({ x, y, w, h }: Rect): Point[] =>
  [0.5, 0.1, 0.9, 0.3, 0.7].flatMap((fy) => [0.5, 0.03, 0.9, 0.25].map((fx) => ({ x: Math.floor(x + w * fx), y: Math.floor(y + h * fy) })))
